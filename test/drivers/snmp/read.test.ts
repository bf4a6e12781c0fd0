import { describe, expect, it } from 'vitest';
import { OID } from '../../../drivers/mib/oids.ts';
import { type ReadOptions, readSwitch, type SnmpReading } from '../../../drivers/snmp/read.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { FlawedSnmp, interfaceValues, type SwitchSpec, switchValues } from '../../support/snmp-switch.ts';
import { integer, octets, ticks } from '../../support/snmp-values.ts';

const SPEC: SwitchSpec = {
  ports: 4,
  fixed: {
    1: { egress: [4], untagged: [4] },
    10: { egress: [1, 2, 3], untagged: [1, 2] },
    20: { egress: [2, 3] },
  },
  pvid: { 1: 10, 2: 10, 3: 1, 4: 1 },
  frameTypes: { 1: 1, 2: 1, 3: 2, 4: 1 },
  ingressFiltering: { 1: 1, 2: 1, 3: 1, 4: 1 },
};

async function read(more: readonly VarBind[] = [], flaws: Record<string, string> = {}, options: ReadOptions = {}) {
  const session = new FlawedSnmp([...switchValues(SPEC), ...more]);
  for (const [oid, why] of Object.entries(flaws)) session.flaws.set(oid, why);
  return { reading: await readSwitch(session, options), session };
}

const shown = ({ ports }: SnmpReading) =>
  ports.map(({ name, switchport: s }) => `${name} ${s.mode} ${s.nativeVlan} ${s.taggedVlans}/${s.extraUntaggedVlans}`);
const modes = ({ ports }: SnmpReading) => ports.map((p) => p.switchport.mode);

describe('a switch', () => {
  it('is read: ports, VLANs, and which table says it', async () => {
    const { reading, session } = await read();
    expect(shown(reading)).toEqual([
      'swp1 access 10 /',
      'swp2 trunk 10 20/',
      'swp3 trunk null 10,20/',
      'swp4 access 1 /',
    ]);
    expect(reading.vlans.map((v) => v.id)).toEqual([1, 10, 20]);
    expect(reading.vlanSource).toEqual({ source: 'dot1qVlanStaticTable', basis: 'configured' });
    expect([reading.problems, reading.unsaved]).toEqual([[], null]);
    expect(session.stats.requests).toBeLessThanOrEqual(6);
  });

  it('has for each port what the interface says', async () => {
    const { reading } = await read([
      octets(`${OID.ifAlias}.101`, 'server\u0007 1'),
      integer(`${OID.ifAdminStatus}.102`, 2),
      integer(`${OID.ifOperStatus}.102`, 7),
      integer(`${OID.ifMtu}.102`, 0),
      integer(`${OID.ifAdminStatus}.103`, 3),
      integer(`${OID.ifOperStatus}.103`, 99),
    ]);
    expect(reading.ports[0]).toMatchObject({
      ifIndex: 101,
      kind: 'physical',
      adminState: 'up',
      operState: 'up',
      speedMbps: 10_000,
      mtu: 1500,
      macAddress: '02:00:00:00:00:65',
      description: 'server\ufffd 1',
      lag: null,
    });
    expect(reading.ports[1]).toMatchObject({
      adminState: 'down',
      operState: 'lowerLayerDown',
      speedMbps: null,
      mtu: null,
    });
    expect(reading.ports[2]).toMatchObject({ adminState: 'down', operState: 'unknown' });
  });

  it('shows the VLANs of an aggregate at the aggregate, and its members as such', async () => {
    const { reading } = await read([
      ...interfaceValues(201, 'swp9'),
      ...interfaceValues(900, 'Po1', 161),
      integer(`${OID.dot3adAggPortSelectedAggID}.201`, 900),
      integer(`${OID.dot1dBasePortIfIndex}.5`, 900),
      { oid: `${OID.dot1qVlanStaticEgressPorts}.20`, type: 'OctetString', value: Uint8Array.of(0b0000_1000) },
      integer(`${OID.dot1qPvid}.5`, 0),
    ]);
    const of = (name: string) => reading.ports.find((p) => p.name === name);
    expect(of('Po1')).toMatchObject({ kind: 'lag', lag: null, switchport: { mode: 'trunk', nativeVlan: null } });
    expect(of('swp9')).toMatchObject({ kind: 'physical', lag: 'Po1', switchport: { mode: 'none' } });
  });

  it('has no VLANs that are told where it has no table of them', async () => {
    const session = new FlawedSnmp(switchValues({ ports: 2 }));
    const reading = await readSwitch(session);
    expect([modes(reading), reading.vlanSource]).toEqual([['other', 'other'], null]);
  });

  it('has lists that say nothing where no bridge port is told', async () => {
    const values = switchValues(SPEC).filter((v) => !v.oid.startsWith(`${OID.dot1dBasePortIfIndex}.`));
    const reading = await readSwitch(new FlawedSnmp(values));
    expect(new Set(modes(reading))).toEqual(new Set(['other']));
  });

  it('asks the MIB of its vendor, by sysObjectID', async () => {
    const facts = { source: 'private', basis: 'configured', vlans: new Map(), ports: new Map(), problems: [] } as const;
    const seen: unknown[] = [];
    const { reading } = await read(
      [],
      {},
      {
        private: [
          {
            enterprises: [99999],
            read: async (_, bridge, interfaces) => {
              seen.push(bridge.get(1), interfaces.get(101)?.ifName);
              const row = { pvid: null, taggedOnly: null, mode: 'routed', tagged: null } as const;
              return { ...facts, ports: new Map([[101, row]]) };
            },
          },
        ],
      },
    );
    expect(seen).toEqual([101, 'swp1']);
    expect(reading.ports[0]?.switchport.mode).toBe('routed');
    expect(reading.vlanSource?.source).toBe('private');
  });
});

