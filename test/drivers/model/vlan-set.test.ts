import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VLAN_MAX, VLAN_MIN, VlanSet, VlanSyntaxError } from '../../../drivers/model/vlan-set.ts';

const id = fc.integer({ min: VLAN_MIN, max: VLAN_MAX });
/** Few and many, and runs, so that whole words are full, empty and mixed. */
const ids = fc.oneof(
  fc.uniqueArray(id, { maxLength: 300 }),
  fc.tuple(id, id).map(([a, b]) => Array.from({ length: Math.abs(a - b) + 1 }, (_, i) => Math.min(a, b) + i)),
);
const sorted = (values: Iterable<number>) => [...values].sort((a, b) => a - b);

describe('VlanSet, against the sets of the language', () => {
  it('union, intersection, difference, subset and equality', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const [x, y] = [VlanSet.of(...a), VlanSet.of(...b)];
        const [left, right] = [new Set(a), new Set(b)];
        expect(x.union(y).ids()).toEqual(sorted(new Set([...a, ...b])));
        expect(x.intersect(y).ids()).toEqual(sorted(a.filter((v) => right.has(v))));
        expect(x.minus(y).ids()).toEqual(sorted(a.filter((v) => !right.has(v))));
        expect(x.isSubsetOf(y)).toBe(a.every((v) => right.has(v)));
        expect(x.intersect(y).isSubsetOf(x)).toBe(true);
        expect(x.equals(y)).toBe(left.size === right.size && a.every((v) => right.has(v)));
        expect(x.isEmpty).toBe(a.length === 0);
        expect(x.size).toBe(left.size);
        // None of them has changed its operands.
        expect([x.ids(), y.ids()]).toEqual([sorted(left), sorted(right)]);
      }),
    );
  });

  it('one ID more or less', () => {
    fc.assert(
      fc.property(ids, id, (a, one) => {
        const set = VlanSet.of(...a);
        expect(set.with(one).ids()).toEqual(sorted(new Set([...a, one])));
        expect(set.without(one).ids()).toEqual(sorted(a.filter((v) => v !== one)));
        expect(set.has(one)).toBe(a.includes(one));
        expect(set.ids()).toEqual(sorted(a));
      }),
    );
  });

  it('writes what it reads', () => {
    fc.assert(
      fc.property(ids, (a) => {
        const set = VlanSet.of(...a);
        expect(VlanSet.parse(set.toString()).equals(set)).toBe(true);
        expect(VlanSet.fromItems(set.toItems()).equals(set)).toBe(true);
      }),
    );
  });

  it.each([0, 4095, -1, 1.5, Number.NaN])('takes no %s in, and has none to give up', (wrong) => {
    expect(() => VlanSet.EMPTY.with(wrong)).toThrow(VlanSyntaxError);
    expect(VlanSet.ALL.without(wrong).equals(VlanSet.ALL)).toBe(true);
    expect(VlanSet.ALL.has(wrong)).toBe(false);
  });
});
