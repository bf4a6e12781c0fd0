import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalPortName } from '../../../drivers/text/port-family.ts';
import {
  comparePortNames,
  expandPortList,
  matchPort,
  type NamedPort,
  portPatternProblem,
} from '../../../drivers/text/port-name.ts';

const ports = (...names: string[]): NamedPort[] => names.map((name) => ({ name, aliases: [] }));
const numbered = (stem: string, from: number, to: number): NamedPort[] =>
  ports(...Array.from({ length: to - from + 1 }, (_, i) => `${stem}${from + i}`));
const found = (query: string, list: readonly NamedPort[]) => {
  const match = matchPort(query, list);
  if ('found' in match) return match.found.name;
  return 'ambiguous' in match ? match.ambiguous.map((p) => p.name) : null;
};
const expand = (patterns: string[], list: readonly NamedPort[]) => [...expandPortList(patterns, list).matched];

/** Names as switches have them, and near misses of them. */
const anyName = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('swp', 'Ethernet', 'Gi', 'GigabitEthernet', 'Te', 'xe-', 'Po', 'port-channel', '', 'Trk', '25GE'),
      fc.array(fc.nat(12), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('/', ':', 's', '.'),
    )
    .map(([stem, numbers, separator]) => stem + numbers.join(separator)),
  fc.string({ maxLength: 12 }),
);

