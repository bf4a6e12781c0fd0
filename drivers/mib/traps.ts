import { sanitizeText } from '../model/text.ts';
import type { VarBind } from '../snmp/session-types.ts';

/** What a notification is about. `other`: something that says nothing of a link. */
export type TrapKind = 'linkUp' | 'linkDown' | 'coldStart' | 'warmStart' | 'lldpRemTablesChange' | 'other';

/** A notification of a switch: a hint that something is worth reading, never a fact. */
export interface Trap {
  readonly kind: TrapKind;
  /** Object identifier of the notification, at most 128 characters; shown in the log only. */
  readonly oid: string;
  /** The interface of linkUp and linkDown, 1 to 2^31-1; null when it was not told. */
  readonly ifIndex: number | null;
}

/** snmpTrapOID.0 (SNMPv2-MIB, RFC 3418). */
const SNMP_TRAP_OID = '1.3.6.1.6.3.1.1.4.1.0';
/** Standard notifications of SNMPv2-MIB and IF-MIB (RFC 3418, RFC 2863), and LLDP-MIB's. */
const KINDS: Readonly<Record<string, TrapKind>> = {
  '1.3.6.1.6.3.1.1.5.1': 'coldStart',
  '1.3.6.1.6.3.1.1.5.2': 'warmStart',
  '1.3.6.1.6.3.1.1.5.3': 'linkDown',
  '1.3.6.1.6.3.1.1.5.4': 'linkUp',
  '1.0.8802.1.1.2.0.0.1': 'lldpRemTablesChange',
};
/** ifIndex, ifAdminStatus, ifOperStatus: the objects of linkUp and linkDown. Cisco sends ifDescr instead of the last two. */
const OF_INTERFACE = /^1\.3\.6\.1\.2\.1\.2\.2\.1\.(?:1|2|3|7|8)\.([0-9]{1,10})$/;

/** Reads the variable bindings of an SNMPv2 trap or inform (RFC 3416, section 4.2.6). Total: what it cannot read is `other`. */
export function readTrap(varbinds: readonly Pick<VarBind, 'oid' | 'value'>[]): Trap {
  const named = varbinds.find((v) => v.oid === SNMP_TRAP_OID)?.value;
  return trapOf(typeof named === 'string' ? named : '', varbinds);
}

/** The same for an SNMPv1 trap: generic-trap 0 to 5 are the standard ones in order (RFC 3584, section 3.1). */
export function readTrapV1(
  generic: number,
  enterprise: string,
  varbinds: readonly Pick<VarBind, 'oid' | 'value'>[],
): Trap {
  const standard = Number.isInteger(generic) && generic >= 0 && generic < 6;
  return trapOf(standard ? `1.3.6.1.6.3.1.1.5.${generic + 1}` : enterprise, varbinds);
}

function trapOf(oid: string, varbinds: readonly Pick<VarBind, 'oid' | 'value'>[]): Trap {
  const kind = Object.hasOwn(KINDS, oid) ? (KINDS[oid] ?? 'other') : 'other';
  const link = kind === 'linkUp' || kind === 'linkDown';
  return { kind, oid: sanitizeText(oid, 128), ifIndex: link ? interfaceOf(varbinds) : null };
}

/** By the instance of an interface object, which all senders fill in, rather than by ifIndex's value. */
function interfaceOf(varbinds: readonly Pick<VarBind, 'oid' | 'value'>[]): number | null {
  const found = new Set(varbinds.flatMap(({ oid }) => OF_INTERFACE.exec(oid)?.[1] ?? []));
  if (found.size !== 1) return null;
  const index = Number([...found][0]);
  return index >= 1 && index <= 0x7fff_ffff ? index : null;
}
