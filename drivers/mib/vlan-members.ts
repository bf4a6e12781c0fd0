import type { VarBind } from '../snmp/session-types.ts';
import { octetsOf } from './decode.ts';
import type { BridgePorts, VlanRow } from './facts.ts';
import { type PortListForm, portListForm, readPortList } from './port-list.ts';
import { sharedInterfaces } from './vlan-layout.ts';
import type { TableRows } from './vlan-rows.ts';

/** Membership by the PortLists of one table. */
export interface Members {
  readonly rows: ReadonlyMap<number, Omit<VlanRow, 'name'>>;
  readonly form: PortListForm;
  /** Why nothing that the lists say is to be relied on; null: it is. */
  readonly doubt: string | null;
  /** ifIndexes of which the lists do not say enough, with the reason. */
  readonly doubtful: ReadonlyMap<number, string>;
}

/**
 * Lists of bridge ports to sets of ifIndexes. Agents set bits of ports that do not exist: they mean nothing; but lists that name only
 * such ports are written in a way that is not understood.
 */
export function readMembers(egress: TableRows, untagged: TableRows, bridge: BridgePorts, junos: boolean): Members {
  const values = [...egress.values(), ...untagged.values()];
  const lists = values.flatMap((value) => octetsOf(value) ?? []);
  const form = portListForm(lists, junos);
  const doubtful = new Map<number, string>();
  const allRead = lists.length === values.length;
  for (const ifIndex of beyond(lists, allRead, form, bridge))
    doubtful.set(ifIndex, 'the port lists end before its bridge port');
  const shared = sharedInterfaces(bridge);
  let named = 0;
  let existing = 0;
  const members = (id: number, value: VarBind | undefined): ReadonlySet<number> | null => {
    const list = octetsOf(value);
    const ports = list === null ? null : readPortList(list, form);
    if (ports === null) return null;
    const known = new Set(ports.filter((port) => bridge.has(port)));
    named += ports.length;
    existing += known.size;
    for (const [ifIndex, twins] of shared) {
      const inside = twins.filter((port) => known.has(port)).length;
      if (inside > 0 && inside < twins.length)
        doubtful.set(ifIndex, `bridge ports ${twins.join(' and ')} are one interface, but differ in VLAN ${id}`);
    }
    return new Set([...known].flatMap((port) => bridge.get(port) ?? []));
  };
  const rows = new Map<number, Omit<VlanRow, 'name'>>();
  let doubt: string | null =
    form === 'unreadable' ? 'the port lists are written in a way that is not understood' : null;
  for (const id of new Set([...egress.keys(), ...untagged.keys()])) {
    const row = { id, egress: members(id, egress.get(id)), untagged: members(id, untagged.get(id)) };
    rows.set(id, row);
    if (row.egress === null) doubt ??= `the members of VLAN ${id} are not told`;
    else if (row.untagged === null)
      for (const ifIndex of row.egress) doubtful.set(ifIndex, `it is not told who is untagged in VLAN ${id}`);
  }
  if (named > 0 && existing === 0) doubt ??= 'the port lists name only bridge ports that do not exist';
  return { rows, form, doubt, doubtful };
}

/**
 * ifIndexes of bridge ports beyond the end of lists that are not cut: an agent that leaves zero octets at the end of a list has lists
 * of a length of its own, and says nothing of the ports that do not fit. So may one of whose lists some cannot be read.
 */
function beyond(
  lists: readonly Uint8Array[],
  allRead: boolean,
  form: PortListForm,
  bridge: BridgePorts,
): readonly number[] {
  if (form !== 'bits' || (allRead && !lists.some((list) => list.length > 0 && list[list.length - 1] === 0))) return [];
  const end = 8 * Math.max(...lists.map((list) => list.length));
  return [...bridge].flatMap(([port, ifIndex]) => (port > end ? [ifIndex] : []));
}
