import { VlanSet } from '../model/vlan-set.ts';

/**
 * What a step asks of the switch, as a line for people and a dry run. It says what the port shall be, not which bits are set: these
 * depend on the lists of all ports at the moment of writing, and stand in the transcript.
 */
export type SnmpCommand =
  | { readonly kind: 'admin'; readonly port: string; readonly up: boolean }
  | { readonly kind: 'alias'; readonly port: string; readonly text: string }
  | {
      readonly kind: 'vlans';
      readonly port: string;
      /** null: untagged frames are dropped. */
      readonly untagged: number | null;
      readonly tagged: VlanSet;
    }
  | { readonly kind: 'create'; readonly vlan: number; readonly name: string }
  | { readonly kind: 'destroy'; readonly vlan: number };

/** Printable ASCII; a quote is doubled. */
const TEXT = "'((?:[\\x20-\\x26\\x28-\\x7e]|'')*)'";
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const bare = (text: string) => text.replaceAll("''", "'");

/** May stand in a command. */
export function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

export function printCommand(command: SnmpCommand): string {
  switch (command.kind) {
    case 'admin':
      return `snmpset ${quoted(command.port)} ifAdminStatus ${command.up ? 'up' : 'down'}`;
    case 'alias':
      return `snmpset ${quoted(command.port)} ifAlias ${quoted(command.text)}`;
    case 'vlans':
      return `snmpset ${quoted(command.port)} dot1qVlanStatic untagged ${command.untagged ?? 'none'} tagged ${command.tagged.toString() || 'none'}`;
    case 'create':
      return `snmpset dot1qVlanStaticRowStatus.${command.vlan} createAndGo name ${quoted(command.name)}`;
    case 'destroy':
      return `snmpset dot1qVlanStaticRowStatus.${command.vlan} destroy`;
  }
}

const ADMIN = new RegExp(`^snmpset ${TEXT} ifAdminStatus (up|down)$`);
const ALIAS = new RegExp(`^snmpset ${TEXT} ifAlias ${TEXT}$`);
const VLANS = new RegExp(`^snmpset ${TEXT} dot1qVlanStatic untagged (none|[1-9]\\d{0,3}) tagged (none|[\\d,-]+)$`);
const CREATE = new RegExp(`^snmpset dot1qVlanStaticRowStatus\\.([1-9]\\d{0,3}) createAndGo name ${TEXT}$`);
const DESTROY = /^snmpset dot1qVlanStaticRowStatus\.([1-9]\d{0,3}) destroy$/;

/** Reads what {@link printCommand} prints; null for anything else. Throws VlanSyntaxError on a VLAN ID out of range. */
export function parseCommand(text: string): SnmpCommand | null {
  const admin = ADMIN.exec(text);
  if (admin) return { kind: 'admin', port: bare(admin[1] ?? ''), up: admin[2] === 'up' };
  const alias = ALIAS.exec(text);
  if (alias) return { kind: 'alias', port: bare(alias[1] ?? ''), text: bare(alias[2] ?? '') };
  const vlans = VLANS.exec(text);
  if (vlans) {
    const untagged = vlans[2] === 'none' ? null : (VlanSet.of(Number(vlans[2])).ids()[0] ?? null);
    return {
      kind: 'vlans',
      port: bare(vlans[1] ?? ''),
      untagged,
      tagged: VlanSet.parse(vlans[3] === 'none' ? '' : (vlans[3] ?? '')),
    };
  }
  const create = CREATE.exec(text);
  if (create) return { kind: 'create', vlan: Number(create[1]), name: bare(create[2] ?? '') };
  const destroy = DESTROY.exec(text);
  return destroy ? { kind: 'destroy', vlan: Number(destroy[1]) } : null;
}
