import { isVlanId } from '../model/vlan-set.ts';
import type { Column, SnmpSession } from '../snmp/session-types.ts';
import { gaps, indexOf, integerOf, textOf } from './decode.ts';
import type { BridgePorts, InterfaceRow, PortVlanRow, PrivateVlanMib, VlanFacts, VlanRow } from './facts.ts';

/** FOUNDRY-SN-SWITCH-GROUP-MIB, of Foundry, Brocade and Ruckus (FastIron, ICX). */
const SWITCH = '1.3.6.1.4.1.1991.1.1.3';
const OIDS = {
  /** snVLanByPortCfgVLanName. */
  name: `${SWITCH}.2.7.1.21`,
  /** snVLanByPortMemberTagMode, by VLAN and interface. */
  member: `${SWITCH}.2.6.1.4`,
  /** snSwIfInfoTagMode, and snSwIfVlanId: the VLAN of untagged frames of a port in dual mode. */
  mode: `${SWITCH}.3.5.1.4`,
  dualVlan: `${SWITCH}.3.5.1.24`,
} as const;
const [TAGGED, UNTAGGED, DUAL] = [1, 2, 3];

/**
 * VLANs of switches whose port lists in Q-BRIDGE-MIB are no bitmaps. A port is in its one VLAN untagged, in any number tagged, or, in
 * dual mode, both; one whose mode is not told, or does not fit its VLANs, is `other`.
 */
export const foundryVlans: PrivateVlanMib = { enterprises: [1991], read: readFoundryVlans };

async function readFoundryVlans(
  session: SnmpSession,
  bridge: BridgePorts,
  interfaces: ReadonlyMap<number, InterfaceRow>,
): Promise<VlanFacts | null> {
  const walked = await session.walk(Object.values(OIDS));
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  if (column(OIDS.member).size === 0) return null;
  const wrong: string[] = [];
  const members = new Map<number, { readonly tagged: number[]; readonly untagged: number[] }>();
  const of = (ifIndex: number) => {
    const lists = members.get(ifIndex) ?? { tagged: [], untagged: [] };
    members.set(ifIndex, lists);
    return lists;
  };
  for (const [index, value] of column(OIDS.member)) {
    const [vlan, ifIndex] = indexOf(index, 2) ?? [];
    const tagging = integerOf(value);
    if (!isVlanId(vlan) || ifIndex === undefined || !interfaces.has(ifIndex)) continue;
    if (tagging === TAGGED) of(ifIndex).tagged.push(vlan);
    else if (tagging === UNTAGGED) of(ifIndex).untagged.push(vlan);
    else wrong.push(`snVLanByPortMemberTagMode.${index} is ${tagging ?? 'no number'}, which the MIB does not know`);
  }
  const bridged = new Set(bridge.values());
  const ports = new Map<number, PortVlanRow>();
  const doubtful = new Map<number, string>();
  for (const ifIndex of interfaces.keys()) {
    const mode = integerOf(column(OIDS.mode).get(`${ifIndex}`));
    if (mode === null && !members.has(ifIndex) && !bridged.has(ifIndex)) continue;
    const dualVlan = integerOf(column(OIDS.dualVlan).get(`${ifIndex}`));
    const { row, doubt } = portOf(mode, dualVlan, of(ifIndex));
    ports.set(ifIndex, row);
    if (doubt !== null) doubtful.set(ifIndex, doubt);
  }
  const vlans = new Map<number, VlanRow>();
  const named = [...column(OIDS.name).keys()].map(Number);
  const used = [...members.values()].flatMap(({ tagged, untagged }) => [...tagged, ...untagged]);
  for (const id of [...named, ...used])
    if (isVlanId(id)) vlans.set(id, { id, name: textOf(column(OIDS.name).get(`${id}`)), egress: null, untagged: null });
  const problems = [...gaps(walked, { numbers: [OIDS.mode], vlans: [OIDS.dualVlan] }), ...wrong.slice(0, 3)];
  const facts = { source: 'snVLanByPortMemberTable', basis: 'configured', vlans, ports, problems } as const;
  return problems.length > 0 ? facts : { ...facts, doubtful };
}

/** The row of a port, and why that is not all; null: it is. */
function portOf(
  mode: number | null,
  dualVlan: number | null,
  { tagged, untagged }: { readonly tagged: readonly number[]; readonly untagged: readonly number[] },
): { readonly row: PortVlanRow; readonly doubt: string | null } {
  const [own = null] = untagged;
  const rest = [...tagged, ...untagged.slice(1)];
  const other = { pvid: own, taggedOnly: null, mode: 'other', tagged: rest } as const;
  if (mode === UNTAGGED && untagged.length === 1 && tagged.length === 0)
    return { row: { pvid: own, taggedOnly: null, mode: 'access', tagged: [] }, doubt: null };
  if (mode === TAGGED && untagged.length === 0 && tagged.length > 0)
    return { row: { pvid: null, taggedOnly: true, mode: 'trunk', tagged }, doubt: null };
  const all = [...tagged, ...untagged];
  // The table lists the VLAN of untagged frames as tagged on some versions.
  if (mode === DUAL && isVlanId(dualVlan) && all.includes(dualVlan) && untagged.every((id) => id === dualVlan))
    return {
      row: { pvid: dualVlan, taggedOnly: null, mode: 'trunk', tagged: tagged.filter((id) => id !== dualVlan) },
      doubt: null,
    };
  if (mode === UNTAGGED && all.length === 0)
    return { row: other, doubt: 'in no VLAN by the table, so in the default VLAN' };
  return { row: other, doubt: `snSwIfInfoTagMode is ${mode ?? 'not told'}, which does not tell its VLANs` };
}
