import type { VarBind } from '../snmp/session-types.ts';
import { octetsOf, textOf } from './decode.ts';

/** Like {@link textOf}, for descriptions that are often written over several lines: they become one. */
export function lineOf(value: VarBind | undefined): string {
  const octets = octetsOf(value);
  if (value === undefined || octets === null) return '';
  const flat = octets.map((octet) => (octet === 0x09 || octet === 0x0a || octet === 0x0d ? 0x20 : octet));
  return textOf({ ...value, value: flat }).replace(/ {2,}/g, ' ');
}
