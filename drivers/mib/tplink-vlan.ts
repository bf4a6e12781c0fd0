import { isVlanId } from '../model/vlan-set.ts';
import type { Column, SnmpSession } from '../snmp/session-types.ts';
import { gaps, indexOf, integerOf, textOf } from './decode.ts';
import type { BridgePorts, InterfaceRow, PortVlanRow, PrivateVlanMib, VlanFacts, VlanRow } from './facts.ts';

/** TP-Link's own VLAN tables (JetStream). */
const OIDS = {
  portName: '1.3.6.1.4.1.11863.6.14.1.1.1.1.1',
  pvid: '1.3.6.1.4.1.11863.6.14.1.1.1.1.2',
  ingressChecking: '1.3.6.1.4.1.11863.6.14.1.1.1.1.3',
  name: '1.3.6.1.4.1.11863.6.14.1.2.1.1.2',
  tagged: '1.3.6.1.4.1.11863.6.14.1.2.1.1.3',
  untagged: '1.3.6.1.4.1.11863.6.14.1.2.1.1.4',
} as const;
const ENABLED = 1;
/** "1/0/15-18" or "1/0/3". */
const ITEM = /^(\d{1,2}\/\d{1,2}\/)(\d{1,3})(?:-(\d{1,3}))?$/;

/** VLANs of TP-Link switches, whose lists are text with the ports' own names. */
export const tplinkVlans: PrivateVlanMib = { enterprises: [11863], read: readTplinkVlans };

async function readTplinkVlans(
  session: SnmpSession,
  _bridge: BridgePorts,
  interfaces: ReadonlyMap<number, InterfaceRow>,
): Promise<VlanFacts | null> {
  const walked = await session.walk(Object.values(OIDS));
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  if (column(OIDS.name).size === 0) return null;
  const byName = portNames(column(OIDS.portName), interfaces);
  const problems = [...gaps(walked, { vlans: [OIDS.pvid], lists: [OIDS.tagged, OIDS.untagged] })];
  const members = (text: string): Set<number> => {
    const found = new Set<number>();
    for (const item of text.split(',').filter((part) => part.trim() !== '')) {
      const [, prefix, from, to] = ITEM.exec(item.trim()) ?? [];
      if (prefix === undefined) problems.push(`a list of ports holds "${item.trim().slice(0, 32)}", which is no port`);
      for (let port = Number(from); port <= Number(to ?? from); port++) {
        const ifIndex = byName.get(`${prefix}${port}`);
        if (ifIndex !== undefined) found.add(ifIndex);
      }
    }
    return found;
  };
  const vlans = new Map<number, VlanRow>();
  for (const [index, value] of column(OIDS.name)) {
    const id = indexOf(index, 1)?.[0];
    if (!isVlanId(id)) continue;
    const untagged = members(textOf(column(OIDS.untagged).get(index)));
    const egress = new Set([...members(textOf(column(OIDS.tagged).get(index))), ...untagged]);
    vlans.set(id, { id, name: textOf(value), egress, untagged });
  }
  const ports = new Map<number, PortVlanRow>();
  for (const [index, value] of column(OIDS.pvid)) {
    const ifIndex = indexOf(index, 1)?.[0];
    const pvid = integerOf(value);
    if (ifIndex === undefined) continue;
    const ingressFiltering = integerOf(column(OIDS.ingressChecking).get(index)) === ENABLED;
    ports.set(ifIndex, {
      pvid: isVlanId(pvid) ? pvid : null,
      taggedOnly: null,
      ingressFiltering,
      mode: null,
      tagged: null,
    });
  }
  return { source: 'TP-Link VLAN tables', basis: 'configured', vlans, ports, problems: problems.slice(0, 8) };
}

/** The name that the lists use to the ifIndex: by the port table, else by the end of ifDescr ("gigabitEthernet 1/0/13"). */
function portNames(names: Column, interfaces: ReadonlyMap<number, InterfaceRow>): Map<string, number> {
  const found = new Map<string, number>();
  for (const { ifIndex, ifDescr, ifName } of interfaces.values()) {
    const name = /(\d{1,2}\/\d{1,2}\/\d{1,3})(?: |$)/.exec(ifName || ifDescr)?.[1];
    if (name !== undefined) found.set(name, ifIndex);
  }
  for (const [index, value] of names) {
    const ifIndex = indexOf(index, 1)?.[0];
    if (ifIndex !== undefined) found.set(textOf(value), ifIndex);
  }
  return found;
}
