import type { PortState } from '../../../drivers/model/port.ts';
import { configured } from '../../../drivers/model/switchport.ts';

/** One port as Open vSwitch keeps it; VLAN membership by ovs-vswitchd.conf.db(5), "VLAN Configuration". */
export class ModelPort {
  mode: string | null = null;
  tag: number | null = null;
  trunks: ReadonlySet<number> = new Set();
  up = true;
  mtu = 1500;
  description: string | null = null;

  /** "N" untagged, "Nt" tagged: what the port forwards now. VLAN 0 and 4095 count. */
  carried(): Set<string> {
    if (!this.up) return new Set();
    const mode = this.mode ?? (this.tag === null ? 'trunk' : 'access');
    const tag = this.tag ?? 0;
    if (mode === 'access') return new Set([`${tag}`]);
    const all = this.trunks.size === 0 ? Array.from({ length: 4096 }, (_, id) => id) : [...this.trunks];
    if (mode === 'trunk') return new Set(all.map((id) => (id === 0 ? '0' : `${id}t`)));
    const listed = all.filter((id) => id !== tag && (id !== 0 || tag === 0)).map((id) => `${id}t`);
    return new Set([...listed, mode === 'native-untagged' ? `${tag}` : `${tag}t`]);
  }

  /** One printed command. Only what the driver may send is known. */
  run(command: string, name: string): void {
    const words = shellWords(command);
    if (words[0] === 'ip') {
      const [, link, set, dev, device, state] = words;
      if (link !== 'link' || set !== 'set' || dev !== 'dev' || device !== name) throw new Error(`unknown: ${command}`);
      this.up = state === 'up';
      return;
    }
    if (words[0] !== 'ovs-vsctl') throw new Error(`unknown: ${command}`);
    // One transaction: all parts or none, so nobody sees a state between them.
    for (const part of split(words.slice(1))) this.#part(part, name);
  }

  #part([verb, table, row, ...rest]: string[], name: string): void {
    if (row !== undefined && row !== name) throw new Error(`another row: ${row}`);
    if (verb === 'port-to-br' || verb === 'iface-to-br') return;
    if (verb === 'remove' && table === 'port' && rest.join(' ') === 'external_ids description') {
      this.description = null;
    } else if (verb === 'set') {
      for (const word of rest) this.#set(word);
    } else throw new Error(`unknown: ${[verb, table, ...rest].join(' ')}`);
  }

  #set(word: string): void {
    const [, column = '', value = ''] = /^([a-z_]+(?::[a-z]+)?)=(.*)$/s.exec(word) ?? [];
    if (column === 'vlan_mode') this.mode = value;
    else if (column === 'tag') this.tag = value === '[]' ? null : Number(value);
    else if (column === 'trunks') this.trunks = value === '[]' ? new Set() : ranges(value);
    else if (column === 'mtu_request') this.mtu = Number(value);
    else if (column === 'external_ids:description') this.description = JSON.parse(value);
    else throw new Error(`unknown column: ${word}`);
  }
}

function ranges(text: string): Set<number> {
  const ids = new Set<number>();
  for (const item of text.split(',')) {
    const match = /^([0-9]+)(?:-([0-9]+))?$/.exec(item);
    if (!match) throw new Error(`not a list: ${text}`);
    for (let id = Number(match[1]); id <= Number(match[2] ?? match[1]); id++) ids.add(id);
  }
  return ids;
}

function split(words: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const word of words) word === '--' ? parts.push([]) : parts.at(-1)?.push(word);
  return parts;
}

/** Words of a POSIX shell line; throws on everything that would be more than words. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let rest = line;
  let word: string | null = null;
  while (rest !== '') {
    const token = /^(?:( +)|'([^']*)'|\\(.)|([A-Za-z0-9_.,:=/+-]+))/s.exec(rest);
    if (!token) throw new Error(`a shell would do more with this: ${rest.slice(0, 40)}`);
    rest = rest.slice(token[0].length);
    if (token[1] !== undefined) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + (token[2] ?? token[3] ?? token[4] ?? '');
  }
  return word === null ? words : [...words, word];
}

/** A port as a reading would have it. */
export function portState(over: Partial<PortState> = {}): PortState {
  return {
    name: 'swp1',
    aliases: [],
    ifIndex: 3,
    macAddress: null,
    kind: 'physical',
    adminState: 'up',
    operState: 'up',
    speedMbps: 10_000,
    mtu: 1500,
    description: '',
    switchport: configured('access', 1),
    lag: null,
    carriesManagement: false,
    problem: null,
    ...over,
  };
}
