import type { BridgePorts, InterfaceRow } from '../mib/facts.ts';
import { readLldp } from '../mib/lldp.ts';
import type { LldpRemote, LldpTables } from '../mib/lldp-table.ts';
import { readLldpV2 } from '../mib/lldp-v2.ts';
import { readTplinkLldp } from '../mib/tplink-lldp.ts';
import type { Neighbor } from '../model/neighbor.ts';
import { sanitizeText } from '../model/text.ts';
import { resolveLocalPorts } from './local-port.ts';
import type { SnmpSession } from './session-types.ts';

/** What has been read of the switch already, and is needed to say which port a neighbour is on. */
export interface PortFacts {
  readonly interfaces: readonly InterfaceRow[];
  readonly bridgePorts: BridgePorts;
  /** Port name ({@link Neighbor.port}) by ifIndex; interfaces that are no ports of the switch have none. */
  readonly names: ReadonlyMap<number, string>;
}

export interface NeighborReading {
  /** In the order of ifIndex, as the switch has them within a port. */
  readonly neighbors: readonly Neighbor[];
  /** Neighbours that were left out, and why, as sentences; at most {@link MAX_PROBLEMS}. */
  readonly problems: readonly string[];
}

/** Most neighbours kept for one port, and in all: what hosts send must not grow without bound. */
const MAX_NEIGHBORS_PER_PORT = 64;
const MAX_NEIGHBORS = 4096;
export const MAX_PROBLEMS = 16;

/**
 * Reads the LLDP neighbours: LLDP-MIB, or where it has none LLDP-V2-MIB, or TP-Link's own table. A neighbour whose port cannot be told
 * without doubt is left out and named in `problems`: it is never put on a port by guess. Throws what the session throws.
 */
export async function readNeighbors(session: SnmpSession, facts: PortFacts): Promise<NeighborReading> {
  const { tables, numbersAreIfIndexes } = await readTables(session);
  const numbers = new Set(tables.remotes.map((r) => r.localPort));
  const { ifIndexes, doubts } = resolveLocalPorts({
    numbers,
    localPorts: tables.localPorts,
    localPortsWhole: tables.localPortsWhole,
    interfaces: facts.interfaces,
    bridgePorts: facts.bridgePorts,
    numbersAreIfIndexes,
  });
  const perPort = new Map<number, Neighbor[]>();
  const problems = [...tables.problems];
  let count = 0;
  for (const remote of tables.remotes) {
    const ifIndex = ifIndexes.get(remote.localPort);
    const name = ifIndex === undefined ? undefined : facts.names.get(ifIndex);
    if (ifIndex === undefined || name === undefined) {
      problems.push(leftOut(remote, doubts.get(remote.localPort) ?? `interface ${ifIndex} is no port of the switch`));
      continue;
    }
    const known = perPort.get(ifIndex) ?? [];
    if (known.length >= MAX_NEIGHBORS_PER_PORT || count >= MAX_NEIGHBORS) {
      if (known.length === MAX_NEIGHBORS_PER_PORT) problems.push(`${name} has more LLDP neighbours than are kept`);
      continue;
    }
    const { localPort: _, ...rest } = remote;
    perPort.set(ifIndex, [...known, { port: name, ...rest }]);
    count++;
  }
  const neighbors = [...perPort].sort(([a], [b]) => a - b).flatMap(([, list]) => list);
  return { neighbors, problems: bounded(problems) };
}

/** The first table with a neighbour in it. Only LLDP-MIB leaves open what its numbers are; the other tables have ifIndexes. */
async function readTables(
  session: SnmpSession,
): Promise<{ readonly tables: LldpTables; readonly numbersAreIfIndexes: boolean }> {
  const tables = await readLldp(session);
  if (tables.remotes.length > 0) return { tables, numbersAreIfIndexes: false };
  const problems = [...tables.problems];
  for (const read of [readLldpV2, readTplinkLldp]) {
    const other = await read(session);
    problems.push(...other.problems);
    if (other.remotes.length > 0) return { tables: { ...other, problems }, numbersAreIfIndexes: true };
  }
  return { tables: { ...tables, problems }, numbersAreIfIndexes: false };
}

function leftOut(remote: LldpRemote, why: string): string {
  const who = sanitizeText(remote.systemName || remote.chassisId.value || 'without a name', 64);
  return `LLDP neighbour ${who} on local port number ${remote.localPort} was left out: ${why}`;
}

function bounded(problems: readonly string[]): string[] {
  const distinct = [...new Set(problems)];
  if (distinct.length <= MAX_PROBLEMS) return distinct;
  const more = distinct.length - MAX_PROBLEMS + 1;
  return [...distinct.slice(0, MAX_PROBLEMS - 1), `and ${more} more problems with LLDP neighbours`];
}
