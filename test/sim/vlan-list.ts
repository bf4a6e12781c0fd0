/** A set of VLAN IDs as the simulated switch keeps it. Deliberately not the product's VlanSet: a bug must not hide on both sides. */
export type VlanIds = ReadonlySet<number>;

export const ALL_VLANS: VlanIds = new Set(Array.from({ length: 4094 }, (_, i) => i + 1));
export const NO_VLANS: VlanIds = new Set();

/** True when the set is what IOS calls ALL (1 to 4094). */
export function isAll(ids: VlanIds): boolean {
  return ids.size === 4094;
}

export function unite(a: VlanIds, b: VlanIds): VlanIds {
  return new Set([...a, ...b]);
}

export function subtract(a: VlanIds, b: VlanIds): VlanIds {
  return new Set([...a].filter((id) => !b.has(id)));
}

export function sameIds(a: VlanIds, b: VlanIds): boolean {
  return a === b || (a.size === b.size && [...a].every((id) => b.has(id)));
}

/**
 * Reads an IOS VLAN list ("10,20-25"). Returns the set, or the text after "Command rejected: " that IOS answers with,
 * which counts characters of the list from 1.
 */
export function parseVlanList(text: string): VlanIds | string {
  const ids = new Set<number>();
  let position = 0;
  for (const item of text.split(',')) {
    const end = position + item.length;
    const last = end >= text.length;
    if (item === '') {
      return last && position > 0
        ? `Bad VLAN list - character #${position} is a comma at end of list.`
        : `Bad VLAN list - character #${position + 1} is a comma where a VLAN number is expected.`;
    }
    const odd = /[^0-9-]/.exec(item);
    if (odd)
      return `Bad VLAN list - character #${position + odd.index + 1} (${odd[0]}) is not a digit, comma or hyphen.`;
    const match = /^([0-9]+)(?:-([0-9]+))?$/.exec(item);
    if (!match) return `Bad VLAN list - character #${position + item.indexOf('-') + 1} is an unexpected hyphen.`;
    const from = Number(match[1]);
    const to = match[2] === undefined ? from : Number(match[2]);
    const delimiter = last ? 'EOL' : "','";
    if (from < 1 || from > 4094 || to < 1 || to > 4094) {
      return `Bad VLAN list - character #${end + 1} (${delimiter}) delimits a VLAN number which is out of the range 1..4094.`;
    }
    if (to < from)
      return `Bad VLAN list - character #${end + 1} (${delimiter}) delimits a VLAN range which is descending.`;
    for (let id = from; id <= to; id++) ids.add(id);
    position = end + 1;
  }
  return ids;
}

/** The items of a list as IOS writes them: three and more consecutive IDs become a range, two stay two. */
export function listItems(ids: VlanIds): string[] {
  const sorted = [...ids].sort((a, b) => a - b);
  const items: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let j = i;
    while (j + 1 < sorted.length && sorted[j + 1] === (sorted[j] ?? 0) + 1) j++;
    if (j - i >= 2) items.push(`${sorted[i]}-${sorted[j]}`);
    else for (let k = i; k <= j; k++) items.push(String(sorted[k]));
    i = j + 1;
  }
  return items;
}

/** Packs list items into chunks of at most `width` characters, broken after commas (which stay outside the chunks). */
export function packItems(items: readonly string[], width: number, firstWidth = width): string[] {
  const chunks: string[] = [];
  let chunk = '';
  for (const item of items) {
    const room = chunks.length === 0 ? firstWidth : width;
    if (chunk !== '' && chunk.length + 1 + item.length > room) {
      chunks.push(chunk);
      chunk = item;
    } else chunk = chunk === '' ? item : `${chunk},${item}`;
  }
  if (chunk !== '') chunks.push(chunk);
  return chunks;
}
