import { defaultName, type EosConfig, type EosPort, freshPort, parseList } from './config.ts';

/** Where lines go. */
export type Section =
  | { readonly kind: 'global' }
  | { readonly kind: 'interface'; readonly name: string }
  | { readonly kind: 'vlan'; readonly id: number };

/** What the switch answers to a line of configuration; `section` is where it stands afterwards. */
export interface Edited {
  readonly section: Section;
  readonly rejected?: readonly string[];
  readonly warnings?: readonly string[];
}

const INVALID = ['% Invalid input'];
const INCOMPLETE = ['% Incomplete command'];
const GLOBAL: Section = { kind: 'global' };

/** Carries one line of configuration out on a configuration. */
export function edit(config: EosConfig, section: Section, line: string): Edited {
  const text = line.trim();
  if (text === '' || text.startsWith('!')) return { section };
  if (text === 'exit') return { section: GLOBAL };
  const inside =
    section.kind === 'interface'
      ? editPort(config, section.name, text)
      : section.kind === 'vlan'
        ? editVlan(config, section.id, text)
        : null;
  if (inside !== null) return { section, ...inside };
  return editGlobal(config, section, text);
}

function editGlobal(config: EosConfig, section: Section, text: string): Edited {
  const rejected = (lines: readonly string[]): Edited => ({ section, rejected: lines });
  const port = /^interface (\S+)$/.exec(text)?.[1];
  if (port !== undefined) {
    const name = fullName(port);
    if (config.ports.has(name)) return { section: { kind: 'interface', name } };
    return rejected(/^(?:Ethernet|Port-Channel)/.test(name) ? ['Interface does not exist'] : INVALID);
  }
  const reset = /^default interface (\S+)$/.exec(text)?.[1];
  if (reset !== undefined) {
    const name = fullName(reset);
    if (!config.ports.has(name)) return rejected(['Interface does not exist']);
    config.ports.set(name, { ...freshPort(), routed: config.routedByDefault });
    return { section: GLOBAL };
  }
  const [, no, list] = /^(no )?vlan (\S+)$/.exec(text) ?? [];
  const ids = list === undefined ? null : parseList(list);
  if (ids !== null) {
    for (const id of ids) {
      if (no === undefined) config.vlans.set(id, config.vlans.get(id) ?? defaultName(id));
      else if (id === 1) return rejected(['% VLAN 1 cannot be deleted']);
      else config.vlans.delete(id);
    }
    const [first = 1] = ids;
    return { section: no === undefined ? { kind: 'vlan', id: first } : GLOBAL };
  }
  if (text === 'switchport default mode routed' || text === 'no switchport default mode routed') {
    config.routedByDefault = !text.startsWith('no');
    return { section: GLOBAL };
  }
  const hostname = /^hostname (\S+)$/.exec(text)?.[1];
  if (hostname !== undefined) {
    config.hostname = hostname;
    return { section: GLOBAL };
  }
  return rejected(/^(?:interface|vlan|no)$/.test(text) ? INCOMPLETE : INVALID);
}

type Inside = Omit<Edited, 'section'>;

function editVlan(config: EosConfig, id: number, text: string): Inside | null {
  const name = /^name (\S{1,32})$/.exec(text)?.[1];
  if (name === undefined && text !== 'no name') return null;
  config.vlans.set(id, name ?? defaultName(id));
  return {};
}

function fullName(name: string): string {
  return name.replace(/^(?:ethernet|et|eth)(?=\d)/i, 'Ethernet').replace(/^(?:port-channel|po)(?=\d)/i, 'Port-Channel');
}

function editPort(config: EosConfig, name: string, text: string): Inside | null {
  const port = config.ports.get(name);
  if (port === undefined) return null;
  if (text === 'shutdown' || text === 'no shutdown') return set(port, { shutdown: text === 'shutdown' });
  if (text === 'no description') return set(port, { description: '' });
  const description = /^description (.+)$/.exec(text)?.[1];
  if (description !== undefined) return set(port, { description });
  if (text === 'switchport' || text === 'no switchport') return set(port, { routed: text !== 'switchport' });
  if (text === 'spanning-tree portfast')
    return {
      ...set(port, { portfast: true }),
      warnings: [
        '%Warning: portfast should only be enabled on ports connected to a single',
        'host. Connecting hubs, concentrators, switches, bridges, etc. to this',
        'interface when portfast is enabled, can cause temporary bridging loops.',
        'Use with CAUTION',
      ],
    };
  const group = /^channel-group (\d+) mode (?:active|on|passive)$/.exec(text)?.[1];
  if (group !== undefined) return set(port, { channelGroup: Number(group) });
  if (text === 'no channel-group') return set(port, { channelGroup: null });
  return text.includes('switchport') ? editSwitchport(port, text) : null;
}

function editSwitchport(port: EosPort, text: string): Inside | null {
  const mode = /^switchport mode (access|trunk|dot1q-tunnel)$/.exec(text)?.[1] as EosPort['mode'] | undefined;
  if (mode !== undefined) return set(port, { mode });
  if (text === 'no switchport mode') return set(port, { mode: 'access' });
  const [, which, id] = /^switchport (access|trunk native) vlan (\d+)$/.exec(text) ?? [];
  if (which !== undefined) {
    if (parseList(id ?? '') === null) return { rejected: INVALID };
    return set(port, which === 'access' ? { access: Number(id) } : { native: Number(id) });
  }
  if (text === 'switchport trunk native vlan tag') return set(port, { native: 'tag' });
  if (/^no switchport trunk native vlan(?: tag)?$/.test(text)) return set(port, { native: 1 });
  if (text === 'no switchport access vlan') return set(port, { access: 1 });
  if (text === 'no switchport trunk allowed vlan') return set(port, { allowed: null });
  const [, joined, name] = /^(no )?switchport trunk group (\S+)$/.exec(text) ?? [];
  if (name !== undefined) {
    const others = port.groups.filter((g) => g !== name);
    return set(port, { groups: joined === undefined ? [...others, name] : others });
  }
  const list = /^switchport trunk allowed vlan (.+)$/.exec(text)?.[1];
  return list === undefined ? null : editAllowed(port, list);
}

function editAllowed(port: EosPort, text: string): Inside {
  if (text === 'all') return set(port, { allowed: null });
  if (text === 'none') return set(port, { allowed: new Set() });
  const [, word, list] = /^(add |remove |except )?(\S+)$/.exec(text) ?? [];
  const ids = parseList(list ?? '');
  if (ids === null) return { rejected: INVALID };
  const all = port.allowed ?? new Set(Array.from({ length: 4094 }, (_, i) => i + 1));
  if (word === undefined) return set(port, { allowed: ids });
  if (word === 'add ') return set(port, { allowed: new Set([...all, ...ids]) });
  const base = word === 'except ' ? Array.from({ length: 4094 }, (_, i) => i + 1) : [...all];
  return set(port, { allowed: new Set(base.filter((id) => !ids.has(id))) });
}

function set(port: EosPort, change: Partial<EosPort>): Inside {
  Object.assign(port, change);
  return {};
}
