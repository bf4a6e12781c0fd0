import { DriverError } from '../errors.ts';
import { indexOf, integerOf, octetsOf } from '../mib/decode.ts';
import { OID } from '../mib/oids.ts';
import { hasPort, portListForm, withPort } from '../mib/port-list.ts';
import { isVlanId, type VlanSet } from '../model/vlan-set.ts';
import type { SetVarBind, SnmpSession } from './session-types.ts';

/** The static lists of one VLAN, as the agent has them. */
interface Lists {
  readonly egress: Uint8Array;
  readonly untagged: Uint8Array;
}

/** Membership of all ports, as configured, and what one port has besides. */
export interface Membership {
  readonly vlans: ReadonlyMap<number, Lists>;
  readonly pvid: number | null;
  /** dot1qPortAcceptableFrameTypes: 1 admitAll, 2 admitOnlyVlanTagged; null: the agent has none. */
  readonly frames: number | null;
}

/** What is known of the agent that is written to. */
export interface WriteRules {
  /** A port leaves a list before it joins another. */
  readonly leaveFirst: boolean;
  /** dot1qPortAcceptableFrameTypes cannot be written. */
  readonly framesFixed: boolean;
}

/** What the port shall be in. */
export interface WantedMembership {
  readonly untagged: number | null;
  readonly tagged: VlanSet;
}

const EMPTY = new Uint8Array();
const [ADMIT_ALL, TAGGED_ONLY] = [1, 2];

/**
 * Reads the static lists of every VLAN, and PVID and frame types of one bridge port, right before they are written. Throws
 * `unsupported` for a switch whose lists are text or incomplete, and what the session throws.
 */
export async function readMembership(session: SnmpSession, bridgePort: number): Promise<Membership> {
  const [egress, untagged] = [OID.dot1qVlanStaticEgressPorts, OID.dot1qVlanStaticUntaggedPorts];
  const walked = await session.walk([egress, untagged]);
  const [why] = walked.incomplete.values();
  if (why !== undefined) throw new DriverError('timeout', `the VLANs could not be read before the change: ${why}`);
  const vlans = new Map<number, Lists>();
  for (const [index, value] of walked.columns.get(egress) ?? []) {
    const id = indexOf(index, 1)?.[0];
    const list = octetsOf(value);
    const plain = octetsOf(walked.columns.get(untagged)?.get(index));
    if (isVlanId(id) && list !== null) vlans.set(id, { egress: list, untagged: plain ?? EMPTY });
  }
  const form = portListForm([...vlans.values()].flatMap((v) => [v.egress, v.untagged]));
  if (form !== 'bits')
    throw new DriverError('unsupported', 'the switch writes its port lists as text, which is only read');
  const [pvid, frames] = await session.get([
    `${OID.dot1qPvid}.${bridgePort}`,
    `${OID.dot1qPortAcceptableFrameTypes}.${bridgePort}`,
  ]);
  return { vlans, pvid: integerOf(pvid), frames: integerOf(frames) };
}

/**
 * The writes that bring a port from what is there to what is wanted, each as one or two values that belong together. A port leaves a
 * list before it joins another one only with `leaveFirst`: many switches refuse a port without PVID membership, some refuse
 * one that is untagged in two VLANs. Untagged is a part of egress after each of them. Pure.
 */
export function membershipWrites(
  now: Membership,
  wanted: WantedMembership,
  bridgePort: number,
  { leaveFirst, framesFixed }: WriteRules,
): SetVarBind[][] {
  const plain = (id: number) => wanted.untagged === id;
  const member = (id: number) => plain(id) || wanted.tagged.has(id);
  const joins: SetVarBind[][] = [];
  const unplain: SetVarBind[][] = [];
  const leaves: SetVarBind[][] = [];
  for (const [id, { egress, untagged }] of now.vlans) {
    const [isMember, isPlain] = [hasPort(egress, bridgePort), hasPort(untagged, bridgePort)];
    const join = egressOf(id, egress, bridgePort, true);
    if (plain(id) && !(isMember && isPlain))
      joins.push([...(isMember ? [] : [join]), ...(isPlain ? [] : [untaggedOf(id, untagged, bridgePort, true)])]);
    else if (member(id) && !plain(id) && !isMember) joins.push([join]);
    if (!plain(id) && isPlain) unplain.push([untaggedOf(id, untagged, bridgePort, false)]);
    if (!member(id) && isMember) leaves.push([egressOf(id, egress, bridgePort, false)]);
  }
  const native = wanted.untagged ?? idlePvid(now, wanted, { leaveFirst, framesFixed });
  const pvid: SetVarBind[][] =
    native !== null && native !== now.pvid
      ? [[{ oid: `${OID.dot1qPvid}.${bridgePort}`, type: 'Gauge32', value: native }]]
      : [];
  const frames = wanted.untagged === null ? TAGGED_ONLY : ADMIT_ALL;
  const admit: SetVarBind[][] =
    now.frames !== null && !framesFixed && now.frames !== frames
      ? [[{ oid: `${OID.dot1qPortAcceptableFrameTypes}.${bridgePort}`, type: 'Integer', value: frames }]]
      : [];
  // Untagged frames are shut out before a list changes, and let in after it.
  const [first, last] = frames === TAGGED_ONLY ? [admit, []] : [[], admit];
  return leaveFirst
    ? [...first, ...unplain, ...joins, ...pvid, ...leaves, ...last]
    : [...first, ...joins, ...pvid, ...unplain, ...leaves, ...last];
}

/**
 * The PVID of a port that takes no untagged frames; null: as it is. Where frame types cannot be written, it must be a VLAN that the port
 * is no member of, so that ingress filtering drops them. Where they can, it means nothing, but some agents keep a port in its PVID.
 */
function idlePvid(
  now: Membership,
  { tagged }: WantedMembership,
  { leaveFirst, framesFixed }: WriteRules,
): number | null {
  if (framesFixed || now.frames === null)
    return now.pvid !== null && tagged.has(now.pvid)
      ? ([...now.vlans.keys()].find((id) => !tagged.has(id)) ?? null)
      : null;
  if (!leaveFirst || now.pvid === null || tagged.has(now.pvid)) return null;
  return tagged.ids()[0] ?? null;
}

function egressOf(id: number, list: Uint8Array, port: number, member: boolean): SetVarBind {
  return { oid: `${OID.dot1qVlanStaticEgressPorts}.${id}`, type: 'OctetString', value: withPort(list, port, member) };
}

function untaggedOf(id: number, list: Uint8Array, port: number, member: boolean): SetVarBind {
  return { oid: `${OID.dot1qVlanStaticUntaggedPorts}.${id}`, type: 'OctetString', value: withPort(list, port, member) };
}

/** VLANs of which another port's membership is no longer what it was before our writes: somebody else wrote at the same time. Pure. */
export function disturbed(before: Membership, after: Membership, bridgePort: number): number[] {
  const others = (list: Uint8Array) =>
    Buffer.from(withPort(list, bridgePort, false))
      .toString('hex')
      .replace(/(?:00)+$/, '');
  return [...before.vlans].flatMap(([id, was]) => {
    const is = after.vlans.get(id);
    if (is === undefined) return [];
    return others(was.egress) === others(is.egress) && others(was.untagged) === others(is.untagged) ? [] : [id];
  });
}
