import { isVlanId } from '../model/vlan-set.ts';
import type { Column, SnmpSession } from '../snmp/session-types.ts';
import { gaps, indexOf, integerOf, octetsOf, textOf } from './decode.ts';
import type { InterfaceRow, PortVlanRow, PrivateVlanMib, VlanFacts, VlanRow } from './facts.ts';

/** RAPID-CITY MIB, rcVlanTable and rcVlanPortTable, of Nortel, Avaya and Extreme (BOSS, ERS). */
const OIDS = {
  name: '1.3.6.1.4.1.2272.1.3.2.1.2',
  /** rcVlanStaticMembers. */
  members: '1.3.6.1.4.1.2272.1.3.2.1.11',
  /** rcVlanPortDefaultVlanId. */
  pvid: '1.3.6.1.4.1.2272.1.3.3.1.7',
  /** rcVlanPortPerformTagging: all tagged, none, all but the PVID, the PVID alone. */
  tagging: '1.3.6.1.4.1.2272.1.3.3.1.8',
} as const;
const [TAG_ALL, TAG_NONE, TAG_PVID, UNTAG_PVID] = [1, 2, 3, 4];

/** VLANs of switches with rcVlan tables; membership is by interface number, and a port's tagging is one setting for all its VLANs. */
export const rapidCityVlans: PrivateVlanMib = { enterprises: [45, 2272], read: readRapidCityVlans };

async function readRapidCityVlans(
  session: SnmpSession,
  _bridge: ReadonlyMap<number, number>,
  interfaces: ReadonlyMap<number, InterfaceRow>,
): Promise<VlanFacts | null> {
  const walked = await session.walk(Object.values(OIDS));
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  if (column(OIDS.members).size === 0) return null;
  const tagging = new Map<number, number | null>();
  const pvids = new Map<number, number | null>();
  for (const index of column(OIDS.pvid).keys()) {
    const ifIndex = indexOf(index, 1)?.[0];
    if (ifIndex === undefined) continue;
    pvids.set(ifIndex, integerOf(column(OIDS.pvid).get(index)));
    tagging.set(ifIndex, integerOf(column(OIDS.tagging).get(index)));
  }
  const vlans = new Map<number, VlanRow>();
  for (const [index, value] of column(OIDS.members)) {
    const id = indexOf(index, 1)?.[0];
    const list = octetsOf(value);
    if (!isVlanId(id)) continue;
    const members = list === null ? null : membersOf(list, interfaces);
    const untagged =
      members && new Set([...members].filter((i) => isUntagged(tagging.get(i) ?? null, pvids.get(i) === id)));
    vlans.set(id, { id, name: textOf(column(OIDS.name).get(index)), egress: members, untagged });
  }
  const ports = new Map<number, PortVlanRow>();
  const doubtful = new Map<number, string>();
  for (const [ifIndex, pvid] of pvids) {
    ports.set(ifIndex, { pvid: isVlanId(pvid) ? pvid : null, taggedOnly: null, mode: null, tagged: null });
    const mode = tagging.get(ifIndex) ?? null;
    if (mode === null || ![TAG_ALL, TAG_NONE, UNTAG_PVID, TAG_PVID].includes(mode))
      doubtful.set(ifIndex, `rcVlanPortPerformTagging is ${mode ?? 'not told'}`);
  }
  const problems = gaps(walked, { vlans: [OIDS.pvid], lists: [OIDS.members] });
  if (problems[0] !== undefined) for (const ifIndex of ports.keys()) doubtful.set(ifIndex, problems[0]);
  return { source: 'rcVlanTable', basis: 'configured', vlans, ports, problems, doubtful };
}

/** Bit n, from the most significant one of octet 0 on, is interface n; those that are no interface mean nothing. */
function membersOf(list: Uint8Array, interfaces: ReadonlyMap<number, InterfaceRow>): Set<number> {
  const members = new Set<number>();
  for (const [at, octet] of list.entries())
    for (let bit = 0; octet !== 0 && bit < 8; bit++)
      if ((octet & (0x80 >> bit)) !== 0 && interfaces.has(at * 8 + bit)) members.add(at * 8 + bit);
  return members;
}

function isUntagged(tagging: number | null, isPvid: boolean): boolean {
  if (tagging === TAG_NONE) return true;
  if (tagging === UNTAG_PVID) return isPvid;
  return tagging === TAG_PVID ? !isPvid : false;
}
