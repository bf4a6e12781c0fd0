import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DriverError } from '../../../drivers/errors.ts';
import { MAX_NEIGHBORS_PER_PORT, parseLldpChassis, parseLldpNeighbors } from '../../../drivers/text/lldpcli.ts';

const value = (text: string) => [{ value: text }];
const answer = (...entries: unknown[]) => JSON.stringify({ lldp: [{ interface: entries }] });

const FULL = {
  name: 'swp1',
  via: 'LLDP',
  rid: '1',
  age: '0 day, 00:00:03',
  chassis: [
    {
      id: [{ type: 'mac', value: 'B6:BD:9B:A3:39:0D' }],
      name: value('worker-1'),
      descr: value('Debian GNU/Linux 12'),
      'mgmt-ip': [{ value: '10.0.0.1' }, { value: '2001:db8::1' }],
      capability: [
        { type: 'Station', enabled: true },
        { type: 'Wlan', enabled: true },
        { type: 'Bridge', enabled: true },
        { type: 'Router', enabled: false },
        { type: '__proto__', enabled: true },
      ],
    },
  ],
  port: [{ id: [{ type: 'ifname', value: 'eno1' }], descr: value('first port'), ttl: value('120') }],
};

describe('lldpcli json0', () => {
  it('gives everything a neighbour says', () => {
    expect(parseLldpNeighbors(answer(FULL))).toEqual([
      {
        port: 'swp1',
        chassisId: { subtype: 'mac', value: 'b6:bd:9b:a3:39:0d' },
        portId: { subtype: 'ifname', value: 'eno1' },
        systemName: 'worker-1',
        systemDescription: 'Debian GNU/Linux 12',
        portDescription: 'first port',
        capabilities: ['bridge', 'station', 'wlan-ap'],
        managementAddresses: ['10.0.0.1', '2001:db8::1'],
        ttlSeconds: 120,
      },
    ]);
  });

  it('knows no neighbour in the answer of a switch without any', () => {
    expect(parseLldpNeighbors('\n{\n  "lldp": [\n    {\n      \n    }\n  ]\n}\n')).toEqual([]);
  });

  it('takes what is missing as empty, and leaves out what has no port or came by another protocol', () => {
    const bare = { name: 'swp2', via: 'LLDP' };
    const [only, ...others] = parseLldpNeighbors(answer(bare, { via: 'LLDP' }, { ...bare, via: 'CDPv2' }, null, 7, []));
    expect(others).toEqual([]);
    expect(only).toEqual({
      port: 'swp2',
      chassisId: { subtype: 'unknown', value: '' },
      portId: { subtype: 'unknown', value: '' },
      systemName: '',
      systemDescription: '',
      portDescription: '',
      capabilities: [],
      managementAddresses: [],
      ttlSeconds: null,
    });
  });

  it('maps the subtypes of lldpd', () => {
    const of = (type: string) =>
      parseLldpNeighbors(answer({ ...FULL, port: [{ id: [{ type, value: 'x' }] }] }))[0]?.portId;
    expect(['ifalias', 'ifname', 'local', 'ip', 'unhandled', 'constructor'].map((type) => of(type)?.subtype)).toEqual([
      'ifalias',
      'ifname',
      'local',
      'network',
      'unknown',
      'unknown',
    ]);
  });

  it('makes hostile text harmless and bounded', () => {
    const hostile = {
      ...FULL,
      chassis: [{ name: value(`a\u0000\u001b[2J\u202e${'n'.repeat(9000)}`), id: value('\ud800') }],
    };
    const [neighbor] = parseLldpNeighbors(answer(hostile));
    expect(neighbor?.systemName).toMatch(/^a\ufffd\ufffd\[2J\ufffdn+…$/);
    expect(neighbor?.systemName).toHaveLength(255);
    expect(neighbor?.chassisId.value).toBe('\ufffd');
  });

  it('keeps a bounded number of neighbours for each port', () => {
    const many = Array.from({ length: 500 }, (_, i) => ({ ...FULL, rid: String(i) }));
    const neighbors = parseLldpNeighbors(answer(...many, { ...FULL, name: 'swp2' }));
    expect(neighbors.filter((n) => n.port === 'swp1')).toHaveLength(MAX_NEIGHBORS_PER_PORT);
    expect(neighbors.filter((n) => n.port === 'swp2')).toHaveLength(1);
  });

  it('refuses everything else, naming the beginning of it', () => {
    for (const text of ['', 'null', '[]', '{"lldp": {}}', 'lldpcli: no\u001b[2J such command']) {
      expect(() => parseLldpNeighbors(text)).toThrow(DriverError);
    }
    expect(() => parseLldpNeighbors('no\u001b[2J')).toThrow('"no\ufffd[2J"');
  });

  it('never throws anything else, whatever JSON comes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        for (const neighbor of parseLldpNeighbors(
          answer(a, { ...FULL, chassis: [b], port: [a] }, { ...FULL, chassis: b }),
        )) {
          expect(neighbor.port).not.toBe('');
        }
      }),
    );
  });
});

describe('lldpcli show chassis', () => {
  it('gives the own chassis ID and name', () => {
    const chassis = { id: [{ type: 'mac', value: 'FE:5C:23:B5:7F:7A' }], name: value('tor1') };
    expect(parseLldpChassis(JSON.stringify({ 'local-chassis': [{ chassis: [chassis] }] }))).toEqual({
      id: { subtype: 'mac', value: 'fe:5c:23:b5:7f:7a' },
      systemName: 'tor1',
    });
    expect(parseLldpChassis('lldpd is not running')).toBeNull();
    expect(parseLldpChassis('{"local-chassis":[{}]}')).toBeNull();
  });
});
