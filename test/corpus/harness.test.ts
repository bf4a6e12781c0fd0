import { describe, expect, it } from 'vitest';
import type { Neighbor } from '../../drivers/model/neighbor.ts';
import { readSwitch } from '../../drivers/snmp/read.ts';
import { MemorySnmp } from '../support/memory-snmp.ts';
import { switchValues } from '../support/snmp-switch.ts';
import { compareWith } from './compare.ts';
import { type CorpusException, EXCEPTIONS, reasons, unexplained } from './exceptions.ts';
import type { Oracle } from './oracle.ts';
import { ownDecode } from './own-decode.ts';
import { tholaOracle } from './thola.ts';

/** Ports 1 and 2 are access in VLAN 10, port 3 is a trunk of 10 and 20; VLANs 10 and 20 are called v10 and v20. */
const reading = await readSwitch(
  new MemorySnmp(
    switchValues({
      ports: 3,
      fixed: { 10: { egress: [1, 2, 3], untagged: [1, 2] }, 20: { egress: [3] } },
      pvid: { 1: 10, 2: 10, 3: 1 },
      frameTypes: { 1: 1, 2: 1, 3: 2 },
    }),
  ),
);
const neighbor: Neighbor = {
  port: 'swp3',
  chassisId: { subtype: 'mac', value: '02:00:00:00:00:09' },
  portId: { subtype: 'ifname', value: 'eth0' },
  systemName: 'host9',
  systemDescription: '',
  portDescription: '',
  capabilities: [],
  managementAddresses: [],
  ttlSeconds: null,
};
const port = (n: number, more = {}) => ({
  ifIndex: 100 + n,
  ifName: `swp${n}`,
  ifType: 'ethernetCsmacd',
  ifAdminStatus: 'up',
  ifOperStatus: 'up',
  ifSpeed: 10_000_000_000,
  ifMtu: 1500,
  ifPhysAddress: `02000000006${4 + n}`,
  ...more,
});
const member = (baseport: number, vlan: number, untagged = 0) => ({ baseport, vlan, untagged });
const right: Oracle = {
  ports: [1, 2, 3].map((n) => port(n)),
  vlans: [10, 20].map((id) => ({ vlan_vlan: id, vlan_name: `v${id}` })),
  ports_vlans: [member(1, 10, 1), member(2, 10, 1), member(3, 10), member(3, 20)],
  links: [
    { protocol: 'lldp', ifName: 'swp3', remote_hostname: 'host9', remote_port: 'eth0 (020000000009)' },
    { protocol: 'cdp', ifName: 'swp1', remote_hostname: 'host8' },
  ],
};
const compare = (oracle: Oracle) => compareWith({ ...right, ...oracle }, reading, [neighbor]);

describe('a reading that is right', () => {
  it('agrees in every row', () => {
    const { ports, vlans, members, neighbors } = compareWith(right, reading, [neighbor]);
    expect(ports).toEqual({ agree: 3, of: 3, differ: [], beyond: [] });
    expect(vlans).toEqual({ agree: 2, of: 2, differ: [], beyond: [] });
    expect(members).toEqual({ agree: 4, of: 4, differ: [], beyond: [] });
    expect(neighbors).toEqual({ agree: 1, of: 1, differ: [], beyond: [] });
  });
});

describe('what differs', () => {
  it.each([
    ['an interface that is not read', port(9), 'swp9 is not read'],
    ['another name', port(1, { ifName: 'swp7' }), 'swp7: is called swp1'],
    ['another admin state', port(1, { ifAdminStatus: 'down' }), 'swp1: admin up'],
    ['another link', port(1, { ifOperStatus: 'down' }), 'swp1: oper up'],
    ['another speed', port(1, { ifSpeed: 1_000_000_000 }), 'swp1: speed 10000'],
    ['another MTU', port(1, { ifMtu: 9000 }), 'swp1: MTU 1500'],
    ['another MAC address', port(1, { ifPhysAddress: '02000000ffff' }), 'swp1: MAC 02:00:00:00:00:65'],
  ])('is found in ports: %s', (_, row, text) => {
    expect(compare({ ports: [row] }).ports).toEqual({ agree: 0, of: 1, differ: [text], beyond: [] });
  });

  it('is found in VLANs, both ways', () => {
    const { vlans } = compare({
      vlans: [
        { vlan_vlan: 10, vlan_name: 'x' },
        { vlan_vlan: 30, vlan_name: 'v30' },
      ],
    });
    expect(vlans.differ).toEqual(['VLAN 10 is called "v10", not "x"', 'VLAN 30 is missing']);
    expect(vlans.beyond).toEqual(['VLAN 20']);
  });

  it('is found in members: missing, tagged in place of untagged, more than listed, of no port', () => {
    const { members } = compare({ ports_vlans: [member(1, 20), member(2, 10), member(3, 20), member(7, 10)] });
    expect(members.agree).toBe(1);
    expect(members.differ).toEqual(['swp1 20t: access ', 'swp2 10t: access ', 'bridge port 7 10t: no such port']);
    expect(members.beyond).toEqual(['swp1 10u', 'swp2 10u', 'swp3 10t']);
  });

  it('is found in members without a port by their number', () => {
    const loose = [member(0, 10, 1), member(0, 10, 1), member(0, 20)];
    expect(compare({ ports_vlans: loose }).members.differ).toEqual([]);
    const { members } = compare({ ports_vlans: [...loose, member(0, 20), member(0, 99, 1)] });
    expect(members.agree).toBe(3);
    expect(members.differ).toEqual([
      'a port 20t: no port is left that carries it',
      'a port 99u: no port is left that carries it',
    ]);
    const taken = compare({ ports_vlans: [member(1, 10, 1), member(2, 10, 1), member(0, 10, 1)] }).members;
    expect(taken.differ).toHaveLength(1);
  });

  it('is found in neighbours: missing, on another port, at another port of theirs', () => {
    const link = { protocol: 'lldp', ifName: 'swp3', remote_hostname: 'host9', remote_port: 'eth0 ()' };
    const differ = (more: object) => compare({ links: [{ ...link, ...more }] }).neighbors.differ;
    expect(differ({})).toEqual([]);
    expect(differ({ remote_hostname: 'host1' })).toEqual(['host1 on swp3 is missing']);
    expect(differ({ ifName: 'swp1' })).toEqual(['host9 on swp1 is on swp3']);
    expect(differ({ remote_port: 'eth1 ()' })).toEqual(['host9 on swp3 is at eth0, not eth1 ()']);
  });
});

