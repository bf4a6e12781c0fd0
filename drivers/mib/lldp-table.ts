import type { LldpId, Neighbor } from '../model/neighbor.ts';
import type { Column, SnmpSession, VarBind, WalkResult } from '../snmp/session-types.ts';
import { integerOf, octetsOf, textOf } from './decode.ts';
import { lineOf } from './line-text.ts';
import { capabilitiesOf } from './lldp-capabilities.ts';
import { chassisIdOf, portIdOf } from './lldp-id.ts';
import { managementAddress } from './network-address.ts';

/** A neighbour as the table has it: its local port is a number of LLDP's own, not yet a port of the switch. */
export interface LldpRemote extends Omit<Neighbor, 'port'> {
  readonly localPort: number;
}

/** A row of lldpLocPortTable: what the switch says of its own port in LLDP. */
export interface LldpLocalPort {
  readonly id: LldpId;
  readonly description: string;
}

export interface LldpTables {
  readonly remotes: readonly LldpRemote[];
  /** By local port number; not read when there is no neighbour. */
  readonly localPorts: ReadonlyMap<number, LldpLocalPort>;
  /** False when local ports may be missing there. */
  readonly localPortsWhole: boolean;
  /** What is missing or was left out, as sentences. */
  readonly problems: readonly string[];
}

/** Where one edition of the LLDP MIB has its tables. */
export interface LldpLayout {
  /** lldpRemEntry, and its column of the chassis ID subtype: the others follow in the same order in all editions. */
  readonly remEntry: string;
  readonly chassisIdSubtype: number;
  /** Numbers in an index of the remote table: time mark, local port, and one or two more. */
  readonly indexLength: number;
  /** Column of lldpRemManAddrTable; its indexes are the addresses. */
  readonly manAddr: string;
  readonly locPortEntry: string;
}

/** Most values asked for, over all columns and time marks; most neighbours kept; most addresses of one. */
const MAX_VALUES = 100_000;
const MAX_REMOTES = 4096;
const MAX_ADDRESSES = 16;
const NO_OCTETS = new Uint8Array();

/** Reads the neighbours, and the local ports when there is a neighbour. Throws what {@link SnmpSession.walk} throws. */
export async function readLldpTables(session: SnmpSession, layout: LldpLayout): Promise<LldpTables> {
  const oids = remoteColumns(layout);
  const walked = await session.walk([...Object.values(oids), layout.manAddr], { maxRows: MAX_VALUES });
  const problems: string[] = [];
  for (const why of new Set(walked.incomplete.values()))
    problems.push(`some LLDP neighbours, or parts of them, may be missing: ${why}`);
  const rows = rowsOf(columnOf(walked, oids.chassisId), layout, problems);
  if (rows.length === 0) return { remotes: [], localPorts: new Map(), localPortsWhole: true, problems };
  const addresses = addressesByRow(columnOf(walked, layout.manAddr), layout);
  const columns = Object.fromEntries(Object.entries(oids).map(([name, oid]) => [name, columnOf(walked, oid)]));
  const found = rows.map((row) => ({ row, remote: remoteOf(row, (name) => columns[name]?.get(row.index)) }));
  const remotes = withoutRepeats(found).map(({ row, remote }) => ({
    ...remote,
    managementAddresses: addresses.get(row.index) ?? addresses.get(row.key) ?? [],
  }));
  if (remotes.length > MAX_REMOTES) problems.push(`LLDP neighbours were left out: there are more than ${MAX_REMOTES}`);
  return { remotes: remotes.slice(0, MAX_REMOTES), ...(await readLocalPorts(session, layout)), problems };
}

type RemoteColumn = keyof ReturnType<typeof remoteColumns>;

function remoteColumns({ remEntry, chassisIdSubtype: first }: LldpLayout) {
  return {
    chassisSubtype: `${remEntry}.${first}`,
    chassisId: `${remEntry}.${first + 1}`,
    portSubtype: `${remEntry}.${first + 2}`,
    portId: `${remEntry}.${first + 3}`,
    portDescription: `${remEntry}.${first + 4}`,
    systemName: `${remEntry}.${first + 5}`,
    systemDescription: `${remEntry}.${first + 6}`,
    capabilitiesEnabled: `${remEntry}.${first + 8}`,
  };
}

function columnOf(walked: WalkResult, oid: string): Column {
  return walked.columns.get(oid) ?? new Map();
}

interface Row {
  readonly index: string;
  readonly timeMark: number;
  /** The index without the time mark. */
  readonly key: string;
  readonly localPort: number;
}

