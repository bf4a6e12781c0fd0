import type { Column, SnmpSession, WalkResult } from '../snmp/session-types.ts';
import { indexOf, integerOf } from './decode.ts';
import type { InterfaceRow } from './facts.ts';
import { OID, objectName } from './oids.ts';

export interface LagMembers {
  /** Member to aggregate, by ifIndex. */
  readonly members: ReadonlyMap<number, number>;
  /** Why members may be missing; null: all are there that the switch shows. */
  readonly incomplete: string | null;
}

/** IANAifType ieee8023adLag. */
const LAG_TYPE = 161;
/** propVirtual and propMultiplexor, which older switches say of an aggregate, too; its name must tell. */
const LOOSE_TYPES: ReadonlySet<number> = new Set([53, 54]);
const LAG_NAME =
  /^(?:port-?channel|po|trk|trunk|bond|lag|ae|bundle-ether|bridge-aggregation|eth-trunk|br-agg)[ _-]?\d/i;
/** ifOperStatus notPresent: many switches list aggregates that nobody made. */
const NOT_PRESENT = 6;
/** RowStatus active, and notInService: stacked, but one of both is down. */
const STACKED: ReadonlySet<number | null> = new Set([1, 2]);

/** True for an interface that is an aggregate by its type, or by its type and name. */
export function isAggregate({ ifType, ifName, ifDescr }: InterfaceRow): boolean {
  if (ifType === LAG_TYPE) return true;
  return ifType !== null && LOOSE_TYPES.has(ifType) && (LAG_NAME.test(ifName) || LAG_NAME.test(ifDescr));
}

/**
 * Which ports are members of which aggregate: by IEEE8023-LAG-MIB, and for aggregates that it does not name by ifStackStatus (RFC 2863: the
 * higher layer over the lower one). Throws what {@link SnmpSession.walk} throws.
 */
export async function readLagMembers(
  session: SnmpSession,
  interfaces: ReadonlyMap<number, InterfaceRow>,
): Promise<LagMembers> {
  // Selected says what is configured, also while the link is down; attached what is in use.
  const columns = [OID.dot3adAggPortSelectedAggID, OID.dot3adAggPortAttachedAggID];
  const walked = await session.walk(columns);
  const members = new Map<number, number>();
  for (const oid of columns) {
    for (const [index, value] of walked.columns.get(oid) ?? new Map()) {
      const [member] = indexOf(index, 1) ?? [];
      const aggregate = integerOf(value);
      if (member === undefined || aggregate === null || members.has(member)) continue;
      // Agents give a port that is in no aggregate its own number, or that of an aggregator that is no interface.
      if (aggregate > 0 && aggregate !== member && interfaces.has(aggregate)) members.set(member, aggregate);
    }
  }
  const reasons = columns.flatMap((oid) => reason(oid, walked.incomplete));
  if (lacksMembers(walked, interfaces, members)) {
    const stack = await session.walk([OID.ifStackStatus]);
    addStacked(stack.columns.get(OID.ifStackStatus) ?? new Map(), interfaces, members);
    reasons.push(...reason(OID.ifStackStatus, stack.incomplete));
  }
  return { members, incomplete: reasons[0] ?? null };
}

/** An aggregate that exists and has no members by the LAG MIB: the stack of interfaces, a long table, is worth reading. */
function lacksMembers(
  walked: WalkResult,
  interfaces: ReadonlyMap<number, InterfaceRow>,
  members: ReadonlyMap<number, number>,
): boolean {
  const silent = [...walked.columns.values()].every((column) => column.size === 0);
  const known = new Set(members.values());
  return [...interfaces.values()].some(
    (row) => isAggregate(row) && !known.has(row.ifIndex) && (silent || row.operStatus !== NOT_PRESENT),
  );
}

function reason(oid: string, incomplete: ReadonlyMap<string, string>): readonly string[] {
  const why = incomplete.get(oid);
  return why === undefined ? [] : [`${objectName(oid)} may lack rows: ${why}`];
}

function addStacked(stack: Column, interfaces: ReadonlyMap<number, InterfaceRow>, members: Map<number, number>): void {
  for (const [index, value] of stack) {
    const [higher = 0, lower = 0] = indexOf(index, 2) ?? [];
    const aggregate = interfaces.get(higher);
    if (aggregate === undefined || !isAggregate(aggregate) || higher === lower) continue;
    if (STACKED.has(integerOf(value)) && interfaces.has(lower) && !members.has(lower)) members.set(lower, higher);
  }
}