describe('comparePortNames', () => {
  it('orders numbers by value, at every place', () => {
    const sorted = [
      'Ethernet1/1',
      'Ethernet1/2',
      'Ethernet1/10',
      'Ethernet2/1',
      'swp1',
      'swp1s0',
      'swp1s10',
      'swp2',
      'swp10',
    ];
    expect([...sorted].reverse().sort(comparePortNames)).toEqual(sorted);
  });

  it('is a total order', () => {
    fc.assert(
      fc.property(anyName, anyName, anyName, (a, b, c) => {
        expect(Math.sign(comparePortNames(a, b)) + Math.sign(comparePortNames(b, a))).toBe(0);
        expect(comparePortNames(a, b) === 0).toBe(a === b);
        if (comparePortNames(a, b) < 0 && comparePortNames(b, c) < 0) expect(comparePortNames(a, c)).toBeLessThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('matchPort', () => {
  it.each([
    [
      'GigabitEthernet1/0/1',
      ['Gi1/0/1', 'gi1/0/1', 'gigabitethernet 1/0/1', 'GigabitEthernet1/0/1', 'Gig 1/0/1', 'GE1/0/1'],
    ],
    ['TenGigabitEthernet1/1/4', ['Te1/1/4', 'te 1/1/4', 'TENGIGABITETHERNET1/1/4']],
    ['TwentyFiveGigE1/0/2', ['Twe1/0/2', 'twentyfivegige1/0/2']],
    ['FortyGigabitEthernet1/1/1', ['Fo1/1/1', 'fortygigabitethernet1/1/1']],
    ['HundredGigE1/0/49', ['Hu1/0/49', 'hundredgige 1/0/49']],
    ['Ethernet1/3', ['Eth1/3', 'eth1/3', 'ethernet1/3', 'Et1/3']],
    ['Port-channel7', ['Po7', 'port-channel7', 'port-channel 7', 'po7']],
    ['Ten-GigabitEthernet1/0/5', ['XGE1/0/5']],
    ['25GE1/0/5', ['25ge1/0/5', 'TwentyFiveGigE1/0/5']],
    ['xe-0/0/1', ['xe-0/0/1', 'XE-0/0/1']],
  ])('finds %s by its other spellings', (name, queries) => {
    const others = ports('GigabitEthernet1/0/10', 'Ethernet1/30', 'Port-channel70', 'xe-0/0/10', 'HundredGigE1/0/4');
    for (const query of queries) expect([query, found(query, [...others, ...ports(name)])]).toEqual([query, name]);
  });

  it('never takes a longer number, another kind or a bare number for a match', () => {
    const list = ports('Ethernet10', 'GigabitEthernet1/0/1', 'swp10', 'xe-0/0/10', 'Ethernet0');
    for (const query of [
      'Ethernet1',
      'Et1',
      'Te1/0/1',
      '1/0/1',
      'swp1',
      'xe-0/0/1',
      'xe0/0/10',
      'G1/0/1',
      'eth0',
      '',
      ' ',
      '10',
    ])
      expect([query, found(query, list)]).toEqual([query, null]);
  });

  it('prefers the exact name to an alias and an alias to an abbreviation', () => {
    const list: NamedPort[] = [
      { name: 'Ethernet1', aliases: ['eth3'] },
      { name: 'eth2', aliases: ['Ethernet1'] },
      { name: 'Ethernet3', aliases: ['etp3'] },
    ];
    expect(found('Ethernet1', list)).toBe('Ethernet1');
    expect(found('ETHERNET1', list)).toBe('Ethernet1');
    expect(found('eth3', list)).toBe('Ethernet1');
    expect(found('Et3', list)).toEqual(['Ethernet1', 'Ethernet3']);
    expect(found('etp3', list)).toBe('Ethernet3');
  });

  it('finds a MAC alias in any notation, and calls one that several ports share ambiguous', () => {
    const list: NamedPort[] = [
      { name: 'p1', aliases: ['00:11:22:33:44:01'] },
      { name: 'p2', aliases: ['00:11:22:33:44:02', 'both'] },
      { name: 'p3', aliases: ['both'] },
    ];
    expect(found('0011.2233.4402', list)).toBe('p2');
    expect(found('both', list)).toEqual(['p2', 'p3']);
  });

  it('finds every port by its own name, whatever else is there, and only ports whose canonical name is that of the query', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyName, { minLength: 1, maxLength: 12 }), anyName, (names, query) => {
        const list = ports(...names);
        for (const name of names) if (name === name.trim()) expect(found(name, list)).toBe(name);
        const hit = found(query, list);
        for (const name of hit === null ? [] : [hit].flat()) {
          const same = name.trim().toLowerCase() === query.trim().toLowerCase();
          expect(same || canonicalPortName(name) === canonicalPortName(query)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('expandPortList', () => {
  it.each([
    ['swp1-swp3', 'swp', 1, 3],
    ['swp1-3', 'swp', 1, 3],
    ['swp1 - swp3', 'swp', 1, 3],
    ['Ethernet1/1-48', 'Ethernet1/', 1, 48],
    ['Eth1/1-48', 'Ethernet1/', 1, 48],
    ['Ethernet1/1-Ethernet1/48', 'Ethernet1/', 1, 48],
    ['Ethernet1/2/1-1/2/4', 'Ethernet1/2/', 1, 4],
    ['xe-0/0/0-xe-0/0/47', 'xe-0/0/', 0, 47],
    ['xe-0/0/0-47', 'xe-0/0/', 0, 47],
    ['Gi1/0/1 - 24', 'GigabitEthernet1/0/', 1, 24],
    ['swp1s0-swp1s3', 'swp1s', 0, 3],
    ['1-24', '', 1, 24],
    ['1/1-1/24', '1/', 1, 24],
    ['a1-1-a1-3', 'a1-', 1, 3],
  ])('reads %s', (pattern, stem, from, to) => {
    const list = numbered(stem, 0, 60);
    const expected = list.slice(from, to + 1).map((p) => p.name);
    expect(expandPortList([pattern], list)).toEqual({
      matched: new Set(expected),
      unmatched: [],
      ambiguous: new Map(),
    });
    expect(portPatternProblem(pattern)).toBeNull();
  });

  it('takes a pattern that is a port for that port', () => {
    expect(expand(['ae1-2'], ports('ae1', 'ae2', 'ae1-2'))).toEqual(['ae1-2']);
    expect(expand(['port-channel5', 'xe-0/0/3'], ports('port-channel5', 'xe-0/0/3'))).toHaveLength(2);
  });

  it('matches ports by alias and names the patterns that fit nothing or several', () => {
    const list: NamedPort[] = [
      { name: 'Ethernet0', aliases: ['etp1', 'x'] },
      { name: 'Ethernet4', aliases: ['etp2', 'x'] },
    ];
    const result = expandPortList(['etp1-etp8', 'swp1-4', 'Ethernet9', 'x'], list);
    expect([...result.matched]).toEqual(['Ethernet0', 'Ethernet4']);
    expect(result.unmatched).toEqual(['swp1-4', 'Ethernet9', 'x']);
    expect(result.ambiguous).toEqual(new Map([['x', ['Ethernet0', 'Ethernet4']]]));
  });

  it('keeps leading zeros', () => {
    expect(expand(['port01-port10'], ports('port1', 'port01', 'port09', 'port10', 'port010'))).toEqual([
      'port01',
      'port09',
      'port10',
    ]);
  });

  it('an empty list is no port', () => {
    expect(expand([], numbered('swp', 1, 4))).toEqual([]);
  });

  it('names exactly the ports between the ends, in every way of writing a range', () => {
    const stem = fc.constantFrom('swp', 'Ethernet1/', 'xe-0/0/', 'ge1-', 'Trk', '1/1/', 'a1-b2-');
    fc.assert(
      fc.property(stem, fc.nat(40), fc.nat(40), fc.boolean(), (stem, from, length, long) => {
        const to = from + length;
        const pattern = `${stem}${from}-${long ? stem : ''}${to}`;
        const list = numbered(stem, 0, 90);
        expect(expand([pattern], list)).toEqual(list.slice(from, to + 1).map((p) => p.name));
      }),
    );
  });

  it('never throws and never invents a port', () => {
    const pattern = fc.oneof(
      anyName,
      fc.tuple(anyName, anyName).map(([a, b]) => `${a}-${b}`),
    );
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 4 }), fc.array(anyName, { maxLength: 8 }), (patterns, names) => {
        const { matched, unmatched } = expandPortList(patterns, ports(...names));
        for (const name of matched) expect(names).toContain(name);
        for (const left of unmatched) expect(patterns).toContain(left);
        for (const text of patterns) portPatternProblem(text);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('portPatternProblem', () => {
  it.each([
    ['swp48-swp1', 'reversed'],
    ['swp48-1', 'reversed'],
    ['xe-0/0/47-xe-0/0/0', 'reversed'],
    ['swp1s0-swp4s3', 'only the last number'],
    ['Ethernet1/1-2/1', 'only the last number'],
    ['Ethernet1/1-Ethernet2/1', 'only the last number'],
    ['swp1-swp99999', 'more than 4096'],
    [' ', 'empty'],
  ])('finds what is wrong with %s', (pattern, words) => {
    expect(portPatternProblem(pattern)).toContain(words);
    expect(expandPortList([pattern], numbered('swp', 1, 48)).matched.size).toBe(0);
  });

  it.each(['swp1', 'xe-0/0/0', 'port-channel10', 'Ethernet1/1-48', 'eth-trunk3', 'Bridge-Aggregation1', 'lan-a'])(
    'has nothing against %s',
    (pattern) => {
      expect(portPatternProblem(pattern)).toBeNull();
    },
  );
});
