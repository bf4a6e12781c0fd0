import type { SwitchIdentity } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { normalizeMac } from '../model/mac.ts';
import type { PortState, VlanEntry } from '../model/port.ts';
import { type ConfiguredSwitchport, configured } from '../model/switchport.ts';
import { sanitizeText } from '../model/text.ts';
import { VlanSet, VlanSyntaxError } from '../model/vlan-set.ts';
import { comparePortNames } from '../text/port-name.ts';
import { MTU, PORT_NAME, VOICE } from './commands.ts';

/** Interfaces that are not ports: the switch's own layer 3 interfaces. */
const VIRTUAL = /^(?:vlan|loopback|tunnel|null|bdi)\d/i;
/** Lines that change nothing about which VLANs a port carries. */
const NEUTRAL = /^switchport(?: nonegotiate| trunk encapsulation dot1q| port-security| protected| block |$)/;

/**
 * `show version`. The boot ID is the switch's own word for when it started, or null: a time computed from "uptime" would
 * change from one reading to the next.
 */
export function parseVersion(text: string, hostname: string): SwitchIdentity {
  const first = (pattern: RegExp) => sanitizeText(pattern.exec(text)?.[1] ?? '', 64);
  const version = first(/\bVersion ([^,\s]+)/);
  if (version === '')
    throw new DriverError('parse', 'the answer to "show version" names no version', { command: 'show version' });
  return {
    vendor: first(/^(\S+) .*\bSoftware\b/m),
    model: first(/^Model number\s*:\s*(\S+)/im) || first(/^cisco (\S+) .*processor/im),
    version,
    serial: first(/^System serial number\s*:\s*(\S+)/im) || first(/^Processor board ID (\S+)/im) || null,
    chassisId: normalizeMac(first(/^Base ethernet MAC address\s*:\s*(\S+)/im)),
    systemName: first(/^(\S+) uptime is /m) || hostname,
    bootId: first(/^System restarted at (.+)$/m) || null,
  };
}

/**
 * Whether there are unsaved changes, by the times at the head of the running configuration, which count whole seconds and
 * are in the switch's own time zone; null when they do not tell.
 */
export function parseUnsaved(running: string): boolean | null {
  const time = (words: string) => {
    const found = new RegExp(`^! ${words} at (\\d\\d:\\d\\d:\\d\\d) \\w+ \\w{3} (\\w{3} \\d+ \\d{4})`, 'm').exec(
      running,
    );
    return found ? Date.parse(`${found[2]} ${found[1]} UTC`) : Number.NaN;
  };
  const [changed, saved] = [time('Last configuration change'), time('NVRAM config last updated')];
  return changed > saved ? true : changed < saved ? false : null;
}

/** `show vlan brief`. */
export function parseVlans(text: string): VlanEntry[] {
  const rows = [...text.matchAll(/^(\d{1,4})\s+(\S.*?)\s+(?:active|act\/|sus\/|suspended)/gm)];
  if (rows.length === 0)
    throw new DriverError('parse', 'the answer to "show vlan brief" lists no VLAN', { command: 'show vlan brief' });
  return rows.map((row) => ({ id: Number(row[1]), name: sanitizeText(row[2] ?? '', 32) }));
}

/**
 * `show running-config` and `show interfaces`: what is configured comes from the first, what is going on from the second.
 * `host` is the address at which the switch is reached.
 */
export function parsePorts(running: string, interfaces: string, host: string): PortState[] {
  if (!/^end\s*$/m.test(running))
    throw new DriverError('parse', 'the running configuration is not complete', { command: 'show running-config' });
  const states = interfaceStates(interfaces);
  const ports: PortState[] = [];
  for (const [name, lines] of interfaceSections(running)) {
    if (VIRTUAL.test(name) || !PORT_NAME.test(name)) continue;
    const value = (prefix: string) => lines.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? null;
    const state = states.get(name);
    const group = /^\d+/.exec(value('channel-group ') ?? '')?.[0];
    ports.push({
      name,
      aliases: [],
      ifIndex: null,
      macAddress: state?.macAddress ?? null,
      kind: /^port-channel/i.test(name) ? 'lag' : 'physical',
      adminState: lines.includes('shutdown') ? 'down' : 'up',
      operState: state === undefined ? 'unknown' : state.up ? 'up' : 'down',
      speedMbps: state?.speedMbps ?? null,
      mtu: Number(value('mtu ') ?? MTU.min),
      description: sanitizeText(value('description ') ?? ''),
      switchport: parseSwitchport(lines),
      lag: group === undefined ? null : `Port-channel${group}`,
      carriesManagement: value('ip address ')?.split(' ')[0] === host,
      problem: state?.problem ?? null,
    });
  }
  if (ports.length === 0)
    throw new DriverError('parse', 'the running configuration has no ports', { command: 'show running-config' });
  return ports.sort((a, b) => comparePortNames(a.name, b.name));
}

