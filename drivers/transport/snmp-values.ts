import * as snmp from 'net-snmp';
import { DriverError } from '../errors.ts';
import type { SetVarBind, SnmpException, SnmpType, VarBind } from '../snmp/session-types.ts';

const { ObjectType } = snmp;

const TYPES: ReadonlyMap<number, SnmpType | SnmpException> = new Map([
  [ObjectType.Integer, 'Integer'],
  [ObjectType.OctetString, 'OctetString'],
  [ObjectType.Null, 'Null'],
  [ObjectType.OID, 'ObjectIdentifier'],
  [ObjectType.IpAddress, 'IpAddress'],
  [ObjectType.Counter, 'Counter32'],
  [ObjectType.Gauge, 'Gauge32'],
  [ObjectType.TimeTicks, 'TimeTicks'],
  [ObjectType.Opaque, 'Opaque'],
  [ObjectType.Counter64, 'Counter64'],
  [ObjectType.NoSuchObject, 'noSuchObject'],
  [ObjectType.NoSuchInstance, 'noSuchInstance'],
  [ObjectType.EndOfMibView, 'endOfMibView'],
]);

/** A value as net-snmp brings it. Throws {@link DriverError} `parse` for what is none. */
export function toVarBind(native: unknown): VarBind {
  const { oid, type, value } = (native ?? {}) as { oid?: unknown; type?: unknown; value?: unknown };
  const known = typeof type === 'number' ? TYPES.get(type) : undefined;
  if (typeof oid !== 'string' || known === undefined) throw new DriverError('parse', 'an SNMP answer holds no values');
  return { oid, type: known, value: decodedValue(known, value) };
}

function decodedValue(type: SnmpType | SnmpException, value: unknown): VarBind['value'] {
  if (type === 'Counter64' && value instanceof Uint8Array)
    return value.length > 9 ? null : BigInt(`0x${Buffer.from(value).toString('hex') || '0'}`);
  if (type === 'OctetString' || type === 'Opaque') return value instanceof Uint8Array ? value : null;
  if (type === 'ObjectIdentifier' || type === 'IpAddress') return typeof value === 'string' ? value : null;
  return typeof value === 'number' ? value : null;
}

const SET_TYPES = {
  Integer: ObjectType.Integer,
  Gauge32: ObjectType.Gauge,
  OctetString: ObjectType.OctetString,
  ObjectIdentifier: ObjectType.OID,
  IpAddress: ObjectType.IpAddress,
} as const satisfies Record<SetVarBind['type'], number>;

/** Values to write as net-snmp takes them. */
export function fromVarBinds(values: readonly SetVarBind[]): { oid: string; type: number; value: unknown }[] {
  return values.map(({ oid, type, value }) => ({
    oid,
    type: SET_TYPES[type],
    value: value instanceof Uint8Array ? Buffer.from(value) : value,
  }));
}
