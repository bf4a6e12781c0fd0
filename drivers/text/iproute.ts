import { normalizeMac } from '../model/mac.ts';
import type { OperState } from '../model/port.ts';

/** One network device of a Linux kernel, from `ip -j link show`. */
export interface KernelLink {
  readonly name: string;
  readonly ifIndex: number;
  readonly macAddress: string | null;
  readonly mtu: number;
  readonly adminUp: boolean;
  readonly operState: OperState;
  /** The device below (of a VLAN or macvlan device; the peer of a veth), null when there is none in this namespace. */
  readonly parent: string | null;
}

const OPER: Readonly<Record<string, OperState>> = {
  UP: 'up',
  DOWN: 'down',
  TESTING: 'testing',
  UNKNOWN: 'unknown',
  DORMANT: 'dormant',
  NOTPRESENT: 'notPresent',
  LOWERLAYERDOWN: 'lowerLayerDown',
};

/** Reads `ip -j link show`. Devices that do not make sense are left out; null when it is no such output at all. */
export function parseLinks(text: string): ReadonlyMap<string, KernelLink> | null {
  const rows = jsonArray(text);
  if (rows === null) return null;
  const links = new Map<string, KernelLink>();
  for (const row of rows) {
    const { ifname, ifindex, mtu, flags, address, operstate, link } = row;
    if (typeof ifname !== 'string' || ifname === '' || ifname.length > 63) continue;
    if (!isCount(ifindex) || !isCount(mtu) || !Array.isArray(flags)) continue;
    links.set(ifname, {
      name: ifname,
      ifIndex: ifindex,
      macAddress: typeof address === 'string' ? normalizeMac(address) : null,
      mtu,
      adminUp: flags.includes('UP'),
      operState: (typeof operstate === 'string' ? OPER[operstate] : undefined) ?? 'unknown',
      parent: typeof link === 'string' ? link : null,
    });
  }
  return links;
}

/** Device and next hop of `ip -j route get ADDRESS`; null when there is none. */
export function parseRoute(text: string): { readonly device: string; readonly nextHop: string | null } | null {
  const row = jsonArray(text)?.[0];
  if (row === undefined || typeof row.dev !== 'string') return null;
  const hop = row.gateway ?? row.dst;
  return { device: row.dev, nextHop: typeof hop === 'string' ? hop : null };
}

/** MAC of one address on one device in `ip -j neigh show`; null when it is not there. */
export function neighborMac(text: string, address: string, device: string): string | null {
  const row = jsonArray(text)?.find((r) => r.dst === address && r.dev === device && typeof r.lladdr === 'string');
  return typeof row?.lladdr === 'string' ? normalizeMac(row.lladdr) : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function jsonArray(text: string): Record<string, unknown>[] | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return null;
    return value.filter((row): row is Record<string, unknown> => typeof row === 'object' && row !== null);
  } catch {
    return null;
  }
}
