import type { VlanSet } from '../model/vlan-set.ts';

/**
 * The allowed list, replaced as a whole by the first line. A list too long for one line goes on with `add`, which extends
 * the exact list just written and never the default of all VLANs.
 */
export function allowedLines(allowed: VlanSet, maxLine: number): string[] {
  const lines: string[] = [];
  let line = 'switchport trunk allowed vlan ';
  let items = '';
  for (const item of allowed.toString().split(',')) {
    if (items !== '' && line.length + items.length + 1 + item.length > maxLine) {
      lines.push(line + items);
      line = 'switchport trunk allowed vlan add ';
      items = '';
    }
    items += items === '' ? item : `,${item}`;
  }
  lines.push(line + (allowed.isEmpty ? 'none' : items));
  return lines;
}

/**
 * A native VLAN that the trunk does not allow, so that untagged frames are dropped: the parking VLAN when there is one,
 * else 1, which is the default, leads nowhere on this port, and need not be created; else the lowest free one (but the
 * reserved 1002 to 1005). Null when every VLAN is allowed.
 */
export function unusedNative(allowed: VlanSet, parkingVlan: number | null): number | null {
  if (parkingVlan !== null && !allowed.has(parkingVlan)) return parkingVlan;
  for (let id = 1; id <= 4094; id++) if (!allowed.has(id) && (id < 1002 || id > 1005)) return id;
  return null;
}
