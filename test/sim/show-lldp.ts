import type { SimNeighbor } from './neighbor.ts';
import { shortName } from './port-names.ts';
import type { SwitchModel } from './switch-model.ts';

const OFF = '% LLDP is not enabled';
const DASHES = '-'.repeat(48);

/** LLDP speakers seen on each port whose link is up and which is not shut. */
function seen(model: SwitchModel): [string, SimNeighbor][] {
  return model.portNames.flatMap((name): [string, SimNeighbor][] => {
    const first = model.neighbor(name);
    if (!first || model.port(name).shutdown || model.condition(name).errDisabled !== null) return [];
    const speakers = [first, ...(first.also ?? [])].filter((n) => n.lldp !== false);
    return speakers.map((n) => [name, n]);
  });
}

/** A key that IOS shows with a colon, or as "not advertised" without one. */
function optional(key: string, value: string | undefined): string {
  return value === undefined ? `${key} - not advertised` : `${key}: ${value}`;
}

function block(model: SwitchModel, name: string, n: SimNeighbor): string[] {
  const trunk = model.trunking(name);
  return [
    DASHES,
    `Local Intf: ${shortName(name)}`,
    `Chassis id: ${n.chassisId}`,
    `Port id: ${n.portId}`,
    optional('Port Description', n.portDescription),
    optional('System Name', n.systemName),
    '',
    ...(n.systemDescription === undefined
      ? ['System Description - not advertised']
      : ['System Description: ', ...n.systemDescription.split('\n')]),
    '',
    `Time remaining: ${n.ttl ?? 101} seconds`,
    `System Capabilities: ${n.capabilities ?? 'S'}`,
    `Enabled Capabilities: ${n.capabilities ?? 'S'}`,
    ...(n.managementAddress === undefined
      ? ['Management Addresses - not advertised']
      : ['Management Addresses:', `    IP: ${n.managementAddress}`]),
    'Auto Negotiation - not supported',
    'Physical media capabilities - not advertised',
    'Media Attachment Unit type - not advertised',
    `Vlan ID: ${trunk ? '- not advertised' : model.port(name).accessVlan}`,
    '',
    '',
  ];
}

/** `show lldp neighbors detail`, of all ports or one. */
export function showLldpDetail(model: SwitchModel, only: string | null): string[] {
  if (!model.config.lldpRun) return [OFF];
  const entries = seen(model).filter(([name]) => only === null || name === only);
  return [...entries.flatMap(([name, n]) => block(model, name, n)), `Total entries displayed: ${entries.length}`, ''];
}

/** `show lldp neighbors`: device names are cut to 20 characters and may touch the next column. */
export function showLldpTable(model: SwitchModel): string[] {
  if (!model.config.lldpRun) return [OFF];
  const entries = seen(model);
  return [
    'Capability codes:',
    '    (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device',
    '    (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other',
    '',
    'Device ID           Local Intf     Hold-time  Capability      Port ID',
    ...entries.map(([name, n]) => {
      const device = (n.systemName ?? n.chassisId).slice(0, 20).padEnd(20);
      const hold = String(n.ttl ?? 101).padEnd(11);
      return `${device}${shortName(name).padEnd(15)}${hold}${(n.capabilities ?? 'S').padEnd(16)}${n.portId}`;
    }),
    '',
    `Total entries displayed: ${entries.length}`,
    '',
  ];
}
