import { describe, expect, it } from 'vitest';
import { readLldp } from '../../../drivers/mib/lldp.ts';
import { readLldpV2 } from '../../../drivers/mib/lldp-v2.ts';
import { readTplinkLldp } from '../../../drivers/mib/tplink-lldp.ts';
import type { VarBind, WalkResult } from '../../../drivers/snmp/session-types.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { integer, octets } from '../../support/snmp-values.ts';

const REM = '1.0.8802.1.1.2.1.4.1.1';
const MAN = '1.0.8802.1.1.2.1.4.2.1.3';
const LOC = '1.0.8802.1.1.2.1.3.7.1';

/** A row of lldpRemTable; `entry` and `shift` for the other edition of the MIB. */
function neighbor(index: string, mac: number, portId: string, name = `host-${mac}`, entry = REM, shift = 0): VarBind[] {
  const oid = (column: number) => `${entry}.${column + shift}.${index}`;
  return [
    integer(oid(4), 4),
    octets(oid(5), [0, 0x1b, 0x21, 0, 0, mac]),
    integer(oid(6), 5),
    octets(oid(7), portId),
    octets(oid(8), `port ${portId}`),
    octets(oid(9), name),
    octets(oid(10), 'Linux'),
    octets(oid(11), [0x28, 0]),
    octets(oid(12), [0x20, 0]),
  ];
}

