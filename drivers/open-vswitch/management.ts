import { type KernelLink, neighborMac, parseRoute } from '../text/iproute.ts';
import type { Section } from '../text/shell.ts';
import { bridgePorts } from './parse.ts';
import type { Row, Tables } from './tables.ts';

/** The agent's own path to the switch, as far as it runs over the bridge. */
export interface ManagementPath {
  /** Interface on the bridge that the path goes over; null: it goes another way. */
  readonly device: string | null;
  /** MAC of the next hop, to be looked up in the bridge's forwarding table; null when not known. */
  readonly mac: string | null;
}

/** Follows the way back to the SSH client: route, VLAN devices on top of one another, the next hop's MAC. */
export function managementPath(
  sections: ReadonlyMap<string, Section>,
  links: ReadonlyMap<string, KernelLink>,
  tables: Tables,
  bridge: Row,
): ManagementPath {
  const route = parseRoute(sections.get('route')?.stdout ?? '');
  if (route === null) return { device: null, mac: null };
  const devices = new Set(
    bridgePorts(tables, bridge).flatMap(({ interfaces }) => interfaces.map((row) => row.text('name'))),
  );
  let device: string | null = route.device;
  for (let depth = 0; device !== null && !devices.has(device); depth++) {
    device = depth < 4 ? (links.get(device)?.parent ?? null) : null;
  }
  if (device === null || route.nextHop === null) return { device, mac: null };
  return { device, mac: neighborMac(sections.get('neigh')?.stdout ?? '', route.nextHop, route.device) };
}

/** Interfaces behind lines of `ovs-appctl fdb/show`, " port  VLAN  MAC  Age", where port is the OpenFlow number. */
export function fdbInterfaces(text: string, mac: string, tables: Tables, bridge: Row): string[] {
  const numbers = new Set<number>();
  for (const line of text.split('\n')) {
    const match = /^\s*([0-9]{1,5})\s+[0-9]{1,4}\s+([0-9a-f:]{17})\s/i.exec(line);
    if (match?.[2]?.toLowerCase() === mac) numbers.add(Number(match[1]));
  }
  return bridgePorts(tables, bridge)
    .flatMap(({ interfaces }) => interfaces)
    .filter((row) => numbers.has(row.integer('ofport') ?? -1))
    .map((row) => row.text('name') ?? '');
}
