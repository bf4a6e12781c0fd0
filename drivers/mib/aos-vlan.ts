import { isVlanId } from '../model/vlan-set.ts';
import type { SnmpSession } from '../snmp/session-types.ts';
import { gaps, indexOf, integerOf, textOf } from './decode.ts';
import type { PortVlanRow, PrivateVlanMib, VlanFacts, VlanRow } from './facts.ts';

/** ALCATEL-IND1-VLAN-MGR-MIB of AOS 7 and 8: vlanTable, and vpaTable with a row for each VLAN of each port. */
const OIDS = {
  name: '1.3.6.1.4.1.6486.801.1.2.1.3.1.1.1.1.1.2',
  /** vpaType: how the port came into the VLAN. */
  type: '1.3.6.1.4.1.6486.801.1.2.1.3.1.1.2.1.1.3',
} as const;
/** cfgDefault: the port's default VLAN, untagged; qTagged: configured as tagged. Others are dynamic. */
const [DEFAULT, TAGGED] = [1, 2];

/** VLANs of Alcatel-Lucent switches. */
export const aosVlans: PrivateVlanMib = { enterprises: [6486], read: readAosVlans };

async function readAosVlans(session: SnmpSession): Promise<VlanFacts | null> {
  const walked = await session.walk(Object.values(OIDS));
  const [names, types] = [walked.columns.get(OIDS.name), walked.columns.get(OIDS.type)];
  if (types === undefined || types.size === 0) return null;
  const egress = new Map<number, Set<number>>();
  const untagged = new Map<number, Set<number>>();
  const ports = new Map<number, PortVlanRow>();
  const doubtful = new Map<number, string>();
  const join = (sets: Map<number, Set<number>>, vlan: number, port: number) =>
    sets.set(vlan, (sets.get(vlan) ?? new Set()).add(port));
  for (const [index, value] of types) {
    const [vlan, ifIndex] = indexOf(index, 2) ?? [];
    const type = integerOf(value);
    if (!isVlanId(vlan) || ifIndex === undefined) continue;
    join(egress, vlan, ifIndex);
    if (type === DEFAULT) {
      join(untagged, vlan, ifIndex);
      ports.set(ifIndex, { pvid: vlan, taggedOnly: null, mode: null, tagged: null });
    } else if (type !== TAGGED) doubtful.set(ifIndex, `it is in VLAN ${vlan} by vpaType ${type ?? 'not told'}`);
  }
  const vlans = new Map<number, VlanRow>();
  for (const id of new Set([...[...(names?.keys() ?? [])].map(Number), ...egress.keys()])) {
    if (!isVlanId(id)) continue;
    const members = egress.get(id) ?? new Set<number>();
    vlans.set(id, {
      id,
      name: textOf(names?.get(String(id))),
      egress: members,
      untagged: untagged.get(id) ?? new Set(),
    });
  }
  const problems = gaps(walked, {});
  return {
    source: 'vpaTable',
    basis: 'configured',
    vlans,
    ports,
    problems,
    ...(problems.length > 0 ? {} : { doubtful }),
  };
}
