import { describe, expect, it } from 'vitest';
import { MAX_PROBLEMS, readNeighbors } from '../../../drivers/snmp/neighbors.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { interfaceRow } from '../../support/snmp-switch.ts';
import { integer, octets } from '../../support/snmp-values.ts';

const REM = '1.0.8802.1.1.2.1.4.1.1';

const INTERFACES = [1, 2, 3, 4].map((n) => interfaceRow(n, `swp${n}`));
const FACTS = {
  interfaces: INTERFACES,
  bridgePorts: new Map(INTERFACES.map((i) => [i.ifIndex, i.ifIndex])),
  names: new Map(INTERFACES.slice(0, 3).map((i) => [i.ifIndex, i.ifName])),
};

const row = (port: number, index: number, id: string) => [
  octets(`${REM}.5.0.${port}.${index}`, id),
  octets(`${REM}.7.0.${port}.${index}`, 'eth0'),
  octets(`${REM}.9.0.${port}.${index}`, `name-of-${id}`),
];

describe('readNeighbors', () => {
  it('gives the neighbours with the names of their ports, in the order of the ports', async () => {
    const session = new MemorySnmp([...row(3, 1, 'c'), ...row(1, 2, 'a'), ...row(1, 3, 'b')]);
    const { neighbors, problems } = await readNeighbors(session, FACTS);
    expect(neighbors.map((n) => [n.port, n.chassisId.value])).toEqual([
      ['swp1', 'a'],
      ['swp1', 'b'],
      ['swp3', 'c'],
    ]);
    expect(neighbors[0]).not.toHaveProperty('localPort');
    expect(problems).toEqual([]);
  });

  it('leaves out a neighbour in doubt and names it', async () => {
    const session = new MemorySnmp([...row(1, 1, 'a'), ...row(2, 1, 'b')]);
    const { neighbors, problems } = await readNeighbors(session, {
      ...FACTS,
      bridgePorts: new Map([
        [1, 1],
        [2, 3],
      ]),
    });
    expect(neighbors.map((n) => n.port)).toEqual(['swp1']);
    expect(problems).toEqual([expect.stringMatching(/name-of-b on local port number 2 was left out: as ifIndex/)]);
  });

  it('leaves out a neighbour on an interface that is no port', async () => {
    const { neighbors, problems } = await readNeighbors(new MemorySnmp(row(4, 1, 'a')), FACTS);
    expect(neighbors).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('interface 4 is no port of the switch')]);
  });

  it('turns to LLDP-V2-MIB, whose numbers are ifIndexes, when LLDP-MIB has nothing', async () => {
    const session = new MemorySnmp([
      octets('1.3.111.2.802.1.1.13.1.4.1.1.6.0.2.1.1', 'x'),
      octets('1.3.111.2.802.1.1.13.1.4.1.1.8.0.2.1.1', 'eth0'),
    ]);
    const { neighbors } = await readNeighbors(session, { ...FACTS, bridgePorts: new Map([[2, 3]]) });
    expect(neighbors.map((n) => [n.port, n.chassisId.value])).toEqual([['swp2', 'x']]);
  });

  it("turns to TP-Link's table when both have nothing", async () => {
    const session = new MemorySnmp([
      octets('1.3.6.1.4.1.11863.6.35.1.2.2.1.4.3.1', 'x'),
      integer('1.3.6.1.4.1.11863.6.35.1.2.2.1.7.3.1', 120),
    ]);
    const { neighbors } = await readNeighbors(session, FACTS);
    expect(neighbors.map((n) => [n.port, n.ttlSeconds])).toEqual([['swp3', 120]]);
  });

  it('has none and no problem on a switch without LLDP', async () => {
    expect(await readNeighbors(new MemorySnmp([]), FACTS)).toEqual({ neighbors: [], problems: [] });
  });

  it('keeps at most 64 neighbours of a port', async () => {
    const session = new MemorySnmp(Array.from({ length: 200 }, (_, i) => row(1, i + 1, `c${i}`)).flat());
    const { neighbors, problems } = await readNeighbors(session, FACTS);
    expect(neighbors).toHaveLength(64);
    expect(problems).toEqual(['swp1 has more LLDP neighbours than are kept']);
  });

  it('bounds its problems', async () => {
    const session = new MemorySnmp(Array.from({ length: 200 }, (_, i) => row(1000 + i, 1, 'x'.repeat(255))).flat());
    const { problems } = await readNeighbors(session, FACTS);
    expect(problems).toHaveLength(MAX_PROBLEMS);
    expect(problems.at(-1)).toBe('and 185 more problems with LLDP neighbours');
    for (const problem of problems) expect(problem.length).toBeLessThan(250);
  });
});