describe('LLDP-MIB', () => {
  it('reads neighbours, their addresses and the local ports', async () => {
    const session = new MemorySnmp([
      ...neighbor('370.5.1', 1, 'eno1'),
      integer(`${MAN}.370.5.1.1.4.10.0.100.20`, 2),
      integer(`${MAN}.370.5.1.2.16.254.128.0.0.0.0.0.0.0.0.0.0.0.0.0.1`, 2),
      integer(`${LOC}.2.5`, 5),
      octets(`${LOC}.3.5`, 'Ethernet5'),
      octets(`${LOC}.4.5`, 'to host 1'),
    ]);
    const { remotes, localPorts, problems } = await readLldp(session);
    expect(problems).toEqual([]);
    expect(remotes).toEqual([
      {
        localPort: 5,
        chassisId: { subtype: 'mac', value: '00:1b:21:00:00:01' },
        portId: { subtype: 'ifname', value: 'eno1' },
        systemName: 'host-1',
        systemDescription: 'Linux',
        portDescription: 'port eno1',
        capabilities: ['bridge'],
        managementAddresses: ['10.0.100.20', 'fe80::1'],
        ttlSeconds: null,
      },
    ]);
    expect([...localPorts]).toEqual([[5, { id: { subtype: 'ifname', value: 'Ethernet5' }, description: 'to host 1' }]]);
  });

  it('asks for local ports only when there is a neighbour', async () => {
    const session = new MemorySnmp([octets(`${LOC}.3.5`, 'Ethernet5')]);
    expect(await readLldp(session)).toMatchObject({ remotes: [], problems: [] });
    expect(session.stats.requests).toBe(1);
  });

  it('keeps the newest time mark of the same neighbour', async () => {
    const session = new MemorySnmp([
      ...neighbor('900.5.1', 1, 'eno1', 'renamed'),
      ...neighbor('100.5.1', 1, 'eno1', 'old-name'),
      ...neighbor('1000.5.2', 2, 'eno2', 'other'),
    ]);
    const { remotes } = await readLldp(session);
    expect(remotes.map((r) => r.systemName).sort()).toEqual(['other', 'renamed']);
  });

  it('keeps several neighbours of a port that only the time mark tells apart, each with its own addresses', async () => {
    const session = new MemorySnmp([
      ...neighbor('100.5.1', 1, 'eno1'),
      ...neighbor('200.5.1', 2, 'eno1'),
      integer(`${MAN}.100.5.1.1.4.10.0.0.1`, 2),
      integer(`${MAN}.200.5.1.1.4.10.0.0.2`, 2),
    ]);
    const { remotes } = await readLldp(session);
    expect(remotes.map((r) => [r.localPort, r.systemName, r.managementAddresses])).toEqual([
      [5, 'host-1', ['10.0.0.1']],
      [5, 'host-2', ['10.0.0.2']],
    ]);
  });

  it('finds the addresses of a neighbour under another time mark', async () => {
    const session = new MemorySnmp([...neighbor('100.5.1', 1, 'eno1'), integer(`${MAN}.90.5.1.1.4.10.0.0.1`, 2)]);
    expect((await readLldp(session)).remotes[0]?.managementAddresses).toEqual(['10.0.0.1']);
  });

  it('drops a neighbour that is listed twice, but not two ports of one host', async () => {
    const session = new MemorySnmp([
      ...neighbor('0.5.1', 1, 'eno1'),
      ...neighbor('0.5.7', 1, 'eno1'),
      ...neighbor('0.5.8', 1, 'vmnic0'),
    ]);
    expect((await readLldp(session)).remotes.map((r) => r.portId.value)).toEqual(['eno1', 'vmnic0']);
  });

  it('leaves out rows whose index is none, and says so', async () => {
    const session = new MemorySnmp([
      ...neighbor('18.1', 1, 'a'),
      ...neighbor('0.5.1.9', 2, 'b'),
      ...neighbor('0.6.1', 3, 'c'),
    ]);
    const { remotes, problems } = await readLldp(session);
    expect(remotes.map((r) => r.portId.value)).toEqual(['c']);
    expect(problems).toEqual([expect.stringMatching(/^2 LLDP neighbours were left out/)]);
  });

  it('says that a column was not whole', async () => {
    class Cut extends MemorySnmp {
      override async walk(columns: readonly string[]): Promise<WalkResult> {
        return { ...(await super.walk(columns)), incomplete: new Map([[`${REM}.9`, 'the agent went in circles']]) };
      }
    }
    const { problems, remotes } = await readLldp(new Cut(neighbor('0.5.1', 1, 'eno1')));
    expect(remotes).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining('the agent went in circles')]);
  });

  it('makes one line of a description of several', async () => {
    const session = new MemorySnmp([
      octets(`${REM}.5.0.5.1`, 'c'),
      octets(`${REM}.10.0.5.1`, 'Cisco IOS Software\r\nTechnical Support:\thttp\n\0'),
    ]);
    expect((await readLldp(session)).remotes[0]?.systemDescription).toBe('Cisco IOS Software Technical Support: http');
  });

  it('says when local ports may be missing', async () => {
    class Cut extends MemorySnmp {
      override async walk(columns: readonly string[]): Promise<WalkResult> {
        const local = columns.some((column) => column.startsWith(LOC));
        return { ...(await super.walk(columns)), incomplete: new Map(local ? [[`${LOC}.3`, 'time limit']] : []) };
      }
    }
    const tables = await readLldp(new Cut([...neighbor('0.5.1', 1, 'eno1'), octets(`${LOC}.3.5`, 'Eth5')]));
    expect(tables).toMatchObject({ localPortsWhole: false, problems: [] });
    expect((await readLldp(new MemorySnmp(neighbor('0.5.1', 1, 'eno1')))).localPortsWhole).toBe(true);
  });

  it('bounds and cleans what hosts send', async () => {
    const evil = `\x1b]0;x\x07${'\u202e'}name\0`;
    const index = '0.5.1';
    const session = new MemorySnmp([
      integer(`${REM}.4.${index}`, 7),
      octets(`${REM}.5.${index}`, evil),
      integer(`${REM}.6.${index}`, 5),
      octets(`${REM}.7.${index}`, 'x'.repeat(255)),
      octets(`${REM}.9.${index}`, evil),
      octets(`${REM}.10.${index}`, 'd'.repeat(60_000)),
      octets(`${REM}.12.${index}`, [0xff, 0xff, 0xff]),
      ...Array.from({ length: 100 }, (_, i) => integer(`${MAN}.${index}.1.4.10.0.0.${i + 1}`, 2)),
    ]);
    const [remote] = (await readLldp(session)).remotes;
    expect(remote?.systemName).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(remote?.chassisId.value).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(remote?.systemDescription.length).toBeLessThanOrEqual(255);
    expect(remote?.managementAddresses).toHaveLength(16);
    expect(remote?.capabilities).toEqual([]);
  });

  it('keeps at most 4096 neighbours', async () => {
    const rows = Array.from({ length: 4200 }, (_, i) => octets(`${REM}.5.0.5.${i + 1}`, `c${i}`));
    const { remotes, problems } = await readLldp(new MemorySnmp(rows));
    expect(remotes).toHaveLength(4096);
    expect(problems).toEqual([expect.stringContaining('more than 4096')]);
  });
});

