import type { Neighbor } from '../../drivers/model/neighbor.ts';
import type { PortState } from '../../drivers/model/port.ts';
import type { SnmpReading } from '../../drivers/snmp/read.ts';
import type { Oracle } from './corpus.ts';

/** How much of one aspect agrees, and the first things that do not. */
export interface Agreement {
  readonly agree: number;
  readonly of: number;
  readonly differ: readonly string[];
}

export interface Comparison {
  readonly ports: Agreement;
  readonly vlans: Agreement;
  readonly members: Agreement;
  readonly neighbors: Agreement;
}

const ETHERNET = new Set(['ethernetCsmacd', 'gigabitEthernet', 'ieee8023adLag', 'fastEther']);

/** A reading against what another project says of the same dump. */
export function compareWith(oracle: Oracle, reading: SnmpReading, neighbors: readonly Neighbor[]): Comparison {
  const byIndex = new Map(reading.ports.flatMap((p) => (p.ifIndex === null ? [] : [[p.ifIndex, p] as const])));
  return {
    ports: count(oracle.ports ?? [], (row) => {
      if (row.ifType === null || !ETHERNET.has(row.ifType)) return null;
      const port = byIndex.get(row.ifIndex);
      if (port === undefined)
        return reading.interfaces.has(row.ifIndex) ? null : `${row.ifIndex} ${row.ifName} is missing`;
      const wrong = [
        row.ifAdminStatus !== null && port.adminState !== row.ifAdminStatus && `admin ${port.adminState}`,
        row.ifOperStatus !== null && port.operState !== row.ifOperStatus && `oper ${port.operState}`,
      ].filter(Boolean);
      return wrong.length === 0 ? true : `${port.name} ${wrong.join(' ')}`;
    }),
    vlans: count(oracle.vlans ?? [], ({ vlan_vlan: id, vlan_name: name }) => {
      if (id < 1 || id > 4094) return null;
      const vlan = reading.vlans.find((v) => v.id === id);
      if (vlan === undefined) return `VLAN ${id}`;
      // Its word for a VLAN without a name; an octet that does not print is its dot.
      const same = (vlan.name === '' && name === `VLAN ${id}`) || plain(vlan.name) === plain(name);
      return same || `VLAN ${id} "${vlan.name}", not "${name}"`;
    }),
    members: count(oracle.ports_vlans ?? [], ({ vlan, baseport, untagged }) => {
      const ifIndex = reading.bridge.ports.get(baseport);
      const port = ifIndex === undefined ? undefined : byIndex.get(ifIndex);
      if (port === undefined || vlan < 1 || vlan > 4094) return null;
      return (
        carries(port, vlan, untagged === 1) ||
        `${port.name} ${vlan}${untagged === 1 ? 'u' : 't'} (${port.switchport.mode} ${port.switchport.detail})`
      );
    }),
    neighbors: count(oracle.links ?? [], ({ protocol, ifName, remote_hostname: name }) => {
      if (protocol !== 'lldp') return null;
      const there = neighbors.filter((n) => n.systemName === name || n.systemDescription.startsWith(name.slice(0, 40)));
      const on = (port: string) => {
        const found = reading.ports.find((p) => p.name === port);
        return found?.name === ifName || found?.aliases.includes(ifName ?? '') === true;
      };
      return there.some((n) => ifName === undefined || ifName === null || on(n.port)) || `${name} on ${ifName}`;
    }),
  };
}

function plain(name: string): string {
  return name.replace(/[^!-~]|\./g, '');
}

function carries({ switchport: s }: PortState, vlan: number, untagged: boolean): boolean {
  return untagged ? s.nativeVlan === vlan || s.extraUntaggedVlans.has(vlan) : s.taggedVlans.has(vlan);
}

/** true: agrees; a text: what differs; null: says nothing. */
function count<T>(rows: readonly T[], judge: (row: T) => true | string | null | false): Agreement {
  const verdicts = rows.map(judge).filter((v) => v !== null);
  const differ = verdicts.filter((v): v is string => typeof v === 'string');
  return { agree: verdicts.length - differ.length, of: verdicts.length, differ };
}
