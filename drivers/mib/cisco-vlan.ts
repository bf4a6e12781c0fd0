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
  /** vlanTrunkPortDot1qTunnel. */
  tunnel: `${VTP}.6.1.1.29`,
  /** vmVlanType, and vmVlan. */
  assigned: '1.3.6.1.4.1.9.9.68.1.2.2.1.1',
  access: '1.3.6.1.4.1.9.9.68.1.2.2.1.2',
  /** vmVoiceVlanId: 1 to 4094 is sent tagged beside the access VLAN; 0, 4095 and 4096 stand for none. */
  voice: '1.3.6.1.4.1.9.9.68.1.5.1.1.1',
  /** cL2L3IfModeOper (CISCO-L2L3-INTERFACE-CONFIG-MIB). */
  layer: '1.3.6.1.4.1.9.9.151.1.1.1.1.2',
  /** cpvlanPortMode (CISCO-PRIVATE-VLAN-MIB). */
  privateVlan: '1.3.6.1.4.1.9.9.173.1.2.3.1.1',
} as const;
const ETHERNET = 1;
const [ON, OFF, ON_NO_NEGOTIATE] = [1, 2, 5];
/** vtpVlanState operational, vmVlanType static, cpvlanPortMode nonPrivateVlan, vlanTrunkPortDot1qTunnel disabled. */
const [OPERATIONAL, STATIC, NOT_PRIVATE, NO_TUNNEL] = [1, 1, 1, 3];
/** cL2L3IfModeOper. */
const [ROUTED, SWITCHPORT] = [1, 2];
const VOICE_MAX = 4096;
const FOREIGN = /^(?:fddi|trcrf|token-ring|fddinet|trnet|trbrf)/i;
const NOT_APPLICABLE = 6;
/** VLANs in one bitmap; unlike in a PortList, the first bit is VLAN 0. */
const PER_BITMAP = 1024;

/**
 * VLANs and switchports of Cisco switches. What a port is configured to is told by vlanTrunkPortDynamicState; a port that negotiates,
 * or of which that or the list of its VLANs is not told, is `other`. So is one with a voice VLAN, of a private VLAN or a tunnel, and
 * one in a VLAN that is suspended.
 */
export const ciscoVlans: PrivateVlanMib = { enterprises: [9], read: readCiscoVlans };

async function readCiscoVlans(session: SnmpSession): Promise<VlanFacts | null> {
  const { enabled, ...single } = OIDS;
  const walked = await session.walk([...Object.values(single), ...enabled]);
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  const vlans = new Map<number, VlanRow>();
  const suspended = new Map<number, number>();
  for (const [index, value] of column(OIDS.name)) {
    const id = indexOf(index, 2)?.[1];
    const state = integerOf(column(OIDS.state).get(index));
    if (isVlanId(id) && state !== null && state !== OPERATIONAL) suspended.set(id, state);
    const type = integerOf(column(OIDS.type).get(index));
    const name = textOf(value);
    // IOS has 1002 to 1005 for Token Ring and FDDI; on NX-OS they are VLANs like others.
    const foreign =
      type === null ? id !== undefined && id >= 1002 && id <= 1005 && FOREIGN.test(name) : type !== ETHERNET;
    if (isVlanId(id) && !foreign) vlans.set(id, { id, name, egress: null, untagged: null });
  }
  const ports = new Map<number, PortVlanRow>();
  const doubtful = new Map<number, string>();
  for (const index of new Set([OIDS.access, OIDS.native, OIDS.layer].flatMap((oid) => [...column(oid).keys()]))) {
    const ifIndex = indexOf(index, 1)?.[0];
    if (ifIndex === undefined) continue;
    const number = (oid: string) => integerOf(column(oid).get(index));
    const row = portRow(number, () => enabled.map((oid) => octetsOf(column(oid).get(index))));
    const doubt = row.mode === 'routed' ? null : doubtOf(number, row, suspended);
    ports.set(ifIndex, row);
    if (doubt !== null) doubtful.set(ifIndex, doubt);
  }
  if (vlans.size === 0 || ports.size === 0) return null;
  const { type, state, dynamicState, encapsulation, tunnel, assigned, voice, layer, privateVlan } = OIDS;
  const problems = gaps(walked, {
    numbers: [type, state, dynamicState, encapsulation, tunnel, assigned, voice, layer, privateVlan],
    vlans: [OIDS.access, OIDS.native],
    lists: enabled,
  });
  const facts = { source: 'CISCO-VTP-MIB', basis: 'configured', vlans, ports, problems } as const;
  return problems.length > 0 ? facts : { ...facts, doubtful };
}

type NumberOf = (oid: string) => number | null;

/** Why the port's row is not all that there is to it; null: it is. */
function doubtOf(number: NumberOf, row: PortVlanRow, suspended: ReadonlyMap<number, number>): string | null {
  const [tunnel, mode, assigned] = [number(OIDS.tunnel), number(OIDS.privateVlan), number(OIDS.assigned)];
  const [layer, voice] = [number(OIDS.layer), number(OIDS.voice)];
  if (layer !== null && layer !== SWITCHPORT) return `cL2L3IfModeOper is ${layer}, which the MIB does not know`;
  if (voice !== null && (voice < 0 || voice > VOICE_MAX))
    return `vmVoiceVlanId is ${voice}, which the MIB does not know`;
  if (tunnel !== null && tunnel !== NO_TUNNEL) return `an 802.1Q tunnel (vlanTrunkPortDot1qTunnel ${tunnel})`;
  if (mode !== null && mode !== NOT_PRIVATE) return `a port of a private VLAN (cpvlanPortMode ${mode})`;
  if (row.mode === 'access' && assigned !== null && assigned !== STATIC)
    return `its VLAN is not configured, but assigned (vmVlanType ${assigned})`;
  const idle = [...(row.pvid === null ? [] : [row.pvid]), ...(row.tagged ?? [])].find((id) => suspended.has(id));
  return idle === undefined ? null : `VLAN ${idle} is not operational (vtpVlanState ${suspended.get(idle)})`;
}

function portRow(number: NumberOf, read: () => readonly (Uint8Array | null)[]): PortVlanRow {
  if (number(OIDS.layer) === ROUTED) return { pvid: null, taggedOnly: null, mode: 'routed', tagged: null };
  const bitmaps = read();
  const vlan = (id: number | null) => (isVlanId(id) ? id : null);
  const [access, native] = [vlan(number(OIDS.access)), vlan(number(OIDS.native))];
  const state = number(OIDS.dynamicState);
  const list = bitmaps[0] === null ? null : enabledVlans(bitmaps);
  const voice = vlan(number(OIDS.voice));
  if (state === OFF)
    return {
      pvid: access,
      taggedOnly: null,
      mode: 'access',
      tagged: voice === null || voice === access ? [] : [voice],
    };
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
