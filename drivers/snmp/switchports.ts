import type { PortVlanRow, VlanFacts } from '../mib/facts.ts';
import { type ConfiguredSwitchport, configured } from '../model/switchport.ts';
import { sanitizeText } from '../model/text.ts';
import { isVlanId, VlanSet } from '../model/vlan-set.ts';
import { isEmpty, type Lists, listsByPort, NO_LISTS, setOf } from './vlan-lists.ts';

/** What must be known of the switch to read its VLAN tables. */
export interface SwitchportContext {
  /** ifIndexes of the bridge's ports. */
  readonly bridged: ReadonlySet<number>;
  /** Why ports of the bridge may be missing; null: all are known. */
  readonly bridgeIncomplete: string | null;
  /** ifIndexes of the ports whose link is up. */
  readonly up: ReadonlySet<number>;
  /**
   * The switch sets the VLAN of untagged frames in both directions by one setting, so that its untagged list tells the PVID, too. Only
   * asked where no port has a PVID.
   */
  readonly untaggedIsPvid: boolean;
}

const NONE = configured('none', null);

/**
 * What each of `ports` (ifIndexes) carries by the tables of one MIB. A port of which they do not say enough, or of which they say
 * what no mode can express, is `other` with the reason in `detail` and what is known beside it: nothing is guessed.
 */
export function switchportsOf(
  facts: VlanFacts,
  ports: Iterable<number>,
  context: SwitchportContext,
): ReadonlyMap<number, ConfiguredSwitchport> {
  const lists = listsByPort(facts);
  const result = new Map<number, ConfiguredSwitchport>();
  for (const ifIndex of ports) {
    const mine = lists.get(ifIndex) ?? NO_LISTS;
    const row = withVlanId(facts.ports.get(ifIndex));
    const doubt = doubtOf(facts, ifIndex);
    result.set(
      ifIndex,
      doubt === null ? one(facts, ifIndex, row, mine, context) : other(doubt, own(row, mine), row?.pvid),
    );
  }
  return result;
}

/** The lists of a port with what its own row lists. */
function own(row: PortVlanRow | undefined, lists: Lists): Lists {
  return row === undefined || row.tagged === null ? lists : { ...lists, tagged: lists.tagged.union(setOf(row.tagged)) };
}

/** A PVID that is no VLAN ID is none. */
function withVlanId(row: PortVlanRow | undefined): PortVlanRow | undefined {
  return row === undefined || row.pvid === null || isVlanId(row.pvid) ? row : { ...row, pvid: null };
}

function doubtOf({ doubtful, problems }: VlanFacts, ifIndex: number): string | null {
  return (doubtful === undefined ? problems[0] : doubtful.get(ifIndex)) ?? null;
}

function one(
  facts: VlanFacts,
  ifIndex: number,
  row: PortVlanRow | undefined,
  lists: Lists,
  context: SwitchportContext,
): ConfiguredSwitchport {
  if (row?.mode === 'routed') return configured('routed', null);
  const told = row !== undefined && (row.mode !== null || row.tagged !== null);
  if (!told && isEmpty(lists)) {
    if (!context.bridged.has(ifIndex) && row === undefined)
      return context.bridgeIncomplete === null
        ? NONE
        : other(`it may be missing among the bridge's ports: ${context.bridgeIncomplete}`, lists);
    if (facts.basis === 'operational' && !context.up.has(ifIndex))
      return other(`the switch shows only what operates (${facts.source}), and the link is not up`, lists, row?.pvid);
  }
  if (told) return byMode(row, lists);
  return byLists(row, lists, facts.ports.size === 0 && context.untaggedIsPvid);
}