describe('capabilities', () => {
  it.each([
    [
      [0x28, 0x00],
      ['bridge', 'router'],
    ],
    [[0x28], ['bridge', 'router']],
    [
      [0x39, 0x00],
      ['bridge', 'router', 'station', 'wlan-ap'],
    ],
    [[0x80, 0x00], ['other']],
    [
      [0x00, 0x14],
      ['bridge', 'router'],
    ],
    [[0x00, 0x80], ['station']],
    [[], []],
  ])('%j are %j', async (bits, words) => {
    const session = new MemorySnmp([octets(`${REM}.5.0.5.1`, 'c'), octets(`${REM}.12.0.5.1`, bits)]);
    expect((await readLldp(session)).remotes[0]?.capabilities).toEqual(words);
  });
});

describe('LLDP-V2-MIB', () => {
  const V2 = '1.3.111.2.802.1.1.13.1.4.1.1';

  it('has its columns one further and the destination address in the index', async () => {
    const session = new MemorySnmp([
      ...neighbor('0.10009.1.6', 1, 'eno1', 'host-1', V2, 1),
      // The same neighbour heard on another destination address.
      ...neighbor('0.10009.2.6', 1, 'eno1', 'host-1', V2, 1),
      integer('1.3.111.2.802.1.1.13.1.4.2.1.3.0.10009.2.6.1.4.10.0.0.1', 2),
    ]);
    const { remotes } = await readLldpV2(session);
    expect(remotes).toMatchObject([
      {
        localPort: 10009,
        chassisId: { subtype: 'mac', value: '00:1b:21:00:00:01' },
        portId: { subtype: 'ifname', value: 'eno1' },
        systemName: 'host-1',
        capabilities: ['bridge'],
        managementAddresses: ['10.0.0.1'],
      },
    ]);
    expect((await readLldp(session)).remotes).toEqual([]);
  });
});

describe("TP-Link's table", () => {
  const ENTRY = '1.3.6.1.4.1.11863.6.35.1.2.2.1';
  const row = (column: number, value: string) => octets(`${ENTRY}.${column}.49170.1`, value);

  it('is read with its words for subtypes and capabilities', async () => {
    const session = new MemorySnmp([
      row(1, '1/0/18'),
      row(3, 'MAC address'),
      row(4, 'E8:28:C1:26:B9:C0'),
      row(5, 'Interface name'),
      row(6, 'gi1/0/6'),
      integer(`${ENTRY}.7.49170.1`, 120),
      row(8, 'uplink'),
      row(9, 'sw22'),
      row(10, '28-port switch'),
      row(12, 'Bridge Router '),
      row(13, '::169.254.2.131'),
    ]);
    expect((await readTplinkLldp(session)).remotes).toEqual([
      {
        localPort: 49170,
        chassisId: { subtype: 'mac', value: 'e8:28:c1:26:b9:c0' },
        portId: { subtype: 'ifname', value: 'gi1/0/6' },
        systemName: 'sw22',
        systemDescription: '28-port switch',
        portDescription: 'uplink',
        capabilities: ['bridge', 'router'],
        managementAddresses: ['169.254.2.131'],
        ttlSeconds: 120,
      },
    ]);
  });

  it('has no address where it says "::", and unknown words are unknown', async () => {
    const session = new MemorySnmp([row(3, 'hm'), row(4, 'x'), row(13, '::'), integer(`${ENTRY}.7.49170.1`, -5)]);
    expect((await readTplinkLldp(session)).remotes).toMatchObject([
      { chassisId: { subtype: 'unknown', value: 'x' }, managementAddresses: [], ttlSeconds: null },
    ]);
  });
});
