import type { VarBind } from '../../drivers/snmp/session-types.ts';

/** Values as a session answers them, for {@link MemorySnmp}. */
export function octets(oid: string, value: string | readonly number[]): VarBind {
  return { oid, type: 'OctetString', value: typeof value === 'string' ? Buffer.from(value) : Uint8Array.from(value) };
}

export function integer(oid: string, value: number): VarBind {
  return { oid, type: 'Integer', value };
}

export function ticks(oid: string, value: number): VarBind {
  return { oid, type: 'TimeTicks', value };
}

export function objectId(oid: string, value: string): VarBind {
  return { oid, type: 'ObjectIdentifier', value };
}
