import type { PortState } from '../../drivers/model/port.ts';
import { hasMembership } from '../../drivers/model/switchport.ts';
import type { SnmpReading } from '../../drivers/snmp/read.ts';
import type { Agreement } from './compare.ts';
import type { Oracle, OracleMember } from './oracle.ts';

/**
 * Memberships (port, VLAN, tagged or not) both ways: every row of the oracle is in the reading, and a port that is said to be access,
 * trunk or hybrid carries nothing that the oracle does not list. Of a port of mode `other` nothing is claimed, so that nothing of it
 * is `beyond`. Rows that do not say which port are compared by their number.
 */
export function compareMembers(
  oracle: Oracle,
  reading: SnmpReading,
  byIndex: ReadonlyMap<number, PortState>,
): Agreement {
  const rows = oracle.ports_vlans ?? [];
  const ifIndexOf = (row: OracleMember) => row.ifIndex ?? reading.bridge.ports.get(row.baseport);
  const placed = rows.filter((row) => row.ifIndex !== undefined || row.baseport !== 0);
  const differ = placed.flatMap((row) => {
    const port = byIndex.get(ifIndexOf(row) ?? 0);
    if (port === undefined) return [`bridge port ${row.baseport} ${key(row)}: no such port`];
    return membershipsOf(port).has(key(row))
      ? []
      : [`${port.name} ${key(row)}: ${port.switchport.mode} ${port.switchport.detail}`];
  });
  const missing = missingByNumber(rows, placed.length - differ.length, byIndex);
  return {
    agree: rows.length - differ.length - missing.length,
    of: rows.length,
    differ: [...differ, ...missing],
    beyond: rows.length === 0 ? [] : beyond(oracle, placed, ifIndexOf, reading, byIndex),
  };
}

/** "100t", "1u". */
function key({ vlan, untagged }: Pick<OracleMember, 'vlan' | 'untagged'>): string {
  return `${vlan}${untagged === 1 ? 'u' : 't'}`;
}

function membershipsOf({ switchport }: PortState): ReadonlySet<string> {
  const plain = [
    ...switchport.extraUntaggedVlans.ids(),
    ...(switchport.nativeVlan === null ? [] : [switchport.nativeVlan]),
  ];
  return new Set([...switchport.taggedVlans.ids().map((id) => `${id}t`), ...plain.map((id) => `${id}u`)]);
}

/** Of rows without a port: those that are more than the ports with such a membership, after the rows with a port took theirs. */
function missingByNumber(
  rows: readonly OracleMember[],
  agreeing: number,
  byIndex: ReadonlyMap<number, PortState>,
): string[] {
  if (rows.length === agreeing) return [];
  const have = count([...byIndex.values()].flatMap((port) => [...membershipsOf(port)]));
  const placed = count(rows.filter((row) => row.ifIndex !== undefined || row.baseport !== 0).map(key));
  const loose = count(rows.filter((row) => row.ifIndex === undefined && row.baseport === 0).map(key));
  return [...loose].flatMap(([name, n]) => {
    const left = Math.max(0, (have.get(name) ?? 0) - (placed.get(name) ?? 0));
    return Array.from({ length: Math.max(0, n - left) }, () => `a port ${name}: no port is left that carries it`);
  });
}

function count(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** What ports of a known mode carry beyond the oracle's rows; only of ports that the oracle knows, and where it names all ports. */
function beyond(
  oracle: Oracle,
  placed: readonly OracleMember[],
  ifIndexOf: (row: OracleMember) => number | undefined,
  reading: SnmpReading,
  byIndex: ReadonlyMap<number, PortState>,
): string[] {
  if (placed.length < (oracle.ports_vlans ?? []).length) return [];
  const listed = new Set(placed.map((row) => `${ifIndexOf(row)} ${key(row)}`));
  const known = new Set(oracle.ports?.map((row) => row.ifIndex));
  const bridged = new Set(reading.bridge.ports.values());
  const byPort = placed.some((row) => row.ifIndex !== undefined);
  return [...byIndex].flatMap(([ifIndex, port]) => {
    if (!hasMembership(port.switchport) || !known.has(ifIndex) || !(byPort || bridged.has(ifIndex))) return [];
    const extra = [...membershipsOf(port)].filter((name) => !listed.has(`${ifIndex} ${name}`));
    return extra.map((name) => `${port.name} ${name}`);
  });
}