describe('a table that is not whole', () => {
  it.each([OID.dot1qVlanStaticEgressPorts, OID.dot1qVlanStaticUntaggedPorts, OID.dot1qPvid])(
    'makes every port other: %s',
    async (oid) => {
      const { reading } = await read([], { [oid]: 'the agent went in circles' });
      expect(new Set(modes(reading))).toEqual(new Set(['other']));
      expect(reading.problems[0]).toContain('the agent went in circles');
      expect(reading.ports[0]?.switchport.detail).toContain('may lack rows');
    },
  );

  it('of bridge ports makes those ports other that are not in it', async () => {
    const { reading } = await read(interfaceValues(300, 'swp30'), { [OID.dot1dBasePortIfIndex]: 'timeout' });
    expect(modes(reading)).toEqual(['access', 'trunk', 'trunk', 'access', 'other']);
    const whole = await read(interfaceValues(300, 'swp30'));
    expect(modes(whole.reading)[4]).toBe('none');
  });

  it('of aggregates makes every port other that is no member', async () => {
    const { reading } = await read([], { [OID.dot3adAggPortSelectedAggID]: 'timeout' });
    expect(new Set(modes(reading))).toEqual(new Set(['other']));
  });

  it('of names leaves out the ports without one', async () => {
    const values = switchValues(SPEC).filter((v) => v.oid !== `${OID.ifName}.102`);
    const session = new FlawedSnmp(values);
    session.flaws.set(OID.ifName, 'timeout');
    const reading = await readSwitch(session);
    expect(reading.ports.map((p) => p.name)).toEqual(['swp1', 'swp3', 'swp4']);
    expect(reading.problems.some((p) => p.includes('interface 102'))).toBe(true);
  });

  it('of admin states makes the ports other that have none', async () => {
    const values = switchValues(SPEC).filter((v) => v.oid !== `${OID.ifAdminStatus}.101`);
    const reading = await readSwitch(new FlawedSnmp(values));
    expect(reading.ports[0]).toMatchObject({ adminState: 'up', switchport: { mode: 'other', nativeVlan: 10 } });
    expect(modes(reading).slice(1)).toEqual(['trunk', 'trunk', 'access']);
  });
});

describe('a switch that changes while it is read', () => {
  /** Interface 101 gets another name while the bridge ports are read, as often as `times`. */
  class Renumbering extends FlawedSnmp {
    times = 0;
    override async walk(columns: readonly string[]) {
      const result = await super.walk(columns);
      if (columns.includes(OID.dot1qPvid) && this.times > 0) {
        const now = 500 + this.times--;
        this.values.set(`${OID.ifTableLastChange}.0`, ticks(`${OID.ifTableLastChange}.0`, now));
        this.values.set(`${OID.ifName}.101`, octets(`${OID.ifName}.101`, `swp1-${now}`));
      }
      return result;
    }
  }

  it('is read once more', async () => {
    const session = new Renumbering(switchValues(SPEC));
    session.times = 1;
    expect((await readSwitch(session)).ports.some((p) => p.name === 'swp1-501')).toBe(true);
  });

  it('is not read when it does so again', async () => {
    const session = new Renumbering(switchValues(SPEC));
    session.times = 2;
    await expect(readSwitch(session)).rejects.toMatchObject({ kind: 'busy' });
  });
});
