import { describe, expect, it } from 'vitest';
import { BootWitness } from '../../../drivers/snmp/boot-id.ts';
import { IdentityReader } from '../../../drivers/snmp/identity.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { integer, objectId, octets, ticks } from '../../support/snmp-values.ts';
import { TestClock } from '../../support/test-clock.ts';

const ENTRY = '1.3.6.1.2.1.47.1.1.1.1';

const SYSTEM = [
  octets('1.3.6.1.2.1.1.1.0', 'Arista Networks EOS version 4.20.5F running on an Arista Networks DCS-7150S-52-CL'),
  objectId('1.3.6.1.2.1.1.2.0', '1.3.6.1.4.1.30065.1.3011.7150.3282.52.2745'),
  ticks('1.3.6.1.2.1.1.3.0', 123_456),
  octets('1.3.6.1.2.1.1.5.0', 'tor1.example'),
];
const ENGINE = [
  octets('1.3.6.1.6.3.10.2.1.1.0', [0x80, 0, 0, 9, 3, 1, 2, 3, 4, 5, 6]),
  integer('1.3.6.1.6.3.10.2.1.2.0', 12),
];
const LLDP_CHASSIS = [
  integer('1.0.8802.1.1.2.1.3.1.0', 4),
  octets('1.0.8802.1.1.2.1.3.2.0', [0, 0x1c, 0x73, 0xb4, 0xfd, 0x69]),
];
const BRIDGE = octets('1.3.6.1.2.1.17.1.1.0', [0, 0x1c, 0x73, 0, 0, 1]);

function entity(index: number, kind: number, serial = '', model = '', version = '', maker = ''): VarBind[] {
  return [
    integer(`${ENTRY}.5.${index}`, kind),
    octets(`${ENTRY}.10.${index}`, version),
    octets(`${ENTRY}.11.${index}`, serial),
    octets(`${ENTRY}.12.${index}`, maker),
    octets(`${ENTRY}.13.${index}`, model),
  ];
}

function reader(values: readonly VarBind[]): IdentityReader {
  return new IdentityReader(new MemorySnmp(values), new BootWitness(new TestClock()));
}

