/** `swp`: `swp1` (no short form); `ethernet`: `Ethernet1/1`, short `Et1/1`. */
export type PortNaming = 'swp' | 'ethernet';

/** What an interface name on the command line stands for. */
export interface InterfaceName {
  readonly type: 'port' | 'port-channel' | 'vlan';
  readonly number: number;
}

/** Long name of a port, as running-config has it. */
export function longName(naming: PortNaming, number: number): string {
  return naming === 'swp' ? `swp${number}` : `Ethernet1/${number}`;
}

/** Name of a port or Port-channel as the tables have it. */
export function shortName(name: string): string {
  return name
    .replace(/^Ethernet/, 'Et')
    .replace(/^Port-channel/, 'Po')
    .replace(/^Vlan/, 'Vl');
}

/**
 * Reads an interface name in any unambiguous form and case: "swp1", "SWP1", "Ethernet1/1", "eth1/1", "e1/1", "Po1",
 * "port-channel1". Null when it is no interface name of this naming.
 */
export function parseInterfaceName(naming: PortNaming, text: string): InterfaceName | null {
  const match = /^([a-z][a-z-]*)((?:[0-9]+\/)*)([0-9]+)$/i.exec(text);
  if (!match) return null;
  const [, word = '', slots = '', digits = ''] = match;
  const types = {
    [naming === 'swp' ? 'swp' : 'ethernet']: 'port',
    'port-channel': 'port-channel',
    vlan: 'vlan',
  } as const;
  const found = Object.entries(types).filter(([name]) => name.startsWith(word.toLowerCase()));
  const type = found.length === 1 ? found[0]?.[1] : undefined;
  if (type === undefined || /^0[0-9]/.test(digits) || digits.length > 4) return null;
  if (slots !== (type === 'port' && naming === 'ethernet' ? '1/' : '')) return null;
  return { type, number: Number(digits) };
}

/**
 * Reads an `interface range` list: "swp1 - 4 , swp7", "Et1/1-4,Et1/7". Null when any item is not understood.
 * Bounds are not checked: whether a port exists is for the switch to say.
 */
export function parseInterfaceRange(naming: PortNaming, text: string): InterfaceName[] | null {
  const names: InterfaceName[] = [];
  for (const item of text.split(',')) {
    const match = /^\s*([a-z][a-z-]*)\s*([0-9/]+?)(?:\s*-\s*([0-9]+))?\s*$/i.exec(item);
    const first = match ? parseInterfaceName(naming, `${match[1]}${match[2]}`) : null;
    if (!match || !first) return null;
    const last = match[3] === undefined ? first.number : Number(match[3]);
    if (last < first.number || last - first.number > 1000) return null;
    for (let number = first.number; number <= last; number++) names.push({ type: first.type, number });
  }
  return names;
}
