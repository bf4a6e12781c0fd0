import { normalizeMac } from '../model/mac.ts';
import type { IdSubtype, LldpId } from '../model/neighbor.ts';
import type { Column, SnmpSession, VarBind } from '../snmp/session-types.ts';
import { integerOf, octetsOf, textOf } from './decode.ts';
import { lineOf } from './line-text.ts';
import type { LldpRemote, LldpTables } from './lldp-table.ts';
import { addressText } from './network-address.ts';

/** lldpNeighborInfoEntry of TP-Link's private MIB, index ifIndex.neighbour. Subtypes and capabilities come as English words. */
const ENTRY = '1.3.6.1.4.1.11863.6.35.1.2.2.1';
const COLUMNS = {
  chassisSubtype: `${ENTRY}.3`,
  chassisId: `${ENTRY}.4`,
  portSubtype: `${ENTRY}.5`,
  portId: `${ENTRY}.6`,
  ttl: `${ENTRY}.7`,
  portDescription: `${ENTRY}.8`,
  systemName: `${ENTRY}.9`,
  systemDescription: `${ENTRY}.10`,
  capabilitiesEnabled: `${ENTRY}.12`,
  managementAddress: `${ENTRY}.13`,
} as const;

const MAX_VALUES = 50_000;
const MAX_REMOTES = 4096;

/** Neighbours by TP-Link's private table, for switches whose LLDP-MIB has none; local ports are ifIndexes. */
export async function readTplinkLldp(session: SnmpSession): Promise<LldpTables> {
  const walked = await session.walk(Object.values(COLUMNS), { maxRows: MAX_VALUES });
  const problems = [...new Set(walked.incomplete.values())].map(
    (why) => `some LLDP neighbours, or parts of them, may be missing: ${why}`,
  );
  const column = (name: keyof typeof COLUMNS): Column => walked.columns.get(COLUMNS[name]) ?? new Map();
  const indexes = [...column('chassisId').keys()].filter((index) => /^[0-9]{1,10}\.[0-9]{1,10}$/.test(index));
  if (indexes.length > MAX_REMOTES) problems.push(`LLDP neighbours were left out: there are more than ${MAX_REMOTES}`);
  const remotes = indexes
    .slice(0, MAX_REMOTES)
    .map((index) => remoteOf(Number.parseInt(index, 10), (name) => column(name).get(index)));
  return { remotes, localPorts: new Map(), localPortsWhole: true, problems };
}

function remoteOf(ifIndex: number, value: (name: keyof typeof COLUMNS) => VarBind | undefined): LldpRemote {
  const ttl = integerOf(value('ttl'));
  return {
    localPort: ifIndex,
    chassisId: idOf(textOf(value('chassisSubtype')), textOf(value('chassisId'))),
    portId: idOf(textOf(value('portSubtype')), textOf(value('portId'))),
    systemName: textOf(value('systemName')),
    systemDescription: lineOf(value('systemDescription')),
    portDescription: lineOf(value('portDescription')),
    capabilities: capabilities(textOf(value('capabilitiesEnabled'))),
    managementAddresses: addresses(octetsOf(value('managementAddress'))),
    ttlSeconds: ttl !== null && ttl >= 0 && ttl <= 65_535 ? ttl : null,
  };
}

const SUBTYPES: readonly (readonly [RegExp, IdSubtype])[] = [
  [/^mac/i, 'mac'],
  [/^interface name/i, 'ifname'],
  [/^interface alias/i, 'ifalias'],
  [/^network/i, 'network'],
  [/^(port|chassis) component/i, 'component'],
  [/^agent circuit/i, 'circuit'],
  [/^local/i, 'local'],
];

function idOf(words: string, value: string): LldpId {
  const subtype = SUBTYPES.find(([pattern]) => pattern.test(words))?.[1] ?? 'unknown';
  if (subtype !== 'mac') return { subtype, value };
  const mac = normalizeMac(value);
  return mac === null ? { subtype: 'unknown', value } : { subtype, value: mac };
}

const CAPABILITIES: Readonly<Record<string, string>> = {
  other: 'other',
  repeater: 'repeater',
  bridge: 'bridge',
  wlan: 'wlan-ap',
  router: 'router',
  telephone: 'telephone',
  docsis: 'docsis-cable-device',
  station: 'station',
};

function capabilities(text: string): string[] {
  const words = text.toLowerCase().split(/[\s,]+/);
  return Object.entries(CAPABILITIES)
    .flatMap(([word, name]) => (words.includes(word) ? [name] : []))
    .sort();
}

/** An IPv4 address comes as "::169.254.2.131", none as "::". */
function addresses(octets: Uint8Array | null): string[] {
  const text = octets === null ? '' : Buffer.from(octets.subarray(0, 64)).toString('latin1').trim();
  const address = addressText(Buffer.from(/^::(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1] ?? text, 'latin1'));
  return address === null ? [] : [address];
}
