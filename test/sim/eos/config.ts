/** Configuration of one interface of an Arista switch, by the dossier: what is not written is the default. */
export interface EosPort {
  routed: boolean;
  mode: 'access' | 'trunk' | 'dot1q-tunnel';
  access: number;
  native: number | 'tag';
  /** null: every VLAN. */
  allowed: ReadonlySet<number> | null;
  groups: readonly string[];
  shutdown: boolean;
  description: string;
  channelGroup: number | null;
  portfast: boolean;
}

/** A whole configuration; plain data, so that a candidate is a copy. */
export interface EosConfig {
  hostname: string;
  /** `switchport default mode routed`. */
  routedByDefault: boolean;
  readonly vlans: Map<number, string>;
  readonly ports: Map<string, EosPort>;
}

export function freshPort(): EosPort {
  return {
    routed: false,
    mode: 'access',
    access: 1,
    native: 1,
    allowed: null,
    groups: [],
    shutdown: false,
    description: '',
    channelGroup: null,
    portfast: false,
  };
}

export function copyConfig(config: EosConfig): EosConfig {
  return {
    ...config,
    vlans: new Map(config.vlans),
    ports: new Map([...config.ports].map(([name, port]) => [name, { ...port }])),
  };
}

/** "10,20-22" as numbers; null when it is not a list of VLAN IDs. */
export function parseList(text: string): Set<number> | null {
  const ids = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part);
    const [from, to] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (!match || from < 1 || to > 4094 || from > to) return null;
    for (let id = from; id <= to; id++) ids.add(id);
  }
  return ids;
}

export function listText(ids: ReadonlySet<number>): string {
  const runs: [number, number][] = [];
  for (const id of [...ids].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === id - 1) last[1] = id;
    else runs.push([id, id]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

const ALL = Array.from({ length: 4094 }, (_, i) => i + 1);

export function allowedIds(port: EosPort): readonly number[] {
  return port.allowed === null ? ALL : [...port.allowed];
}

/** `show running-config`. */
export function runningConfig(config: EosConfig): string[] {
  const lines = [`hostname ${config.hostname}`, '!'];
  if (config.routedByDefault) lines.push('switchport default mode routed', '!');
  for (const [id, name] of [...config.vlans].sort(([a], [b]) => a - b))
    if (id !== 1) lines.push(`vlan ${id}`, ...(name === defaultName(id) ? [] : [`   name ${name}`]), '!');
  for (const [name, port] of config.ports)
    lines.push(`interface ${name}`, ...portLines(port, config).map((l) => `   ${l}`), '!');
  return ['! Command: show running-config', '! device: tor (DCS-7050SX3, EOS-4.31.2F)', '!', ...lines, 'end'];
}

/** The lines of one interface, in the order in which EOS writes them: `allowed vlan` stands before `mode trunk`. */
export function portLines(port: EosPort, { routedByDefault }: Pick<EosConfig, 'routedByDefault'>): string[] {
  const lines: string[] = [];
  if (port.description !== '') lines.push(`description ${port.description}`);
  if (port.shutdown) lines.push('shutdown');
  if (port.routed) return routedByDefault ? lines : [...lines, 'no switchport'];
  if (routedByDefault) lines.push('switchport');
  if (port.access !== 1) lines.push(`switchport access vlan ${port.access}`);
  if (port.native !== 1) lines.push(`switchport trunk native vlan ${port.native}`);
  if (port.allowed !== null)
    lines.push(`switchport trunk allowed vlan ${port.allowed.size === 0 ? 'none' : listText(port.allowed)}`);
  if (port.mode !== 'access') lines.push(`switchport mode ${port.mode}`);
  for (const group of port.groups) lines.push(`switchport trunk group ${group}`);
  if (port.channelGroup !== null) lines.push(`channel-group ${port.channelGroup} mode active`);
  if (port.portfast) lines.push('spanning-tree portfast');
  return lines;
}

export function defaultName(id: number): string {
  return `VLAN${String(id).padStart(4, '0')}`;
}

/** What the port forwards: "10t", "20u". Trunk groups carry more than their list; a member forwards nothing by itself. */
export function carried(port: EosPort): Set<string> {
  if (port.shutdown || port.routed || port.channelGroup !== null) return new Set();
  if (port.mode !== 'trunk') return new Set([`${port.access}u`]);
  const ids = new Set(allowedIds(port));
  const native = port.native;
  const tagged = [...ids].filter((id) => id !== native).map((id) => `${id}t`);
  return new Set(native !== 'tag' && ids.has(native) ? [...tagged, `${native}u`] : tagged);
}
