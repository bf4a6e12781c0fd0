import { describe, expect, it } from 'vitest';
import { linkSpeed, readInterfaces } from '../../../drivers/mib/if-mib.ts';
import { OID } from '../../../drivers/mib/oids.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { FlawedSnmp, interfaceValues } from '../../support/snmp-switch.ts';
import { integer, octets } from '../../support/snmp-values.ts';

describe('ifTable and ifXTable', () => {
  it('make one row for each interface, ascending', async () => {
    const session = new MemorySnmp([...interfaceValues(20, 'swp2'), ...interfaceValues(3, 'swp1')]);
    const { rows, problems, namesIncomplete } = await readInterfaces(session);
    expect([...rows.keys()]).toEqual([3, 20]);
    expect(rows.get(3)).toEqual({
      ifIndex: 3,
      ifName: 'swp1',
      ifDescr: 'Interface swp1',
      ifAlias: '',
      ifType: 6,
      mtu: 1500,
      macAddress: '02:00:00:00:00:03',
      adminStatus: 1,
      operStatus: 1,
      speedMbps: 10_000,
    });
    expect([problems, namesIncomplete]).toEqual([[], false]);
    expect(session.stats.requests).toBe(1);
  });

  it('need neither ifIndex nor ifName nor any one column', async () => {
    const session = new MemorySnmp([octets(`${OID.ifDescr}.1`, 'Port 1'), integer(`${OID.ifOperStatus}.2`, 6)]);
    const { rows } = await readInterfaces(session);
    expect([...rows.values()].map((r) => [r.ifIndex, r.ifName, r.ifDescr, r.ifType, r.operStatus])).toEqual([
      [1, '', 'Port 1', null, null],
      [2, '', '', null, 6],
    ]);
  });

  it('have no rows for what is no ifIndex', async () => {
    const session = new MemorySnmp(['0', '4294967295', '1.2'].map((i) => octets(`${OID.ifName}.${i}`, 'x')));
    expect((await readInterfaces(session)).rows.size).toBe(0);
  });

  it('say which columns are not whole', async () => {
    const session = new FlawedSnmp(interfaceValues(1, 'swp1'));
    session.flaws.set(OID.ifName, 'the agent went in circles');
    const { problems, namesIncomplete } = await readInterfaces(session);
    expect(problems).toEqual(['ifName may lack rows: the agent went in circles']);
    expect(namesIncomplete).toBe(true);
  });
});

describe('the speed', () => {
  it.each([
    [10_000, 4_294_967_295, 10_000],
    [0, 1_000_000_000, 1000],
    [null, 100_000_000, 100],
    [null, 4_294_967_295, null],
    [0, 0, null],
    [null, null, null],
  ])('of ifHighSpeed %s and ifSpeed %s', (high, low, speed) => {
    expect(linkSpeed(high, low)).toBe(speed);
  });
});
