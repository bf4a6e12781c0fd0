import { describe, expect, it } from 'vitest';
import { ALL_VLANS, isAll, listItems, packItems, parseVlanList, subtract, unite } from './vlan-list.ts';

describe('VLAN lists as IOS reads and writes them', () => {
  it('writes three consecutive IDs as a range and two apart', () => {
    expect(listItems(new Set([12, 10, 11, 20, 21, 30])).join(',')).toBe('10-12,20,21,30');
    expect(listItems(ALL_VLANS)).toEqual(['1-4094']);
  });

  it('reads what it writes', () => {
    const ids = new Set([1, 2, 3, 4093, 4094, 77]);
    expect(parseVlanList(listItems(ids).join(','))).toEqual(ids);
  });

  it.each([
    ['10,20,', 'Bad VLAN list - character #6 is a comma at end of list.'],
    ['10,,20', 'Bad VLAN list - character #4 is a comma where a VLAN number is expected.'],
    ['4095', 'Bad VLAN list - character #5 (EOL) delimits a VLAN number which is out of the range 1..4094.'],
    ['0,10', "Bad VLAN list - character #2 (',') delimits a VLAN number which is out of the range 1..4094."],
    ['20-10', 'Bad VLAN list - character #6 (EOL) delimits a VLAN range which is descending.'],
    ['10x', 'Bad VLAN list - character #3 (x) is not a digit, comma or hyphen.'],
    ['10-', 'Bad VLAN list - character #3 is an unexpected hyphen.'],
  ])('refuses %j', (text, words) => {
    expect(parseVlanList(text)).toBe(words);
  });

  it('adding to ALL changes nothing, removing from it does', () => {
    expect(isAll(unite(ALL_VLANS, new Set([10])))).toBe(true);
    expect(listItems(subtract(ALL_VLANS, new Set([10]))).join(',')).toBe('1-9,11-4094');
  });

  it('packs items into lines without losing one', () => {
    const items = Array.from({ length: 40 }, (_, i) => String(1000 + i * 2));
    const chunks = packItems(items, 30, 12);
    expect(chunks.join(',')).toBe(items.join(','));
    expect(chunks[0]?.length).toBeLessThanOrEqual(12);
    expect(Math.max(...chunks.map((c) => c.length))).toBeLessThanOrEqual(30);
  });
});
