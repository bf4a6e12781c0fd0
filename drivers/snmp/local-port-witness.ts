import type { InterfaceRow } from '../mib/facts.ts';
import type { LldpLocalPort } from '../mib/lldp-table.ts';
import { normalizeMac } from '../model/mac.ts';

/** Which interface the switch itself says stands behind an LLDP local port number. */
export interface Witness {
  readonly ifIndex: number;
  /**
   * lldpLocPortId is the name of exactly one interface, or ID and description lead to the same one. Otherwise there is only a number, a MAC
   * address, or text that a person may have typed.
   */
  readonly certain: boolean;
}

/** IANAifType of what no LLDP frame arrives on: softwareLoopback, tunnel, l2vlan, l3ipvlan. */
const NEVER_LLDP: ReadonlySet<number> = new Set([24, 131, 135, 136]);

/** The interfaces that LLDP can run on, by ifIndex. */
export function lldpInterfaces(interfaces: readonly InterfaceRow[]): ReadonlyMap<number, InterfaceRow> {
  return new Map(interfaces.filter((i) => i.ifType === null || !NEVER_LLDP.has(i.ifType)).map((i) => [i.ifIndex, i]));
}

/**
 * What lldpLocPortTable tells of each local port number. A number is left out when nothing in its row points to exactly one interface,
 * when uncertain signs point to different ones, and when other numbers point to the same interface as surely.
 */
export function witnessesOf(
  localPorts: ReadonlyMap<number, LldpLocalPort>,
  usable: ReadonlyMap<number, InterfaceRow>,
): ReadonlyMap<number, Witness> {
  const names = namesOf(usable);
  const found = new Map<number, Witness>();
  for (const [number, port] of localPorts) {
    const witness = witnessOf(port, names, usable);
    if (witness !== null) found.set(number, witness);
  }
  return withoutShared(found);
}

/** By text: the one interface with it, or null when there are several. */
type Unique = ReadonlyMap<string, number | null>;

interface Names {
  readonly ifName: Unique;
  readonly ifDescr: Unique;
  readonly ifAlias: Unique;
  readonly mac: Unique;
}

function namesOf(usable: ReadonlyMap<number, InterfaceRow>): Names {
  const unique = (key: (row: InterfaceRow) => string | null): Unique => {
    const map = new Map<string, number | null>();
    for (const row of usable.values()) {
      const text = key(row)?.trim() ?? '';
      if (text !== '') map.set(text, map.has(text) ? null : row.ifIndex);
    }
    return map;
  };
  return {
    ifName: unique((i) => i.ifName),
    ifDescr: unique((i) => i.ifDescr),
    ifAlias: unique((i) => i.ifAlias),
    mac: unique((i) => i.macAddress),
  };
}

function witnessOf(port: LldpLocalPort, names: Names, usable: ReadonlyMap<number, InterfaceRow>): Witness | null {
  const id = port.id.value.trim();
  const isNumber = /^[0-9]{1,10}$/.test(id);
  const named = byName(id, names);
  if (named !== null && !isNumber && port.id.subtype !== 'ifalias') return { ifIndex: named, certain: true };
  const signs = [
    named,
    isNumber && usable.has(Number(id)) ? Number(id) : null,
    names.mac.get(normalizeMac(id) ?? '') ?? null,
    byName(port.description.trim(), names),
  ];
  // A description that somebody typed says something only where nothing else does.
  const spoken = signs.some((sign) => sign !== null)
    ? signs
    : [names.ifAlias.get(id) ?? null, names.ifAlias.get(port.description.trim()) ?? null];
  const given = spoken.filter((sign) => sign !== null);
  const [only] = given;
  if (only === undefined || new Set(given).size > 1) return null;
  return { ifIndex: only, certain: signs.filter((sign) => sign === only).length > 1 };
}

function byName(text: string, names: Names): number | null {
  if (text === '') return null;
  return names.ifName.has(text) ? (names.ifName.get(text) ?? null) : (names.ifDescr.get(text) ?? null);
}

/** Of several numbers that lead to the same interface, only one that is certain, alone among them, is kept. */
function withoutShared(found: ReadonlyMap<number, Witness>): ReadonlyMap<number, Witness> {
  const count = new Map<number, { all: number; certain: number }>();
  for (const { ifIndex, certain } of found.values()) {
    const { all = 0, certain: sure = 0 } = count.get(ifIndex) ?? {};
    count.set(ifIndex, { all: all + 1, certain: sure + (certain ? 1 : 0) });
  }
  return new Map(
    [...found].filter(([, witness]) => {
      const { all = 0, certain = 0 } = count.get(witness.ifIndex) ?? {};
      return all === 1 || (witness.certain && certain === 1);
    }),
  );
}
