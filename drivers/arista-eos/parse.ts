import * as z from 'zod';
import type { SwitchIdentity } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { normalizeMac } from '../model/mac.ts';
import type { PortState, VlanEntry } from '../model/port.ts';
import { sanitizeText } from '../model/text.ts';
import { isVlanId } from '../model/vlan-set.ts';
import { interfaceSections } from '../text/ios-config.ts';
import { parseSwitchport } from '../text/ios-switchport.ts';
import { readJson } from '../text/json.ts';
import { comparePortNames } from '../text/port-name.ts';

const PORT = /^(?:Ethernet\d|Port-Channel\d)/;
const text = z.string().default('');

const versionSchema = z.object({
  modelName: text,
  version: z.string().min(1),
  serialNumber: text,
  systemMacAddress: text,
  bootupTimestamp: z.number().optional(),
});

/** `show version | json`. The boot ID is the time of the start in whole seconds, which does not change while the switch runs. */
export function parseVersion(json: string, hostname: string): SwitchIdentity {
  const { modelName, version, serialNumber, systemMacAddress, bootupTimestamp } = readJson(
    versionSchema,
    json,
    'show version | json',
  );
  return {
    vendor: 'Arista',
    model: sanitizeText(modelName, 64),
    version: sanitizeText(version, 64),
    serial: sanitizeText(serialNumber, 64) || null,
    chassisId: normalizeMac(systemMacAddress),
    systemName: hostname,
    bootId: bootupTimestamp === undefined ? null : String(Math.floor(bootupTimestamp)),
  };
}

const vlansSchema = z.object({ vlans: z.record(z.string(), z.object({ name: text })) });

/** `show vlan | json`. */
export function parseVlans(json: string): VlanEntry[] {
  const { vlans } = readJson(vlansSchema, json, 'show vlan | json');
  return Object.entries(vlans)
    .map(([id, { name }]) => ({ id: Number(id), name: sanitizeText(name, 32) }))
    .filter(({ id }) => isVlanId(id));
}

const interfacesSchema = z.object({
  interfaces: z.record(
    z.string(),
    z.object({
      interfaceStatus: text,
      lineProtocolStatus: text,
      physicalAddress: text,
      bandwidth: z.number().default(0),
    }),
  ),
});

/**
 * `show running-config` for what is configured and `show interfaces | json` for what is going on. `host` is the address at
 * which the switch is reached.
 */
export function parsePorts(running: string, interfacesJson: string, host: string): PortState[] {
  if (!/^end\s*$/m.test(running))
    throw new DriverError('parse', 'the running configuration is not complete', { command: 'show running-config' });
  const { interfaces } = readJson(interfacesSchema, interfacesJson, 'show interfaces | json');
  const routedByDefault = /^switchport default mode routed\s*$/m.test(running);
  const ports: PortState[] = [];
  for (const [name, lines] of interfaceSections(running)) {
    if (!PORT.test(name)) continue;
    const value = (prefix: string) => lines.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? null;
    const state = Object.hasOwn(interfaces, name) ? interfaces[name] : undefined;
    const group = /^\d+/.exec(value('channel-group ') ?? '')?.[0];
    const up = state?.interfaceStatus === 'connected' && state.lineProtocolStatus === 'up';
    const routed = routedByDefault && !lines.some((line) => line.startsWith('switchport'));
    ports.push({
      name,
      aliases: [],
      ifIndex: null,
      macAddress: normalizeMac(state?.physicalAddress ?? ''),
      kind: name.startsWith('Port-Channel') ? 'lag' : 'physical',
      adminState: lines.includes('shutdown') ? 'down' : 'up',
      operState: state === undefined ? 'unknown' : up ? 'up' : 'down',
      speedMbps: up && state.bandwidth > 0 ? Math.round(state.bandwidth / 1e6) : null,
      mtu: null,
      description: sanitizeText(value('description ') ?? ''),
      switchport: parseSwitchport(routed ? ['no switchport'] : lines, 'access'),
      lag: group === undefined ? null : `Port-Channel${group}`,
      carriesManagement: value('ip address ')?.split('/')[0] === host,
      problem: /^err-?disabled$/i.test(state?.interfaceStatus ?? '') ? 'err-disabled' : null,
    });
  }
  if (ports.length === 0)
    throw new DriverError('parse', 'the running configuration has no ports', { command: 'show running-config' });
  return ports.sort((a, b) => comparePortNames(a.name, b.name));
}