function interfaceSections(running: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let lines: string[] | null = null;
  for (const line of running.split('\n')) {
    const name = /^interface (\S+)\s*$/.exec(line)?.[1];
    if (name !== undefined) {
      lines = [];
      sections.set(name, lines);
    } else if (/^\s+\S/.test(line)) lines?.push(line.trim());
    else lines = null;
  }
  return sections;
}

/**
 * The `switchport` lines of one interface. What is not known is never taken for harmless: it makes the mode `other`. Without
 * a mode line the port negotiates its mode, which is the default.
 */
export function parseSwitchport(lines: readonly string[]): ConfiguredSwitchport {
  let mode = 'dynamic auto';
  let access = 1;
  let native = 1;
  let allowed = VlanSet.ALL;
  let unusual = '';
  for (const line of lines) {
    const vlan = /^switchport (access|trunk native) vlan (\d+)$/.exec(line);
    const list = /^switchport trunk allowed vlan (.+)$/.exec(line)?.[1];
    if (line === 'no switchport') return configured('routed', null);
    else if (line.startsWith('switchport mode ')) mode = line.slice('switchport mode '.length);
    else if (vlan?.[1] === 'access') access = Number(vlan[2]);
    else if (vlan) native = Number(vlan[2]);
    else if (list !== undefined) allowed = allowedList(list, allowed);
    else if (line.startsWith('switchport voice vlan '))
      unusual = `${VOICE} ${line.slice('switchport voice vlan '.length)}`;
    else if (line.startsWith('switchport') && !NEUTRAL.test(line)) unusual = line;
  }
  if (unusual !== '' || (mode !== 'access' && mode !== 'trunk'))
    return configured('other', null, VlanSet.EMPTY, VlanSet.EMPTY, sanitizeText(unusual || mode, 64));
  if (mode === 'access') return configured('access', access);
  return configured('trunk', allowed.has(native) ? native : null, allowed);
}

/** A long list is shown as one line and more lines with `add`. */
function allowedList(text: string, before: VlanSet): VlanSet {
  const [word = '', rest = ''] = text.split(' ');
  try {
    if (word === 'none') return VlanSet.EMPTY;
    if (word === 'all') return VlanSet.ALL;
    if (word === 'add') return before.union(VlanSet.parse(rest));
    if (word === 'remove') return before.minus(VlanSet.parse(rest));
    if (word === 'except') return VlanSet.ALL.minus(VlanSet.parse(rest));
    return VlanSet.parse(text);
  } catch (error) {
    if (!(error instanceof VlanSyntaxError)) throw error;
    throw new DriverError('parse', `a list of allowed VLANs cannot be read: ${error.message}`, { cause: error });
  }
}

interface InterfaceState {
  readonly up: boolean;
  readonly macAddress: string | null;
  readonly speedMbps: number | null;
  readonly problem: string | null;
}

function interfaceStates(text: string): Map<string, InterfaceState> {
  const states = new Map<string, InterfaceState>();
  for (const block of text.split(/\n(?=\S)/)) {
    const head = /^(\S+) is (.+?), line protocol is (\w+)(?: \((.+?)\))?/.exec(block);
    if (!head?.[1]) continue;
    const up = head[2] === 'up' && head[3] === 'up';
    const speed = /([\d.]+) ?([MG])b\/s/.exec(block);
    const bandwidth = /\bBW (\d+) Kbit/.exec(block)?.[1];
    const measured = speed
      ? Number(speed[1]) * (speed[2] === 'G' ? 1000 : 1)
      : bandwidth
        ? Number(bandwidth) / 1000
        : null;
    const word = head[4] ?? '';
    states.set(head[1], {
      up,
      macAddress: normalizeMac(/\baddress is ([0-9a-f.:]+)/i.exec(block)?.[1] ?? ''),
      speedMbps: up ? measured : null,
      problem: /err-?disabled|suspended|inactive|faulty/i.test(word) ? sanitizeText(word, 64) : null,
    });
  }
  return states;
}