/** Where the MIB says the mode or the tagged VLANs of the port itself. */
function byMode(row: PortVlanRow, lists: Lists): ConfiguredSwitchport {
  const { mode, pvid } = row;
  const tagged = row.tagged === null ? lists.tagged : setOf(row.tagged);
  const native = row.taggedOnly === true ? null : pvid;
  const extra = native === null ? lists.untagged : lists.untagged.without(native);
  const known = { tagged, untagged: lists.untagged, stray: VlanSet.EMPTY };
  if (mode === 'access') {
    if (native === null) return other('access, but its VLAN is not told', known);
    if (!tagged.without(native).isEmpty) return other('access, but a tagged member of other VLANs', known, native);
    return configured('access', native, VlanSet.EMPTY, extra);
  }
  if (mode === 'trunk' || mode === 'hybrid') {
    if (row.tagged !== null) return configured(mode, native, tagged, extra);
    const read = byLists(row, lists, false);
    return read.mode === 'other' ? read : { ...read, mode };
  }
  if (mode === null && row.tagged !== null && lists.stray.isEmpty)
    return byLists(row, { ...lists, tagged: tagged.minus(lists.untagged) }, false);
  return other('a mode that is neither access nor trunk nor hybrid', known, native);
}

/**
 * By PortLists and PVID (RFC 4363). Untagged frames that arrive go into the PVID, and are dropped when the port is no member of it and
 * filters; untagged frames leave from the VLANs of the untagged list. Both must be one VLAN, else the port leaks one way.
 */
function byLists(row: PortVlanRow | undefined, lists: Lists, untaggedIsPvid: boolean): ConfiguredSwitchport {
  const { tagged, untagged, stray } = lists;
  if (!stray.isEmpty) return other(`untagged in VLAN ${shown(stray)}, but no member of it`, lists, row?.pvid);
  if (row?.untaggedOnly === true && !tagged.isEmpty)
    return other('tagged frames leave, but those that arrive are dropped', lists, row.pvid);
  if (row === undefined) return isEmpty(lists) ? NONE : withoutPvid(lists, untaggedIsPvid);
  const { pvid } = row;
  if (row.taggedOnly === true || pvid === null) {
    if (isEmpty(lists)) return NONE;
    if (row.taggedOnly === true || untagged.isEmpty) return configured('trunk', null, tagged, untagged);
    return other(`untagged frames leave from VLAN ${shown(untagged)}, but the PVID is none`, lists);
  }
  if (untagged.has(pvid)) return configured(tagged.isEmpty ? 'access' : 'trunk', pvid, tagged, untagged.without(pvid));
  if (tagged.has(pvid)) return other(`VLAN ${pvid} takes untagged frames, but sends them tagged`, lists);
  if (!untagged.isEmpty)
    return other(`untagged frames arrive in VLAN ${pvid}, but leave from VLAN ${shown(untagged)}`, lists, pvid);
  if (row.ingressFiltering !== true)
    return other(
      `untagged frames arrive in VLAN ${pvid}, of which it is no member${row.ingressFiltering === false ? '' : '; whether they are dropped is not told'}`,
      lists,
      pvid,
    );
  return isEmpty(lists) ? NONE : configured('trunk', null, tagged);
}

/** A member of VLANs of which no PVID is told. */
function withoutPvid(lists: Lists, untaggedIsPvid: boolean): ConfiguredSwitchport {
  const { tagged, untagged } = lists;
  if (!untaggedIsPvid || untagged.size > 1) return other('the VLAN of untagged frames that arrive is not told', lists);
  const [native = null] = untagged.ids();
  return configured(native !== null && tagged.isEmpty ? 'access' : 'trunk', native, tagged);
}

/** `other`, with what is known of the VLANs: what the port takes or sends untagged is never hidden. */
function other(detail: string, { tagged, untagged, stray }: Lists, pvid: number | null = null): ConfiguredSwitchport {
  // What leaves tagged is not native, wherever untagged frames go that arrive.
  const native = pvid !== null && tagged.has(pvid) ? null : pvid;
  const plain = untagged.union(stray);
  const extra = native === null ? plain : plain.without(native);
  return configured('other', native, tagged, extra, sanitizeText(detail, 160));
}

function shown(vlans: VlanSet): string {
  const text = vlans.toString();
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
