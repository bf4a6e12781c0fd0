import type { SwitchIdentity } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { normalizeMac } from '../model/mac.ts';
import type { PortState, VlanEntry } from '../model/port.ts';
import { sanitizeText } from '../model/text.ts';
import { interfaceSections, interfaceStates } from '../text/ios-config.ts';
import { parseSwitchport } from '../text/ios-switchport.ts';
import { comparePortNames } from '../text/port-name.ts';
import { MTU, PORT_NAME } from './commands.ts';

/** Interfaces that are not ports: the switch's own layer 3 interfaces. */
const VIRTUAL = /^(?:vlan|loopback|tunnel|null|bdi)\d/i;
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
