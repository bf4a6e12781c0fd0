import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MatchablePort, matchPorts } from '../../../drivers/mixed/port-match.ts';

const port = (name: string, more: Partial<MatchablePort> = {}): MatchablePort => ({
  name,
  aliases: [],
  ifIndex: null,
  macAddress: null,
  description: '',
  ...more,
});

describe('ports of both sides', () => {
  it('are matched by name, long and short forms, other names, number, address and description', () => {
    const { pairs, refused } = matchPorts(
      [
        port('GigabitEthernet1/0/1'),
        port('Ethernet2'),
        port('port3'),
        port('xe-0/0/4', { ifIndex: 504 }),
        port('five', { macAddress: '02:00:00:00:00:05' }),
        port('six', { description: 'worker-6 eno1' }),
        port('seven'),
      ],
      [
        port('Gi1/0/1'),
        port('et2'),
        port('3', { aliases: ['port3', '103'] }),
        port('four', { ifIndex: 504 }),
        port('e5', { macAddress: '0200.0000.0005' }),
        port('e6', { description: 'worker-6 eno1' }),
      ],
    );
    expect([...pairs.keys()]).toEqual(
      expect.arrayContaining(['GigabitEthernet1/0/1', 'port3', 'xe-0/0/4', 'five', 'six']),
    );
    expect(pairs.get('GigabitEthernet1/0/1')).toBe('Gi1/0/1');
    expect(pairs.get('five')).toBe('e5');
    expect(refused.get('seven')).toContain('no port of the other side');
  });

  it('are refused when two ways say different things, or two ports may be one', () => {
    const contradicting = matchPorts(
      [port('swp1', { macAddress: '02:00:00:00:00:02' })],
      [port('swp1'), port('swp2', { macAddress: '02:00:00:00:00:02' })],
    );
    expect(contradicting.pairs.size).toBe(0);
    expect(contradicting.refused.get('swp1')).toMatch(/swp1 \(by name.*swp2 \(by MAC address\)/);
    const shared = matchPorts([port('a', { ifIndex: 7 }), port('b', { ifIndex: 7 })], [port('x', { ifIndex: 7 })]);
    expect(shared.pairs.size).toBe(0);
    const descriptions = matchPorts(
      [port('a', { description: 'server' }), port('b', { description: 'server' })],
      [port('x', { description: 'server' }), port('y', { description: 'server' })],
    );
    expect(descriptions.pairs.size).toBe(0);
  });

  const some = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('swp1', 'swp2', 'Eth1/1', 'Ethernet1/1', 'Gi0/1', 'GigabitEthernet0/1', '1', '2', 'uplink'),
      aliases: fc.array(fc.constantFrom('port 1', 'swp1', 'swp9', '1', '2', 'Ethernet1/1'), { maxLength: 2 }),
      ifIndex: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
      macAddress: fc.option(fc.constantFrom('02:00:00:00:00:01', '02:00:00:00:00:02'), { nil: null }),
      description: fc.constantFrom('', 'a', 'b'),
    }),
    { selector: (p) => p.name, maxLength: 6 },
  );

  it('are never two for one, whatever they are called; each is matched or refused; and order means nothing', () => {
    fc.assert(
      fc.property(some, some, (first, second) => {
        const { pairs, refused } = matchPorts(first, second);
        expect(new Set(pairs.values()).size).toBe(pairs.size);
        expect(new Set([...pairs.keys(), ...refused.keys()])).toEqual(new Set(first.map((p) => p.name)));
        expect(pairs.size + refused.size).toBe(first.length);
        const again = matchPorts([...first].reverse(), [...second].reverse());
        expect(new Map([...again.pairs].sort())).toEqual(new Map([...pairs].sort()));
      }),
    );
  });
});
