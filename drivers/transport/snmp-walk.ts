import type { VarBind } from '../snmp/session-types.ts';

/** Compares two OIDs by their numbers: negative when `a` comes first. */
export function compareOids(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = Number(left[i]) - Number(right[i]);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** A column that is being walked. */
export class WalkedColumn {
  readonly base: string;
  readonly rows = new Map<string, VarBind>();
  /** OID from which the next request goes on. */
  last: string;
  done = false;
  /** Why rows may be missing. */
  incomplete: string | null = null;
  /** The agent went backwards once: the rest is asked for one by one. */
  single = false;

  constructor(base: string) {
    this.base = base;
    this.last = base;
  }

  /**
   * Takes the values that followed {@link last}; returns how many rows were new. A column ends at the first value outside of it. OIDs
   * must grow (RFC 3416, section 4.2.2): an agent that goes in circles gets one more chance with single steps.
   */
  take(values: readonly VarBind[]): number {
    let taken = 0;
    for (const value of values) {
      if (this.done) break;
      if (value.type === 'endOfMibView' || !value.oid.startsWith(`${this.base}.`)) {
        // An agent that answers with something before the column has lost its place, too.
        if (value.type !== 'endOfMibView' && compareOids(value.oid, this.last) <= 0) this.#backwards();
        else this.done = true;
        break;
      }
      if (compareOids(value.oid, this.last) <= 0) {
        this.#backwards();
        break;
      }
      this.last = value.oid;
      if (value.type !== 'noSuchObject' && value.type !== 'noSuchInstance') {
        this.rows.set(value.oid.slice(this.base.length + 1), value);
        taken++;
      }
    }
    return taken;
  }

  giveUp(why: string): void {
    this.incomplete = why;
    this.done = true;
  }

  #backwards(): void {
    if (this.single) this.giveUp('the agent went in circles');
    this.single = true;
  }
}

/** Values asked for in one request: more would not fit into the packets that switches send. */
const VALUES_PER_REQUEST = 120;
export const COLUMNS_PER_REQUEST = 10;

/** How many rows to ask for at once, adapted to what the agent can do. */
export class Repetitions {
  #now: number;

  constructor(first: number) {
    this.#now = Math.max(1, Math.min(100, first));
  }

  for(columns: number): number {
    return Math.max(1, Math.min(this.#now, Math.floor(VALUES_PER_REQUEST / columns)));
  }

  get least(): boolean {
    return this.#now === 1;
  }

  /** The agent refused or lost an answer of this size. */
  fewer(): void {
    this.#now = Math.max(1, Math.floor(this.#now / 4));
  }
}
