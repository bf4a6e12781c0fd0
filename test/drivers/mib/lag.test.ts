import { describe, expect, it } from 'vitest';
import { readInterfaces } from '../../../drivers/mib/if-mib.ts';
import { isAggregate, readLagMembers } from '../../../drivers/mib/lag.ts';
import { OID } from '../../../drivers/mib/oids.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { FlawedSnmp, interfaceValues } from '../../support/snmp-switch.ts';
import { integer } from '../../support/snmp-values.ts';

const INTERFACES = [
  ...interfaceValues(1, 'swp1'),
  ...interfaceValues(2, 'swp2'),
  ...interfaceValues(3, 'swp3'),
  ...interfaceValues(1000, 'Po1', 161),
  ...interfaceValues(1001, 'Po2', 161),
];
const selected = (member: number, aggregate: number) =>
  integer(`${OID.dot3adAggPortSelectedAggID}.${member}`, aggregate);
const attached = (member: number, aggregate: number) =>
  integer(`${OID.dot3adAggPortAttachedAggID}.${member}`, aggregate);
const stacked = (higher: number, lower: number, status = 1) =>
  integer(`${OID.ifStackStatus}.${higher}.${lower}`, status);

async function read(values: readonly VarBind[], flaws: Record<string, string> = {}) {
  const session = new FlawedSnmp([...INTERFACES, ...values]);
  for (const [oid, why] of Object.entries(flaws)) session.flaws.set(oid, why);
  const { rows } = await readInterfaces(session);
  return readLagMembers(session, rows);
}

describe('members of aggregates', () => {
  it('are those that are selected, attached or not', async () => {
    const { members, incomplete } = await read([selected(1, 1000), attached(1, 0), attached(2, 1001), selected(3, 0)]);
    expect([...members]).toEqual([
      [1, 1000],
      [2, 1001],
    ]);
    expect(incomplete).toBeNull();
  });

  it('are not ports that are an aggregate of their own, or of one that is no interface', async () => {
    expect((await read([selected(1, 1), selected(2, 5000), selected(3, -1)])).members.size).toBe(0);
  });

  it('come from the stack of interfaces where the LAG MIB says nothing', async () => {
    const { members } = await read([
      stacked(1000, 1),
      stacked(1000, 2, 2),
      stacked(0, 1000),
      stacked(1000, 0),
      stacked(1, 3),
      stacked(1001, 3, 6),
    ]);
    expect([...members]).toEqual([
      [1, 1000],
      [2, 1000],
    ]);
  });

  it('come from the stack also for an aggregate that the LAG MIB leaves out', async () => {
    const { members } = await read([selected(1, 1000), stacked(1001, 2), stacked(1001, 1)]);
    expect([...members]).toEqual([
      [1, 1000],
      [2, 1001],
    ]);
  });

  it.each([OID.dot3adAggPortSelectedAggID, OID.dot3adAggPortAttachedAggID, OID.ifStackStatus])(
    'may be missing when %s is not whole',
    async (oid) => {
      expect((await read([selected(1, 1000)], { [oid]: 'timeout' })).incomplete).toContain('may lack rows: timeout');
    },
  );

  it('need no stack when nothing is an aggregate', async () => {
    const session = new FlawedSnmp(interfaceValues(1, 'swp1'));
    session.flaws.set(OID.ifStackStatus, 'timeout');
    const { rows } = await readInterfaces(session);
    expect(await readLagMembers(session, rows)).toEqual({ members: new Map(), incomplete: null });
  });
});

describe('an aggregate', () => {
  it.each([
    [161, 'anything', true],
    [53, 'Po1', true],
    [54, 'Trk2', true],
    [53, 'Port-channel12', true],
    [53, 'Vlan10', false],
    [6, 'Po1', false],
    [null, 'Po1', false],
  ])('of ifType %s called %s', (ifType, ifName, is) => {
    const row = { ifIndex: 1, ifName, ifDescr: '', ifAlias: '', ifType, mtu: null, macAddress: null };
    expect(isAggregate({ ...row, adminStatus: 1, operStatus: 1, speedMbps: null })).toBe(is);
  });
});
