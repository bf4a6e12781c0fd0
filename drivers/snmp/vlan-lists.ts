import type { VlanFacts } from '../mib/facts.ts';
import { isVlanId, VlanSet } from '../model/vlan-set.ts';

/** VLANs of one port by the member lists of the VLANs. */
export interface Lists {
  readonly tagged: VlanSet;
  readonly untagged: VlanSet;
  /** Untagged by one list, but no member by the other. */
  readonly stray: VlanSet;
}

export const NO_LISTS: Lists = { tagged: VlanSet.EMPTY, untagged: VlanSet.EMPTY, stray: VlanSet.EMPTY };

export function isEmpty({ tagged, untagged, stray }: Lists): boolean {
  return tagged.isEmpty && untagged.isEmpty && stray.isEmpty;
}

/** The set of those that are VLAN IDs. */
export function setOf(ids: readonly number[]): VlanSet {
  return VlanSet.of(...ids.filter(isVlanId));
}

/** Member lists by VLAN to VLANs by member (ifIndex). Whose being untagged is not told counts as tagged. */
export function listsByPort(facts: VlanFacts): ReadonlyMap<number, Lists> {
  const ids = new Map<number, { readonly tagged: number[]; readonly untagged: number[]; readonly stray: number[] }>();
  const of = (port: number) => {
    const known = ids.get(port);
    if (known) return known;
    const empty = { tagged: [], untagged: [], stray: [] };
    ids.set(port, empty);
    return empty;
  };
  for (const { id, egress, untagged } of facts.vlans.values()) {
    for (const port of egress ?? []) (untagged?.has(port) ? of(port).untagged : of(port).tagged).push(id);
    for (const port of untagged ?? []) if (egress !== null && !egress.has(port)) of(port).stray.push(id);
  }
  return new Map(
    [...ids].map(([port, lists]) => [
      port,
      {
        tagged: setOf(lists.tagged),
        untagged: setOf(lists.untagged),
        stray: setOf(lists.stray),
      },
    ]),
  );
}
