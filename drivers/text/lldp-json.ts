import * as z from 'zod';
import { normalizeMac } from '../model/mac.ts';
import type { IdSubtype, LldpId, Neighbor } from '../model/neighbor.ts';
import { sanitizeText } from '../model/text.ts';
import { readJson } from './json.ts';

const text = z.string().default('');
const schema = z.object({
  lldpNeighbors: z.record(
    z.string(),
    z.object({
      lldpNeighborInfo: z.array(
        z.object({
          chassisIdType: text,
          chassisId: text,
          systemName: text,
          systemDescription: text,
          ttl: z.number().optional(),
          systemCapabilities: z.record(z.string(), z.boolean()).default({}),
          managementAddresses: z.array(z.object({ address: text })).default([]),
          neighborInterfaceInfo: z.object({ interfaceIdType: text, interfaceId: text, interfaceDescription: text }),
        }),
      ),
    }),
  ),
});

const SUBTYPES: Readonly<Record<string, IdSubtype>> = {
  macAddress: 'mac',
  interfaceName: 'ifname',
  interfaceAlias: 'ifalias',
  networkAddress: 'network',
  chassisComponent: 'component',
  portComponent: 'component',
  agentCircuitId: 'circuit',
  local: 'local',
};

/** Neighbours as EOS lists them (`show lldp neighbors detail | json`). In JSON a neighbour's text cannot look like anything else. */
export function parseEosLldp(json: string, command: string): Neighbor[] {
  const { lldpNeighbors } = readJson(schema, json, command);
  return Object.entries(lldpNeighbors).flatMap(([port, { lldpNeighborInfo }]) =>
    lldpNeighborInfo.map((info): Neighbor => {
      const { interfaceIdType, interfaceId, interfaceDescription } = info.neighborInterfaceInfo;
      return {
        port,
        chassisId: idOf(info.chassisIdType, info.chassisId),
        portId: idOf(interfaceIdType, interfaceId),
        systemName: sanitizeText(info.systemName),
        systemDescription: sanitizeText(info.systemDescription),
        portDescription: sanitizeText(interfaceDescription),
        capabilities: Object.entries(info.systemCapabilities)
          .flatMap(([name, on]) => (on ? [sanitizeText(kebab(name), 32)] : []))
          .sort(),
        managementAddresses: info.managementAddresses.map(({ address }) => sanitizeText(address, 64)).filter(Boolean),
        ttlSeconds: info.ttl ?? null,
      };
    }),
  );
}

/** Names arrive in quotes on some versions; MAC addresses in three groups. */
function idOf(type: string, value: string): LldpId {
  const subtype = Object.hasOwn(SUBTYPES, type) ? (SUBTYPES[type] ?? 'unknown') : 'unknown';
  const bare = /^"(.*)"$/s.exec(value)?.[1] ?? value;
  return { subtype, value: (subtype === 'mac' ? normalizeMac(bare) : null) ?? sanitizeText(bare) };
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
