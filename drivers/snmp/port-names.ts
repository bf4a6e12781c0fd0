import type { InterfaceRow } from '../mib/facts.ts';
import { isAggregate } from '../mib/lag.ts';

/**
 * IANAifType of what a cable goes into: ethernetCsmacd, and the numbers that older agents use instead (iso88023Csmacd, fastEther,
 * fastEtherFX, gigabitEthernet; RFC 3635).
 */
const ETHERNET: ReadonlySet<number> = new Set([6, 7, 62, 69, 117]);
/** ifOperStatus notPresent. */
const NOT_PRESENT = 6;
/** So many absent ports with one MAC address are no ports. */
const PHANTOMS = 3;

/** An interface that counts as a port of the switch. */
export interface NamedInterface {
  readonly row: InterfaceRow;
  /** Unique on the switch. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: 'physical' | 'lag' | 'other';
}

export interface NamedInterfaces {
  readonly ports: readonly NamedInterface[];
  /** Ports that are left out since their names do not tell them apart, as sentences; bounded. */
  readonly problems: readonly string[];
}

export interface NamingContext {
  /** ifIndexes of the bridge's ports: ports whatever their ifType. */
  readonly bridged: ReadonlySet<number>;
  /** ifIndexes of aggregates that have members. */
  readonly aggregates: ReadonlySet<number>;
  /** ifName may lack rows: a port without one is then left out, as its name is not known. */
  readonly namesIncomplete: boolean;
}

/**
 * The ports among the interfaces, and their names: ifName, by which the command line calls them (RFC 2863), else ifDescr.
 * A name that several ports have is the name of none: these ports are left out.
 */
export function namePorts(
  interfaces: Iterable<InterfaceRow>,
  { bridged, aggregates, namesIncomplete }: NamingContext,
): NamedInterfaces {
  const all = [...interfaces];
  const absent = phantoms(all);
  const problems: string[] = [];
  const ports: Omit<NamedInterface, 'aliases'>[] = [];
  for (const row of all) {
    const kind = aggregates.has(row.ifIndex) ? 'lag' : kindOf(row, bridged);
    if (kind === null || absent.has(row.ifIndex)) continue;
    const name = row.ifName || (namesIncomplete ? '' : row.ifDescr);
    if (name === '') problems.push(`interface ${row.ifIndex} has no name that could be read; it is left out`);
    else ports.push({ row, name, kind });
  }
  const owners = count(ports.map(({ name }) => name));
  for (const [name, n] of owners)
    if (n > 1)
      problems.push(`${n} ports are called "${name}"; none of them is listed, since they cannot be told apart`);
  const single = ports.filter(({ name }) => owners.get(name) === 1);
  const descriptions = count(single.map(({ row }) => row.ifDescr));
  const named = single.map((port): NamedInterface => {
    const { ifDescr } = port.row;
    const alias = ifDescr !== '' && descriptions.get(ifDescr) === 1 && !owners.has(ifDescr);
    return { ...port, aliases: alias ? [ifDescr] : [] };
  });
  return { ports: named, problems: bounded(problems) };
}

function kindOf(row: InterfaceRow, bridged: ReadonlySet<number>): NamedInterface['kind'] | null {
  if (isAggregate(row)) return 'lag';
  if (row.ifType !== null && ETHERNET.has(row.ifType)) return 'physical';
  return bridged.has(row.ifIndex) ? 'other' : null;
}

/**
 * Rows for slots of stack units that are not there: absent, and with the MAC address of the switch in place of one of their own.
 * An empty cage for a transceiver is absent on some switches, too, but has its own address.
 */
function phantoms(rows: readonly InterfaceRow[]): ReadonlySet<number> {
  const byMac = new Map<string, InterfaceRow[]>();
  for (const row of rows) {
    if (row.macAddress === null || row.ifType === null || !ETHERNET.has(row.ifType)) continue;
    const same = byMac.get(row.macAddress);
    if (same) same.push(row);
    else byMac.set(row.macAddress, [row]);
  }
  const groups = [...byMac.values()].filter(
    (same) => same.length >= PHANTOMS && same.every((row) => row.operStatus === NOT_PRESENT),
  );
  return new Set(groups.flat().map((row) => row.ifIndex));
}

function count(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function bounded(problems: readonly string[]): readonly string[] {
  return problems.length <= 8 ? problems : [...problems.slice(0, 7), `${problems.length - 7} more ports are left out`];
}
