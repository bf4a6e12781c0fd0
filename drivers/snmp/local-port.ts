import type { BridgePorts, InterfaceRow } from '../mib/facts.ts';
import type { LldpLocalPort } from '../mib/lldp-table.ts';
import { lldpInterfaces, type Witness, witnessesOf } from './local-port-witness.ts';

export interface LocalPortFacts {
  /** Local port numbers of the neighbours. */
  readonly numbers: ReadonlySet<number>;
  readonly localPorts: ReadonlyMap<number, LldpLocalPort>;
  /** False when local ports may be missing in `localPorts`. */
  readonly localPortsWhole: boolean;
  readonly interfaces: readonly InterfaceRow[];
  readonly bridgePorts: BridgePorts;
  /** The table has ifIndexes by definition, unlike LLDP-MIB. */
  readonly numbersAreIfIndexes: boolean;
}

export interface LocalPorts {
  /** ifIndex by local port number, where there is no doubt. */
  readonly ifIndexes: ReadonlyMap<number, number>;
  /** Why a number has no ifIndex. */
  readonly doubts: ReadonlyMap<number, string>;
}

/** One meaning that the local port numbers of a switch may have. */
interface Meaning {
  readonly name: string;
  ifIndexOf(number: number): number | null;
}

/** A meaning that nothing speaks against. */
interface Reading extends Meaning {
  /** What speaks for it is enough to go by. */
  readonly settles: boolean;
}

/** Uncertain witnesses against a reading must be this many times fewer than those for it. */
const CLEARLY = 4;

/**
 * Finds the interfaces behind LLDP local port numbers. LLDP-MIB leaves open what lldpRemLocalPortNum is: on some switches it is the
 * ifIndex, on some the bridge port, on some neither, and a wrong meaning mostly names an existing, other port. So it is decided once for
 * the whole switch, by what lldpLocPortTable says of all its rows:
 *
 * - a row whose lldpLocPortId is the name of one interface settles its own number;
 * - a meaning stands only when no such row speaks against it and, of the other rows that say something, clearly more are for it;
 * - without any such row, a meaning stands when it gives every neighbour an interface, and most of the local ports too; it settles
 *   something only when it gives all local ports one, or there is a bridge port table that does not speak against it;
 * - a number that the standing meanings lead to different interfaces, or to none, stays in doubt.
 */
export function resolveLocalPorts(facts: LocalPortFacts): LocalPorts {
  const { numbers, localPorts } = facts;
  const usable = lldpInterfaces(facts.interfaces);
  const witnesses = witnessesOf(localPorts, usable);
  const standing = readingsOf(usable, facts).flatMap((meaning): Reading[] => {
    if (witnesses.size > 0) return isBorneOut(meaning, witnesses) ? [{ ...meaning, settles: true }] : [];
    return isPossible(meaning, facts) ? [{ ...meaning, settles: isConvincing(meaning, facts) }] : [];
  });
  // Where no meaning stands, the rows are believed by themselves when they are many.
  const believable = standing.length === 0 && witnesses.size >= 3 && witnesses.size * 2 >= localPorts.size;
  const ifIndexes = new Map<number, number>();
  const doubts = new Map<number, string>();
  for (const number of numbers) {
    const answer = answerFor(number, witnesses.get(number), standing, believable);
    if (typeof answer === 'number') ifIndexes.set(number, answer);
    else doubts.set(number, answer);
  }
  return withoutShared(ifIndexes, doubts, witnesses);
}

function readingsOf(usable: ReadonlyMap<number, InterfaceRow>, facts: LocalPortFacts): Meaning[] {
  const existing = (ifIndex: number | undefined) => (ifIndex !== undefined && usable.has(ifIndex) ? ifIndex : null);
  const ifIndex: Meaning = { name: 'ifIndex', ifIndexOf: existing };
  if (facts.numbersAreIfIndexes) return [ifIndex];
  return [ifIndex, { name: 'bridge port', ifIndexOf: (number) => existing(facts.bridgePorts.get(number)) }];
}

function isBorneOut(reading: Meaning, witnesses: ReadonlyMap<number, Witness>): boolean {
  let [agreed, contradicted] = [0, 0];
  for (const [number, { ifIndex, certain }] of witnesses) {
    if (reading.ifIndexOf(number) === ifIndex) agreed++;
    else if (certain) return false;
    else contradicted++;
  }
  return agreed > 0 && agreed >= CLEARLY * contradicted;
}

function isPossible({ ifIndexOf }: Meaning, { numbers, localPorts }: LocalPortFacts): boolean {
  const fits = (number: number) => ifIndexOf(number) !== null;
  return [...numbers].every(fits) && [...localPorts.keys()].filter(fits).length * 2 >= localPorts.size;
}

function isConvincing({ ifIndexOf }: Meaning, facts: LocalPortFacts): boolean {
  if (facts.numbersAreIfIndexes) return true;
  const numbers = [...facts.localPorts.keys()];
  if (numbers.length === 0) return facts.bridgePorts.size > 0;
  return facts.localPortsWhole && numbers.every((number) => ifIndexOf(number) !== null);
}

/** The ifIndex of a number, or why there is none. */
function answerFor(
  number: number,
  witness: Witness | undefined,
  standing: readonly Reading[],
  believable: boolean,
): number | string {
  if (witness?.certain) return witness.ifIndex;
  const answers = new Set(standing.map((r) => r.ifIndexOf(number)).filter((ifIndex) => ifIndex !== null));
  const [only] = answers;
  if (witness !== undefined && only === undefined && believable) return witness.ifIndex;
  if (only === undefined) return 'nothing shows which port has this number';
  const said = witness === undefined || witness.ifIndex === only;
  const settled = standing.some((r) => r.settles && r.ifIndexOf(number) === only);
  if (answers.size === 1 && said && settled) return only;
  if (!settled) return `nothing shows whether this number is an ifIndex or a bridge port`;
  const names = standing.map((r) => `as ${r.name} it is interface ${r.ifIndexOf(number) ?? 'none'}`);
  const row = witness === undefined ? [] : [`lldpLocPortTable says interface ${witness.ifIndex}`];
  return [...names, ...row].join(', ');
}

/** Two numbers cannot be one port: unless the switch named it, both are in doubt. */
function withoutShared(
  ifIndexes: Map<number, number>,
  doubts: Map<number, string>,
  witnesses: ReadonlyMap<number, Witness>,
): LocalPorts {
  const numbersOf = new Map<number, number[]>();
  for (const [number, ifIndex] of ifIndexes) numbersOf.set(ifIndex, [...(numbersOf.get(ifIndex) ?? []), number]);
  for (const [ifIndex, shared] of numbersOf) {
    if (shared.length < 2) continue;
    for (const number of shared) {
      if (witnesses.get(number)?.certain) continue;
      ifIndexes.delete(number);
      doubts.set(number, `several numbers lead to interface ${ifIndex}`);
    }
  }
  return { ifIndexes, doubts };
}
