import { isVlanId } from '../model/vlan-set.ts';
import type { Column, SnmpSession } from '../snmp/session-types.ts';
import { gaps, indexOf, integerOf, octetsOf, textOf } from './decode.ts';
import type { BridgePorts, InterfaceRow, PortVlanRow, PrivateVlanMib, VlanFacts, VlanRow } from './facts.ts';
import { portsOf } from './port-list.ts';

/** HUAWEI-L2VLAN-MIB and HUAWEI-L2IF-MIB. */
const OIDS = {
  name: '1.3.6.1.4.1.2011.5.25.42.3.1.1.1.1.2',
  /** hwL2IfPortIfIndex, hwL2IfPortType and hwL2IfPVID, by a number of the port's own. */
  ifIndex: '1.3.6.1.4.1.2011.5.25.42.1.1.1.3.1.2',
  type: '1.3.6.1.4.1.2011.5.25.42.1.1.1.3.1.3',
  pvid: '1.3.6.1.4.1.2011.5.25.42.1.1.1.3.1.4',
} as const;
/** Lists of VLANs 0 to 2047, and 2048 to 4095, by the number of the port; the first bit is VLAN 0. */
const LISTS = {
  /** hwL2IfTrunkAllowPassVlanList: VLANs that a trunk lets pass. */
  trunk: lists('10.1.2', '10.1.3'),
  /** hwL2IfHybridTaggedVlanList and hwL2IfHybridUnTaggedVlanList. */
  tagged: lists('9.1.2', '9.1.3'),
  untagged: lists('9.1.4', '9.1.5'),
} as const;
const ALL_LISTS = Object.values(LISTS).flat();
/** VLANs in one list. */
const PER_LIST = 2048;
/** hwL2IfPortType. */
const [TRUNK, ACCESS, HYBRID] = [1, 2, 3];

/**
 * VLANs of Huawei switches. A trunk sends all VLANs tagged but its PVID, which passes only where it is in the list; a hybrid port
 * lists both. A port of another type, or of which the type, the PVID or a list is not told, is `other`.
 */
export const huaweiVlans: PrivateVlanMib = { enterprises: [2011], read: readHuaweiVlans };

async function readHuaweiVlans(
  session: SnmpSession,
  _bridge: BridgePorts,
  interfaces: ReadonlyMap<number, InterfaceRow>,
): Promise<VlanFacts | null> {
  const walked = await session.walk([...Object.values(OIDS), ...ALL_LISTS]);
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  if (column(OIDS.name).size === 0 || ALL_LISTS.every((oid) => column(oid).size === 0)) return null;
  const ports = new Map<number, PortVlanRow>();
  const plain = new Map<number, Set<number>>();
  const strangers: string[] = [];
  for (const [index, value] of column(OIDS.ifIndex)) {
    const ifIndex = integerOf(value);
    const number = integerOf(column(OIDS.pvid).get(index));
    if (ifIndex === null) continue;
    // Another port has no row then, and would look empty.
    if (!interfaces.has(ifIndex)) strangers.push(`port ${index} is interface ${ifIndex}, which does not exist`);
    const listed = (list: keyof typeof LISTS) => listOf(LISTS[list].map((oid) => octetsOf(column(oid).get(index))));
    const type = integerOf(column(OIDS.type).get(index));
    const { row, untagged } = portOf(type, isVlanId(number) ? number : null, listed);
    ports.set(ifIndex, row);
    for (const id of untagged) plain.set(id, (plain.get(id) ?? new Set()).add(ifIndex));
  }
  const vlans = new Map<number, VlanRow>();
  for (const [index, value] of column(OIDS.name)) {
    const id = indexOf(index, 1)?.[0];
    if (!isVlanId(id)) continue;
    const members = plain.get(id) ?? null;
    vlans.set(id, { id, name: textOf(value), egress: members, untagged: members });
  }
  const problems = gaps(walked, {
    numbers: [OIDS.ifIndex, OIDS.type],
    vlans: [OIDS.pvid],
    lists: ALL_LISTS,
  }).concat(strangers.slice(0, 3));
  return { source: 'HUAWEI-L2IF-MIB', basis: 'configured', vlans, ports, problems };
}

/** The row of a port, and the VLANs that leave it untagged besides its native one. */
function portOf(
  type: number | null,
  pvid: number | null,
  listed: (list: keyof typeof LISTS) => VlanList,
): { readonly row: PortVlanRow; readonly untagged: readonly number[] } {
  const told = (row: PortVlanRow) => ({ row, untagged: [] });
  if (type === ACCESS) return told({ pvid, taggedOnly: null, mode: 'access', tagged: [] });
  const [trunk, tagged, untagged] = [listed('trunk'), listed('tagged'), listed('untagged')];
  if (type === TRUNK && pvid !== null && trunk.whole) {
    const native = trunk.ids.includes(pvid) ? pvid : null;
    const rest = trunk.ids.filter((id) => id !== native);
    return told({ pvid: native, taggedOnly: native === null, mode: 'trunk', tagged: rest });
  }
  const plain = untagged.ids.filter((id) => id !== pvid);
  const fits = pvid !== null && untagged.ids.includes(pvid) && !tagged.ids.includes(pvid);
  if (type === HYBRID && fits && tagged.whole && untagged.whole)
    return { row: { pvid, taggedOnly: null, mode: 'hybrid', tagged: tagged.ids }, untagged: plain };
  const others = [...tagged.ids, ...trunk.ids].filter((id) => id !== pvid && !plain.includes(id));
  return { row: { pvid, taggedOnly: null, mode: 'other', tagged: others }, untagged: plain };
}

function lists(low: string, high: string): readonly string[] {
  return [low, high].map((column) => `1.3.6.1.4.1.2011.5.25.42.1.1.1.${column}`);
}

interface VlanList {
  readonly ids: readonly number[];
  /** Both columns have it. */
  readonly whole: boolean;
}

function listOf(columns: readonly (Uint8Array | null)[]): VlanList {
  const ids = columns.flatMap((bitmap, part) =>
    portsOf(bitmap ?? new Uint8Array())
      .map((bit) => part * PER_LIST + bit - 1)
      .filter((id) => isVlanId(id) && id < (part + 1) * PER_LIST),
  );
  return { ids, whole: !columns.includes(null) };
}
