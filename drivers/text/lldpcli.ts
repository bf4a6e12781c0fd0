import { DriverError } from '../errors.ts';
import { normalizeMac } from '../model/mac.ts';
import type { IdSubtype, LldpId, Neighbor } from '../model/neighbor.ts';
import { sanitizeText } from '../model/text.ts';

/** Most neighbours kept for one port, and in all: what hosts send must not grow without bound. */
export const MAX_NEIGHBORS_PER_PORT = 64;
export const MAX_NEIGHBORS = 4096;

/** Words of lldpd 1.0 for ID subtypes; it has one word, "unhandled", for the component, port and circuit subtypes. */
const SUBTYPES: Readonly<Record<string, IdSubtype>> = {
  mac: 'mac',
  ifname: 'ifname',
  ifalias: 'ifalias',
  local: 'local',
  ip: 'network',
};

const CAPABILITIES: Readonly<Record<string, string>> = {
  other: 'other',
  repeater: 'repeater',
  bridge: 'bridge',
  wlan: 'wlan-ap',
  router: 'router',
  tel: 'telephone',
  docsis: 'docsis-cable-device',
  station: 'station',
};

/**
 * Reads `lldpcli -f json0 show neighbors details`: the form in which every element is a list, whatever the count.
 * Entries without a local port, and neighbours by other protocols than LLDP, are left out; missing fields are empty.
 * Throws {@link DriverError} `parse` when it is no such output at all.
 */
export function parseLldpNeighbors(text: string): Neighbor[] {
  const root = parseRoot(text, 'lldp');
  const neighbors: Neighbor[] = [];
  const perPort = new Map<string, number>();
  for (const entry of root.flatMap((part) => objects(part.interface))) {
    const port = typeof entry.name === 'string' ? sanitizeText(entry.name, 63) : '';
    if (port === '' || entry.via !== 'LLDP') continue;
    const count = perPort.get(port) ?? 0;
    if (count >= MAX_NEIGHBORS_PER_PORT || neighbors.length >= MAX_NEIGHBORS) continue;
    perPort.set(port, count + 1);
    neighbors.push(toNeighbor(port, objects(entry.chassis)[0] ?? {}, objects(entry.port)[0] ?? {}));
  }
  return neighbors;
}

/** The switch's own chassis ID and name from `lldpcli -f json0 show chassis`; null when the output is not understood. */
export function parseLldpChassis(text: string): { readonly id: LldpId; readonly systemName: string } | null {
  try {
    const chassis = parseRoot(text, 'local-chassis').flatMap((part) => objects(part.chassis))[0];
    return chassis === undefined ? null : { id: lldpId(chassis.id), systemName: firstValue(chassis.name) };
  } catch {
    return null;
  }
}

type Json = Readonly<Record<string, unknown>>;

function toNeighbor(port: string, chassis: Json, remote: Json): Neighbor {
  return {
    port,
    chassisId: lldpId(chassis.id),
    portId: lldpId(remote.id),
    systemName: firstValue(chassis.name),
    systemDescription: firstValue(chassis.descr),
    portDescription: firstValue(remote.descr),
    capabilities: enabledCapabilities(chassis.capability),
    managementAddresses: objects(chassis['mgmt-ip'])
      .slice(0, 16)
      .map((item) => (typeof item.value === 'string' ? sanitizeText(item.value, 64) : ''))
      .filter((address) => address !== ''),
    ttlSeconds: ttl(objects(remote.ttl)[0]?.value),
  };
}

function lldpId(value: unknown): LldpId {
  const item = objects(value)[0];
  if (item === undefined || typeof item.value !== 'string') return { subtype: 'unknown', value: '' };
  const subtype = (typeof item.type === 'string' ? own(SUBTYPES, item.type) : undefined) ?? 'unknown';
  const mac = subtype === 'mac' ? normalizeMac(item.value) : null;
  return { subtype, value: mac ?? sanitizeText(item.value) };
}

function enabledCapabilities(value: unknown): string[] {
  const words = objects(value)
    .slice(0, 16)
    .filter((item) => item.enabled === true && typeof item.type === 'string')
    .map((item) => own(CAPABILITIES, String(item.type).toLowerCase()))
    .filter((word): word is string => word !== undefined);
  return [...new Set(words)].sort();
}

function ttl(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

function firstValue(value: unknown): string {
  const item = objects(value)[0];
  return typeof item?.value === 'string' ? sanitizeText(item.value) : '';
}

function objects(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Json => typeof item === 'object' && item !== null && !Array.isArray(item));
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function parseRoot(text: string, key: string): Json[] {
  let root: unknown = null;
  try {
    root = JSON.parse(text);
  } catch {
    // Reported below like any other answer that is not understood.
  }
  if (typeof root === 'object' && root !== null && key in root) {
    const parts: unknown = (root as Json)[key];
    if (Array.isArray(parts)) return objects(parts);
  }
  const said = sanitizeText(text, 120);
  throw new DriverError('parse', `lldpcli did not answer with its json0 format: "${said}"`, { answer: said });
}
