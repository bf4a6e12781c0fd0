import type { SetVarBind, SnmpSession, VarBind, WalkResult } from '../../drivers/snmp/session-types.ts';

/** Compares OIDs by their numbers. */
export function compareOids(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

export interface MemorySnmpOptions {
  /** Called for every SET before it is done; what it throws is the answer. */
  readonly onSet?: (values: readonly SetVarBind[], before: ReadonlyMap<string, VarBind>) => void;
  /** Agents of other contexts, by suffix ("100" for community@100). */
  readonly contexts?: ReadonlyMap<string, MemorySnmp>;
}

/** An SNMP session on values in memory, for tests of what reads and writes them. Not a protocol: see test/snmp-agent for one. */
export class MemorySnmp implements SnmpSession {
  readonly values: Map<string, VarBind>;
  /** Every SET, in order. */
  readonly sets: (readonly SetVarBind[])[] = [];
  readonly #options: MemorySnmpOptions;
  #requests = 0;
  alive = true;

  constructor(values: readonly VarBind[], options: MemorySnmpOptions = {}) {
    this.values = new Map(values.map((v) => [v.oid, v]));
    this.#options = options;
  }

  get stats() {
    return { requests: this.#requests, sent: this.#requests };
  }

  async get(oids: readonly string[]): Promise<readonly VarBind[]> {
    this.#requests++;
    return oids.map((oid) => this.values.get(oid) ?? { oid, type: 'noSuchInstance', value: null });
  }

  async walk(columns: readonly string[]): Promise<WalkResult> {
    this.#requests++;
    const sorted = [...this.values.values()].sort((a, b) => compareOids(a.oid, b.oid));
    return {
      columns: new Map(
        columns.map((column) => [
          column,
          new Map(sorted.filter((v) => v.oid.startsWith(`${column}.`)).map((v) => [v.oid.slice(column.length + 1), v])),
        ]),
      ),
      incomplete: new Map(),
    };
  }

  async set(values: readonly SetVarBind[]): Promise<void> {
    this.#requests++;
    this.sets.push(values);
    this.#options.onSet?.(values, this.values);
    for (const value of values) this.values.set(value.oid, value);
  }

  inContext(suffix: string): SnmpSession {
    return this.#options.contexts?.get(suffix) ?? new MemorySnmp([]);
  }

  close(): void {
    this.alive = false;
  }
}
