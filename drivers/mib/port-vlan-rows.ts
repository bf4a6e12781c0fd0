import { isVlanId } from '../model/vlan-set.ts';
import type { Column, WalkResult } from '../snmp/session-types.ts';
import { integerOf, truthOf, vlanNumberOf } from './decode.ts';
import type { BridgePorts, PortVlanRow } from './facts.ts';
import { objectName } from './oids.ts';
import type { PortRows, VlanLayout } from './vlan-layout.ts';
import { indexed } from './vlan-rows.ts';

/**
 * PVID, acceptable frame types and ingress filtering of each port, by ifIndex. A PVID that is no VLAN ID (Junos: 0 on a trunk without
 * native VLAN) is null.
 */
export function readPortRows(walked: WalkResult, bridge: BridgePorts, layout: VlanLayout): PortRows {
  const { pvid, frameTypes, ingressFiltering } = layout.port;
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  const rows = new Map<number, PortVlanRow>();
  const doubtful = new Map<number, string>();
  for (const [index, value] of column(pvid)) {
    const ifIndex = bridge.get(indexed(index, layout.component) ?? 0);
    if (ifIndex === undefined) continue;
    const id = vlanNumberOf(value);
    const frames = column(frameTypes).get(index);
    const types = integerOf(frames);
    if (id === null || (frames !== undefined && types === null)) {
      const [oid, wrong, wanted] = id === null ? [pvid, value, 'a VLAN ID'] : [frameTypes, frames, 'a number'];
      const what = typeof wrong?.value === 'number' ? `${wrong.type} ${wrong.value}` : wrong?.type;
      doubtful.set(ifIndex, `${objectName(`${oid}.${index}`)} is ${what}, not ${wanted}`);
    }
    const row: PortVlanRow = {
      pvid: isVlanId(id) ? id : null,
      taggedOnly: types === null ? null : types === layout.taggedOnly,
      untaggedOnly: types !== null && types === layout.untaggedOnly,
      ingressFiltering: truthOf(column(ingressFiltering).get(index)),
      mode: null,
      tagged: null,
    };
    const twin = rows.get(ifIndex);
    if (twin !== undefined && (twin.pvid !== row.pvid || twin.taggedOnly !== row.taggedOnly))
      doubtful.set(ifIndex, 'several bridge ports are this interface, and differ in their PVID');
    // A frame type that the MIB does not know may drop anything.
    if (types !== null && !isKnown(types, layout))
      doubtful.set(ifIndex, `${objectName(`${frameTypes}.${index}`)} is ${types}, which the MIB does not know`);
    rows.set(ifIndex, row);
  }
  const problems = [pvid, frameTypes, ingressFiltering].flatMap((oid) => incompleteness(oid, walked));
  return { rows, doubtful, problems };
}

const ADMIT_ALL = 1;

function isKnown(types: number, { taggedOnly, untaggedOnly }: VlanLayout): boolean {
  return types === ADMIT_ALL || types === taggedOnly || types === untaggedOnly;
}

/** Why a column may lack rows, as a sentence; none when it is whole. */
export function incompleteness(oid: string, walked: WalkResult): readonly string[] {
  const why = walked.incomplete.get(oid);
  return why === undefined ? [] : [`${objectName(oid)} may lack rows: ${why}`];
}
