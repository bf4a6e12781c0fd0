import type { OperState } from '../model/port.ts';
import type { Column, SnmpSession } from '../snmp/session-types.ts';
import { indexOf, integerOf, macAddressOf, textOf, unsignedOf } from './decode.ts';
import type { InterfaceRow } from './facts.ts';
import { OID, objectName } from './oids.ts';

/** More than any switch has; an agent that shows more is not believed. */
const MAX_INTERFACES = 16_384;
const MAX_VALUES = 200_000;
const IF_INDEX_MAX = 0x7fff_ffff;
/** ifSpeed says this of any link that is too fast for it (RFC 2863). */
const SPEED_BEYOND = 0xffff_ffff;

const COLUMNS = [
  OID.ifDescr,
  OID.ifType,
  OID.ifMtu,
  OID.ifSpeed,
  OID.ifPhysAddress,
  OID.ifAdminStatus,
  OID.ifOperStatus,
  OID.ifName,
  OID.ifHighSpeed,
  OID.ifAlias,
] as const;

/** ifOperStatus 1 to 7 (RFC 2863). */
export const OPER_STATES: readonly OperState[] = [
  'up',
  'down',
  'testing',
  'unknown',
  'dormant',
  'notPresent',
  'lowerLayerDown',
];

export interface Interfaces {
  /** By ifIndex, ascending. */
  readonly rows: ReadonlyMap<number, InterfaceRow>;
  /** Why rows or values may be missing, as sentences. */
  readonly problems: readonly string[];
  /** ifName may lack rows: a port without one may have one. */
  readonly namesIncomplete: boolean;
}

/**
 * ifTable and ifXTable (RFC 2863). Rows are those that any column shows: agents leave out ifIndex, ifName or whole columns. Throws
 * what {@link SnmpSession.walk} throws.
 */
export async function readInterfaces(session: SnmpSession): Promise<Interfaces> {
  const { columns, incomplete } = await session.walk(COLUMNS, { maxRows: MAX_VALUES });
  const column = (oid: string): Column => columns.get(oid) ?? new Map();
  const indexes = new Set<number>();
  for (const oid of [OID.ifDescr, OID.ifName, OID.ifType, OID.ifAdminStatus, OID.ifOperStatus]) {
    for (const index of column(oid).keys()) {
      const [ifIndex = 0] = indexOf(index, 1) ?? [];
      if (ifIndex >= 1 && ifIndex <= IF_INDEX_MAX) indexes.add(ifIndex);
    }
  }
  const problems = [...incomplete].map(([oid, why]) => `${objectName(oid)} may lack rows: ${why}`);
  const sorted = [...indexes].sort((a, b) => a - b);
  if (sorted.length > MAX_INTERFACES) problems.push(`more than ${MAX_INTERFACES} interfaces; the rest is left out`);
  const rows = new Map<number, InterfaceRow>();
  for (const ifIndex of sorted.slice(0, MAX_INTERFACES)) {
    const value = (oid: string) => column(oid).get(String(ifIndex));
    rows.set(ifIndex, {
      ifIndex,
      ifName: textOf(value(OID.ifName)),
      ifDescr: textOf(value(OID.ifDescr)),
      ifAlias: textOf(value(OID.ifAlias)),
      ifType: unsignedOf(value(OID.ifType)),
      mtu: unsignedOf(value(OID.ifMtu)),
      macAddress: macAddressOf(value(OID.ifPhysAddress)),
      adminStatus: integerOf(value(OID.ifAdminStatus)),
      operStatus: integerOf(value(OID.ifOperStatus)),
      speedMbps: linkSpeed(integerOf(value(OID.ifHighSpeed)), integerOf(value(OID.ifSpeed))),
    });
  }
  return { rows, problems, namesIncomplete: incomplete.has(OID.ifName) };
}

/** Mbit/s from ifHighSpeed, or from ifSpeed where the agent has no ifXTable; null for what says nothing. */
export function linkSpeed(ifHighSpeed: number | null, ifSpeed: number | null): number | null {
  if (ifHighSpeed !== null && ifHighSpeed > 0) return ifHighSpeed;
  return ifSpeed !== null && ifSpeed > 0 && ifSpeed < SPEED_BEYOND ? Math.round(ifSpeed / 1_000_000) || null : null;
}