describe('exceptions', () => {
  const rule = (rows: RegExp, count: number, kind: CorpusException['kind'] = 'differ'): CorpusException => ({
    device: 'a',
    aspect: 'vlans',
    kind,
    rows,
    count,
    why: 'for a reason',
  });
  const comparison = compare({ vlans: [{ vlan_vlan: 30, vlan_name: 'v30' }] });

  it('must name every row that disagrees', () => {
    expect(unexplained('a', comparison, [])).toEqual([
      'vlans, differ: VLAN 30 is missing',
      'vlans, beyond: VLAN 10',
      'vlans, beyond: VLAN 20',
    ]);
    const rules = [rule(/^VLAN 30 /, 1), rule(/^VLAN [12]0$/, 2, 'beyond')];
    expect(unexplained('a', comparison, rules)).toEqual([]);
    expect(unexplained('b', comparison, rules)).toHaveLength(3);
    expect(reasons('a', rules)).toEqual(['for a reason']);
  });

  it('fail when they are no longer needed, or for more rows than they say', () => {
    expect(unexplained('a', compareWith(right, reading, [neighbor]), [rule(/30/, 1)])).toEqual([
      'the exception for vlans "for a reason" is for 1 rows, but 0 are so',
    ]);
    expect(unexplained('a', comparison, [rule(/30/, 1), rule(/./, 1, 'beyond')])).toEqual([
      'the exception for vlans "for a reason" is for 1 rows, but 2 are so',
    ]);
  });

  it('each say why, and are for some rows', () => {
    expect(EXCEPTIONS.filter((e) => e.why.length < 20 || e.count < 1 || e.rows.global)).toEqual([]);
  });
});

describe('what dumps mean', () => {
  it('is decoded a second time: Q-BRIDGE-MIB', () => {
    const rows = [
      '1.3.6.1.2.1.2.2.1.3.7|2|6',
      '1.3.6.1.2.1.31.1.1.1.1.7|4|swp7',
      '1.3.6.1.2.1.17.7.1.4.3.1.1.10|4|ten',
      '1.3.6.1.2.1.17.7.1.4.3.1.2.10|4x|8001',
      '1.3.6.1.2.1.17.7.1.4.3.1.4.10|4x|80',
    ];
    const { ports, vlans, ports_vlans } = ownDecode(rows.join('\n'));
    expect(ports?.map((p) => [p.ifIndex, p.ifName, p.ifType])).toEqual([[7, 'swp7', 'ethernetCsmacd']]);
    expect(vlans).toEqual([{ vlan_vlan: 10, vlan_name: 'ten' }]);
    expect(ports_vlans).toEqual([member(1, 10, 1), member(16, 10)]);
  });

  it('is decoded a second time: Cisco', () => {
    const trunk = '1.3.6.1.4.1.9.9.46.1.6.1.1';
    const rows = [
      '1.3.6.1.4.1.9.9.46.1.3.1.1.3.1.5|2|1',
      '1.3.6.1.4.1.9.9.46.1.3.1.1.4.1.5|4|five',
      `${trunk}.13.1|2|2`,
      `${trunk}.13.2|2|1`,
      `${trunk}.13.3|2|4`,
      `${trunk}.4.2|4x|44`,
      `${trunk}.17.2|4x|80`,
      `${trunk}.5.2|2|5`,
      '1.3.6.1.4.1.9.9.68.1.2.2.1.2.1|2|5',
    ];
    const { vlans, ports_vlans } = ownDecode(rows.join('\n'));
    expect(vlans).toEqual([{ vlan_vlan: 5, vlan_name: 'five' }]);
    expect(ports_vlans?.map((m) => [m.ifIndex, m.vlan, m.untagged])).toEqual([
      [1, 5, 1],
      [2, 1, 0],
      [2, 5, 1],
      [2, 1024, 0],
    ]);
  });

  it('is taken from the metrics of Thola', () => {
    const row = (metric: string, value: number) => ({ metric, label: 'GE1/0', value });
    const data = [row('interface_admin_status', 1), row('interface_oper_status', 2), row('interface_maxspeed_in', 1e9)];
    expect(tholaOracle({ checkInterfaceMetrics: { performance_data: data } }).ports).toEqual([
      { ifName: 'GE1/0', ifAdminStatus: 'up', ifOperStatus: 'down', ifSpeed: 1e9 },
    ]);
  });
});
