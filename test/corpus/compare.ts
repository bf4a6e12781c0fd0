import type { Neighbor } from '../../drivers/model/neighbor.ts';
import type { PortState } from '../../drivers/model/port.ts';
import type { SnmpReading } from '../../drivers/snmp/read.ts';
import { compareMembers } from './compare-members.ts';
import type { Oracle, OracleLink, OraclePort } from './oracle.ts';

export const ASPECTS = ['ports', 'vlans', 'members', 'neighbors'] as const;
export type Aspect = (typeof ASPECTS)[number];

/** How much of one aspect agrees. Every row of the oracle counts: none is left out. */
export interface Agreement {
  readonly agree: number;
  readonly of: number;
  /** One text for each row that does not agree: the row's name, then what differs. */
  readonly differ: readonly string[];
  /** What the reading says and the oracle does not, where the oracle would have to. */
  readonly beyond: readonly string[];
}

export type Comparison = Readonly<Record<Aspect, Agreement>>;

/** A reading against what somebody else says of the same dump. */
export function compareWith(oracle: Oracle, reading: SnmpReading, neighbors: readonly Neighbor[]): Comparison {
  const byIndex = new Map(reading.ports.flatMap((p) => (p.ifIndex === null ? [] : [[p.ifIndex, p] as const])));
  const vlans = new Map(reading.vlans.map((v) => [v.id, v]));
  const listed = new Set(oracle.vlans?.map((v) => v.vlan_vlan));
  return {
    ports: agreement(oracle.ports ?? [], (row) => portDiffers(row, reading, byIndex)),
    vlans: {
      ...agreement(oracle.vlans ?? [], ({ vlan_vlan: id, vlan_name: name }) => {
        const vlan = vlans.get(id);
        if (vlan === undefined) return `VLAN ${id} is missing`;
        // Its word for a VLAN without a name; an octet that does not print is its dot.
        const same = (vlan.name === '' && name === `VLAN ${id}`) || plain(vlan.name) === plain(name);
        return same ? null : `VLAN ${id} is called "${vlan.name}", not "${name}"`;
      }),
      beyond:
        oracle.vlans === undefined ? [] : [...vlans.keys()].filter((id) => !listed.has(id)).map((id) => `VLAN ${id}`),
    },
    members: compareMembers(oracle, reading, byIndex),
    neighbors: agreement(
      (oracle.links ?? []).filter(({ protocol }) => protocol === 'lldp'),
      (link) => linkDiffers(link, reading.ports, neighbors),
    ),
  };
}

/** Counts the rows of which `differs` says nothing. */
export function agreement<T>(rows: readonly T[], differs: (row: T) => string | null): Agreement {
  const differ = rows.map(differs).filter((text) => text !== null);
  return { agree: rows.length - differ.length, of: rows.length, differ, beyond: [] };
}

const ETHERNET: ReadonlySet<string> = new Set(['ethernetCsmacd', 'gigabitEthernet', 'ieee8023adLag', 'fastEther']);

/** Every row is an interface that was read; one for a cable is a port, with the same state, speed, MTU and MAC address. */
function portDiffers(row: OraclePort, reading: SnmpReading, byIndex: ReadonlyMap<number, PortState>): string | null {
  const found = [...reading.interfaces.values()].find((i) =>
    row.ifIndex === undefined ? row.ifName === i.ifName || row.ifName === i.ifDescr : row.ifIndex === i.ifIndex,
  );
  const label = row.ifName ?? `interface ${row.ifIndex}`;
  if (found === undefined) return `${label} is not read`;
  const port = byIndex.get(found.ifIndex);
  if (port === undefined) return ETHERNET.has(row.ifType ?? '') ? `${label} is not listed as a port` : null;
  const mac = /^0*$/.test(row.ifPhysAddress ?? '') ? null : row.ifPhysAddress;
  const megabits = Math.floor((row.ifSpeed ?? 0) / 1_000_000);
  const wrong = [
    row.ifName !== null && ![port.name, ...port.aliases].includes(row.ifName) && `is called ${port.name}`,
    row.ifAdminStatus != null && port.adminState !== row.ifAdminStatus && `admin ${port.adminState}`,
    row.ifOperStatus != null && port.operState !== row.ifOperStatus && `oper ${port.operState}`,
    megabits > 0 && port.operState === 'up' && port.speedMbps !== megabits && `speed ${port.speedMbps}`,
    row.ifMtu != null && row.ifMtu > 0 && port.mtu !== row.ifMtu && `MTU ${port.mtu}`,
    mac !== null && mac !== undefined && port.macAddress?.replaceAll(':', '') !== mac && `MAC ${port.macAddress}`,
  ].filter((text) => text !== false);
  return wrong.length === 0 ? null : `${label}: ${wrong.join(', ')}`;
}

function plain(name: string): string {
  return name.replace(/[^!-~]|\./g, '');
}

/** The neighbour is there, on the same port of ours, and says the same of its own port. */
function linkDiffers(link: OracleLink, ports: readonly PortState[], neighbors: readonly Neighbor[]): string | null {
  const { ifName, remote_hostname: host } = link;
  const label = `${host} on ${ifName}`;
  const same = neighbors.filter((n) => n.systemName === host || n.systemDescription.startsWith(host.slice(0, 40)));
  if (same.length === 0) return `${label} is missing`;
  const names = new Map(ports.map((p) => [p.name, [p.name, ...p.aliases]]));
  const there = same.filter((n) => ifName == null || (names.get(n.port) ?? [n.port]).includes(ifName));
  if (there.length === 0) return `${label} is on ${same[0]?.port}`;
  const remote = squeezed(link.remote_port?.replace(/ \([0-9a-f]*\)$/, '') ?? '');
  // Of a neighbour that is called by a name of a port or a part, LibreNMS shows the chassis ID in place of the port's.
  const agrees = there.some((n) =>
    [n.portId.value, n.chassisId.value].some((id) => squeezed(id) === remote || withNul(id) === remote),
  );
  return remote === '' || agrees ? null : `${label} is at ${there[0]?.portId.value}, not ${link.remote_port}`;
}

/** The octets of a text with a NUL behind it, which LibreNMS shows in hexadecimal. */
function withNul(text: string): string {
  return `${Buffer.from(text).toString('hex')}00`;
}

/** Without what MAC addresses are written with, and in one case. */
function squeezed(text: string): string {
  return text.replace(/[\s:]/g, '').toLowerCase();
}
