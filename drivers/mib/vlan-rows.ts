import { isVlanId } from '../model/vlan-set.ts';
import type { Column, VarBind } from '../snmp/session-types.ts';
import { indexOf } from './decode.ts';

/** Values of one column by the VLAN ID. */
export type TableRows = ReadonlyMap<number, VarBind>;

/** The only component of a bridge that has no several (IEEE8021-TC-MIB, IEEE8021PbbComponentIdentifier). */
const COMPONENT = 1;

/** The last number of the index when what is before it is the first component or nothing. */
export function indexed(index: string, component: boolean): number | null {
  const parts = indexOf(index, component ? 2 : 1);
  if (parts === null || (component && parts[0] !== COMPONENT)) return null;
  return parts[component ? 1 : 0] ?? null;
}

/** Rows of a static table, which is indexed by the VLAN ID. */
export function staticRows(column: Column, component: boolean): TableRows {
  const rows = new Map<number, VarBind>();
  for (const [index, value] of column) {
    const id = indexed(index, component);
    if (isVlanId(id)) rows.set(id, value);
  }
  return rows;
}

/**
 * Rows of a current table, whose index begins with a time mark (RFC 4502, TimeFilter): a VLAN may stand in it under many marks, and
 * the newest is what is so now.
 */
export function currentRows(column: Column, component: boolean): TableRows {
  const newest = new Map<number, { readonly mark: number; readonly value: VarBind }>();
  for (const [index, value] of column) {
    const dot = index.indexOf('.');
    const [mark] = indexOf(index.slice(0, dot), 1) ?? [];
    const id = indexed(index.slice(dot + 1), component);
    if (dot < 0 || mark === undefined || !isVlanId(id)) continue;
    if (mark >= (newest.get(id)?.mark ?? 0)) newest.set(id, { mark, value });
  }
  return new Map([...newest].map(([id, { value }]) => [id, value]));
}
