import { portsOf } from '../mib/port-list.ts';
import type { Membership } from './membership.ts';

/** What is known of a switch that forbids to write its VLAN tables. */
export interface WriteGuard {
  /** Why they are never written; null: they are. */
  readonly refusal: string | null;
  /** The bridge ports that exist. */
  readonly bridgePorts: ReadonlySet<number>;
}

/** IANA enterprise numbers of switches whose tables mean something else than Q-BRIDGE-MIB says: a write would hit another port or VLAN. */
const FOREIGN: ReadonlyMap<number, string> = new Map([
  [1991, 'the port lists of this switch are not bitmaps'],
  [2636, 'on Junos the VLAN tables may be numbered by an internal index in place of the VLAN ID'],
  [35098, 'on PicOS the VLAN tables are numbered by 10000 + VLAN ID'],
]);

/** Why the VLAN tables of this vendor's switches are only read; null: they may be written. */
export function refusalFor(enterprise: number | null): string | null {
  const why = enterprise === null ? undefined : FOREIGN.get(enterprise);
  return why === undefined ? null : `${why}: its VLANs are only read`;
}

/** Lists that name ports, but none that exists, are written in another way (some switches begin at the last bit); null: they are not. */
export function strangeLists({ vlans }: Membership, bridgePorts: ReadonlySet<number>): string | null {
  const named = [...vlans.values()].flatMap(({ egress, untagged }) => [...portsOf(egress), ...portsOf(untagged)]);
  if (named.length === 0 || named.some((port) => bridgePorts.has(port))) return null;
  return 'the port lists of this switch name only ports that do not exist: its VLANs are only read';
}