describe('IdentityReader', () => {
  it('puts the identity together', async () => {
    const chassis = entity(1, 3, 'JPE16270001', 'DCS-7150S-52-CL', '4.20.5F');
    expect(await reader([...SYSTEM, ...ENGINE, ...LLDP_CHASSIS, BRIDGE, ...chassis]).read()).toEqual({
      vendor: 'Arista',
      model: 'DCS-7150S-52-CL',
      version: '4.20.5F',
      serial: 'JPE16270001',
      chassisId: '00:1c:73:b4:fd:69',
      systemName: 'tor1.example',
      bootId: 'engine/8000000903010203040506/12',
    });
  });

  it('does with the system group and the bridge address', async () => {
    expect(await reader([...SYSTEM, BRIDGE]).read()).toEqual({
      vendor: 'Arista',
      model: 'DCS-7150S-52-CL',
      version: '4.20.5F',
      serial: null,
      chassisId: '00:1c:73:00:00:01',
      systemName: 'tor1.example',
      bootId: expect.stringMatching(/^uptime\/[0-9]+$/),
    });
  });

  it.each([
    ['zeros', [0, 0, 0, 0, 0, 0]],
    ['a group address', [1, 0x1c, 0x73, 0, 0, 1]],
    ['no address', []],
  ])('takes %s for no chassis ID', async (_, address) => {
    const values = [integer('1.0.8802.1.1.2.1.3.1.0', 4), octets('1.0.8802.1.1.2.1.3.2.0', address)];
    expect((await reader([...SYSTEM, ...values]).read()).chassisId).toBeNull();
    expect((await reader([...SYSTEM, ...values, BRIDGE]).read()).chassisId).toBe('00:1c:73:00:00:01');
    expect((await reader([...SYSTEM, octets(BRIDGE.oid, address)]).read()).chassisId).toBeNull();
  });

  it('takes an address that is written out', async () => {
    const identity = await reader([...SYSTEM, octets(BRIDGE.oid, 'BC:CF:4F:3E:48:2F')]).read();
    expect(identity.chassisId).toBe('bc:cf:4f:3e:48:2f');
  });

  it('names a stack by the member with the lowest index, whatever the order of the rows', async () => {
    const stack = [
      ...entity(64, 11),
      ...entity(134217984, 3, 'FOC2', 'CBS350', '3.1'),
      ...entity(67109120, 3, 'FOC1', 'CBS350', '3.1'),
      ...entity(9, 3, 'N/A'),
      ...entity(500, 9, 'a module, no chassis'),
    ];
    expect((await reader([...SYSTEM, ...stack]).read()).serial).toBe('FOC1');
  });

  it('takes a stack row where there is no chassis', async () => {
    expect((await reader([...SYSTEM, ...entity(1, 11, 'S1')]).read()).serial).toBe('S1');
  });

  it.each(['', 'N/A', 'NA', 'none', 'Not Specified', '000000', 'xxxx', ' '])('takes "%s" for no serial', async (s) => {
    expect((await reader([...SYSTEM, ...entity(1, 3, s)]).read()).serial).toBeNull();
  });

  it('takes the maker from ENTITY-MIB when the enterprise number is unknown', async () => {
    const values = [
      octets('1.3.6.1.2.1.1.1.0', 'x'),
      objectId('1.3.6.1.2.1.1.2.0', '1.3.6.1.4.1.99999999.1'),
      ...entity(1, 3, '', '', '', 'ACME'),
    ];
    expect((await reader(values).read()).vendor).toBe('ACME');
  });

  it('reads a different serial when the box was swapped under the same session, and finds a chassis that moved', async () => {
    const session = new MemorySnmp([...SYSTEM, ...entity(1, 3, 'A1')]);
    const identity = new IdentityReader(session, new BootWitness(new TestClock()));
    expect((await identity.read()).serial).toBe('A1');
    session.values.set(`${ENTRY}.11.1`, octets(`${ENTRY}.11.1`, 'B2'));
    expect((await identity.read()).serial).toBe('B2');
    session.values.set(`${ENTRY}.5.1`, integer(`${ENTRY}.5.1`, 9));
    for (const value of entity(2, 3, 'C3')) session.values.set(value.oid, value);
    expect((await identity.read()).serial).toBe('C3');
  });

  it('looks for the chassis once', async () => {
    const session = new MemorySnmp([...SYSTEM, ...entity(1, 3, 'A1')]);
    const identity = new IdentityReader(session, new BootWitness(new TestClock()));
    await identity.read();
    const before = session.stats.requests;
    await identity.read();
    expect(session.stats.requests - before).toBe(3);
  });

  it('says what to do when the agent shows no system group', async () => {
    await expect(reader([...LLDP_CHASSIS]).read()).rejects.toMatchObject({
      kind: 'parse',
      message: expect.stringContaining('allow its user or community'),
    });
  });

  it('bounds and cleans all text', async () => {
    const evil = `\x1b[2J${'\u202e'}${'A1'.repeat(120)}\0\n`;
    const values = [
      octets('1.3.6.1.2.1.1.1.0', evil),
      octets('1.3.6.1.2.1.1.5.0', evil),
      ...entity(1, 3, evil, evil, evil, evil),
    ];
    const { systemName, ...identity } = await reader(values).read();
    expect(systemName.length).toBeLessThanOrEqual(255);
    for (const text of [systemName, ...Object.values(identity)]) expect(text ?? '').not.toMatch(/[\p{Cc}\p{Cf}]/u);
    for (const text of Object.values(identity)) expect(text?.length ?? 0).toBeLessThanOrEqual(64);
  });

  it('takes values of wrong types for none', async () => {
    const values = [
      integer('1.3.6.1.2.1.1.1.0', 5),
      octets('1.3.6.1.2.1.1.2.0', 'x'),
      ticks('1.3.6.1.2.1.1.3.0', 100),
      octets('1.3.6.1.6.3.10.2.1.1.0', [1]),
      integer('1.3.6.1.6.3.10.2.1.2.0', 0x7fff_ffff),
      octets(`${ENTRY}.5.1`, 'chassis'),
    ];
    expect(await reader(values).read()).toMatchObject({ serial: null, bootId: expect.stringMatching(/^uptime/) });
  });
});