/** The rows in the order of their time marks, the newest last. Every neighbour has a chassis ID, so that column lists them. */
function rowsOf(chassisIds: Column, layout: LldpLayout, problems: string[]): Row[] {
  const rows: Row[] = [];
  let strange = 0;
  for (const index of chassisIds.keys()) {
    const [timeMark = 0, localPort = 0, ...rest] = parseIndex(index) ?? [];
    if (rest.length === layout.indexLength - 2)
      rows.push({ index, timeMark, key: [localPort, ...rest].join('.'), localPort });
    else strange++;
  }
  if (strange > 0) problems.push(`${strange} LLDP neighbours were left out: their index in the table is none`);
  return rows.sort((a, b) => a.timeMark - b.timeMark);
}

function parseIndex(index: string): number[] | null {
  if (index.length > 256) return null;
  const parts = index.split('.').map(Number);
  return parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 0xffff_ffff) ? parts : null;
}

/**
 * The management addresses by the index of their row, and by its key for agents whose two tables have different time marks: what
 * follows the row's own index in the index of lldpRemManAddrTable.
 */
function addressesByRow(column: Column, layout: LldpLayout): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const index of column.keys()) {
    const parts = parseIndex(index);
    if (parts === null || parts.length <= layout.indexLength) continue;
    const address = managementAddress(parts.slice(layout.indexLength));
    if (address === null) continue;
    const own = parts.slice(0, layout.indexLength);
    for (const key of [own.join('.'), own.slice(1).join('.')]) {
      const known = found.get(key) ?? [];
      if (!known.includes(address) && known.length < MAX_ADDRESSES) found.set(key, [...known, address]);
    }
  }
  return found;
}

function remoteOf(row: Row, value: (column: RemoteColumn) => VarBind | undefined): LldpRemote {
  return {
    localPort: row.localPort,
    chassisId: chassisIdOf(integerOf(value('chassisSubtype')), octetsOf(value('chassisId')) ?? NO_OCTETS),
    portId: portIdOf(integerOf(value('portSubtype')), octetsOf(value('portId')) ?? NO_OCTETS),
    systemName: textOf(value('systemName')),
    systemDescription: lineOf(value('systemDescription')),
    portDescription: lineOf(value('portDescription')),
    capabilities: capabilitiesOf(octetsOf(value('capabilitiesEnabled')) ?? NO_OCTETS),
    managementAddresses: [],
    // The MIB does not tell the time to live.
    ttlSeconds: null,
  };
}

interface Found {
  readonly row: Row;
  readonly remote: LldpRemote;
}

/**
 * Keeps the newest of what is in the table several times. A time mark (TimeFilter of RFC 4502) leads the index, and the same neighbour may
 * stand under many; but some agents give all neighbours of a port the same remote index and tell them apart by the time mark alone, so
 * only rows of the same chassis and port are one. Under another remote index, the system name must be the same as well.
 */
function withoutRepeats(found: readonly Found[]): Found[] {
  const newest = (list: readonly Found[], key: (f: Found) => readonly unknown[]): Found[] => [
    ...new Map(list.map((f) => [JSON.stringify(key(f)), f])).values(),
  ];
  const rows = newest(found, ({ row, remote }) => [row.key, remote.chassisId, remote.portId]);
  return newest(rows, ({ remote: r }) => [r.localPort, r.chassisId, r.portId, r.systemName]);
}

async function readLocalPorts(
  session: SnmpSession,
  { locPortEntry }: LldpLayout,
): Promise<Pick<LldpTables, 'localPorts' | 'localPortsWhole'>> {
  const [subtype, id, description] = [`${locPortEntry}.2`, `${locPortEntry}.3`, `${locPortEntry}.4`];
  const walked = await session.walk([subtype, id, description], { maxRows: MAX_VALUES });
  const ports = new Map<number, LldpLocalPort>();
  const indexes = new Set([...columnOf(walked, id).keys(), ...columnOf(walked, description).keys()]);
  for (const index of indexes) {
    const [number, ...rest] = parseIndex(index) ?? [];
    if (number === undefined || rest.length > 0) continue;
    ports.set(number, {
      id: portIdOf(
        integerOf(columnOf(walked, subtype).get(index)),
        octetsOf(columnOf(walked, id).get(index)) ?? NO_OCTETS,
      ),
      description: lineOf(columnOf(walked, description).get(index)),
    });
  }
  return { localPorts: ports, localPortsWhole: walked.incomplete.size === 0 };
}
