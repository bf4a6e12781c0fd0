import { isVlanId } from '../model/vlan-set.ts';
import type { Column, SnmpSession } from '../snmp/session-types.ts';
import { gaps, indexOf, integerOf, octetsOf, textOf } from './decode.ts';
import type { PortVlanRow, PrivateVlanMib, VlanFacts, VlanRow } from './facts.ts';

/** CISCO-VTP-MIB and CISCO-VLAN-MEMBERSHIP-MIB. */
const VTP = '1.3.6.1.4.1.9.9.46.1';
const OIDS = {
  state: `${VTP}.3.1.1.2`,
  type: `${VTP}.3.1.1.3`,
  name: `${VTP}.3.1.1.4`,
  /** vlanTrunkPortVlansEnabled, and the same for the second, third and fourth thousand. */
  enabled: [`${VTP}.6.1.1.4`, `${VTP}.6.1.1.17`, `${VTP}.6.1.1.18`, `${VTP}.6.1.1.19`],
  native: `${VTP}.6.1.1.5`,
  dynamicState: `${VTP}.6.1.1.13`,
  /** vlanTrunkPortEncapsulationOperType: notApplicable on a port that is no trunk now. */
  encapsulation: `${VTP}.6.1.1.16`,
  /** vmVlan. */
  access: '1.3.6.1.4.1.9.9.68.1.2.2.1.2',
} as const;
const ETHERNET = 1;
const [ON, OFF, ON_NO_NEGOTIATE] = [1, 2, 5];
const FOREIGN = /^(?:fddi|trcrf|token-ring|fddinet|trnet|trbrf)/i;
const NOT_APPLICABLE = 6;
/** VLANs in one bitmap; unlike in a PortList, the first bit is VLAN 0. */
const PER_BITMAP = 1024;

/**
 * VLANs and switchports of Cisco switches. What a port is configured to is told by vlanTrunkPortDynamicState; a port that negotiates,
 * or of which that or the list of its VLANs is not told, is `other`.
 */
export const ciscoVlans: PrivateVlanMib = { enterprises: [9], read: readCiscoVlans };

async function readCiscoVlans(session: SnmpSession): Promise<VlanFacts | null> {
  const { enabled, ...single } = OIDS;
  const walked = await session.walk([...Object.values(single), ...enabled]);
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  const vlans = new Map<number, VlanRow>();
  for (const [index, value] of column(OIDS.name)) {
    const id = indexOf(index, 2)?.[1];
    const type = integerOf(column(OIDS.type).get(index));
    const name = textOf(value);
    // IOS has 1002 to 1005 for Token Ring and FDDI; on NX-OS they are VLANs like others.
    const foreign =
      type === null ? id !== undefined && id >= 1002 && id <= 1005 && FOREIGN.test(name) : type !== ETHERNET;
    if (isVlanId(id) && !foreign) vlans.set(id, { id, name, egress: null, untagged: null });
  }
  const ports = new Map<number, PortVlanRow>();
  for (const index of new Set([...column(OIDS.access).keys(), ...column(OIDS.native).keys()])) {
    const ifIndex = indexOf(index, 1)?.[0];
    if (ifIndex === undefined) continue;
    const number = (oid: string) => integerOf(column(oid).get(index));
    const bitmaps = enabled.map((oid) => octetsOf(column(oid).get(index)));
    ports.set(ifIndex, portRow(number, bitmaps));
  }
  if (vlans.size === 0 || ports.size === 0) return null;
  const problems = gaps(walked, {
    numbers: [OIDS.type, OIDS.dynamicState, OIDS.encapsulation],
    vlans: [OIDS.access, OIDS.native],
    lists: enabled,
  });
  return { source: 'CISCO-VTP-MIB', basis: 'configured', vlans, ports, problems };
}

function portRow(number: (oid: string) => number | null, bitmaps: readonly (Uint8Array | null)[]): PortVlanRow {
  const vlan = (id: number | null) => (isVlanId(id) ? id : null);
  const [access, native] = [vlan(number(OIDS.access)), vlan(number(OIDS.native))];
  const state = number(OIDS.dynamicState);
  const list = bitmaps[0] === null ? null : enabledVlans(bitmaps);
  if (state === OFF) return { pvid: access, taggedOnly: null, mode: 'access', tagged: [] };
  if ((state === ON || state === ON_NO_NEGOTIATE) && list !== null) {
    const open = native !== null && list.includes(native);
    return { pvid: open ? native : null, taggedOnly: !open, mode: 'trunk', tagged: list.filter((id) => id !== native) };
  }
  const trunksNow = (number(OIDS.encapsulation) ?? NOT_APPLICABLE) !== NOT_APPLICABLE;
  return { pvid: trunksNow ? native : access, taggedOnly: null, mode: 'other', tagged: [] };
}

/** VLAN IDs whose bit is set; a bitmap that is missing at the end enables none. */
function enabledVlans(bitmaps: readonly (Uint8Array | null)[]): number[] {
  const ids: number[] = [];
  for (const [part, bitmap] of bitmaps.entries()) {
    for (const [at, octet] of (bitmap ?? new Uint8Array()).entries()) {
      for (let bit = 0; octet !== 0 && bit < 8; bit++) {
        const id = part * PER_BITMAP + at * 8 + bit;
        if ((octet & (0x80 >> bit)) !== 0 && at * 8 < PER_BITMAP && isVlanId(id)) ids.push(id);
      }
    }
  }
  return ids;
}
