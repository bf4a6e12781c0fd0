import { isVlanId } from '../model/vlan-set.ts';
import type { Column, SnmpSession } from '../snmp/session-types.ts';
import { indexOf, integerOf, textOf } from './decode.ts';

/** A table of VLANs by an index of the switch's own, with name and 802.1Q tag in columns. */
interface Table {
  readonly name: string;
  readonly tag: string;
}

/** JUNIPER-L2ALD-MIB, jnxL2aldVlanTable: newer Junos (ELS). */
const L2ALD: Table = { name: '1.3.6.1.4.1.2636.3.48.1.3.1.1.2', tag: '1.3.6.1.4.1.2636.3.48.1.3.1.1.3' };
/** JUNIPER-VLAN-MIB, jnxExVlanTable: EX switches before it. */
const EX: Table = { name: '1.3.6.1.4.1.2636.3.40.1.5.1.5.1.2', tag: '1.3.6.1.4.1.2636.3.40.1.5.1.5.1.5' };

/** The VLANs by Juniper's own table, which tells their IDs whatever the standard tables are indexed by. */
export interface JunosVlans {
  /** VLAN ID to name. */
  readonly names: ReadonlyMap<number, string>;
  /** The switch's own numbers of its VLANs, with those that have no ID. */
  readonly indexes: ReadonlySet<number>;
  /** Rows may be missing. */
  readonly incomplete: boolean;
}

/** Reads the table that the switch has; null: neither. A VLAN without tag (0: "default" of older EX) has no ID to name. Throws what the session throws. */
export async function readJunosVlans(session: SnmpSession): Promise<JunosVlans | null> {
  const walked = await session.walk([L2ALD.name, L2ALD.tag, EX.name, EX.tag]);
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  const table = [L2ALD, EX].find(({ tag }) => column(tag).size > 0);
  if (table === undefined) return null;
  const names = new Map<number, string>();
  const indexes = new Set<number>();
  for (const [index, value] of column(table.tag)) {
    const own = indexOf(index, 1)?.[0];
    const id = integerOf(value);
    if (own === undefined) continue;
    indexes.add(own);
    if (isVlanId(id)) names.set(id, textOf(column(table.name).get(index)));
  }
  return { names, indexes, incomplete: walked.incomplete.has(table.tag) || walked.incomplete.has(table.name) };
}

/**
 * What the VLAN tables of the standards are indexed by: `id`, as they should; `own`, the switch's number (older Junos); null: not to
 * be told, as where both numberings have all of these indexes.
 */
export function junosNumbering(vlans: JunosVlans, indexes: Iterable<number>): 'id' | 'own' | null {
  if (vlans.incomplete) return null;
  const all = [...indexes];
  const byId = all.every((index) => vlans.names.has(index));
  const byOwn = all.every((index) => vlans.indexes.has(index));
  if (byId === byOwn) return null;
  return byId ? 'id' : 'own';
}
