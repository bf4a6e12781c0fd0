import { DriverError } from '../errors.ts';
import { sanitizeText } from '../model/text.ts';

/** Columns read, in this order; each table is one JSON line of `ovs-vsctl -f json`. */
const COLUMNS = {
  Open_vSwitch: ['_uuid', 'next_cfg', 'cur_cfg', 'ovs_version'],
  Bridge: ['name', 'ports', 'datapath_type', 'other_config'],
  Port: ['_uuid', 'name', 'interfaces', 'vlan_mode', 'tag', 'trunks', 'external_ids', 'fake_bridge'],
  Interface: [
    '_uuid',
    'name',
    'type',
    'admin_state',
    'link_state',
    'link_speed',
    'ifindex',
    'mac_in_use',
    'mtu',
    'error',
    'ofport',
  ],
} as const;

/** Arguments of the one `ovs-vsctl` run that reads everything from one snapshot of the database. */
export const LIST_ARGUMENTS = Object.entries(COLUMNS)
  .map(([table, columns]) => `--columns=${columns.join(',')} list ${table}`)
  .join(' -- ');

/** OVSDB's notation (RFC 7047, 5.1): a set of exactly one element is the element itself. */
export type Atom = string | number | boolean | { readonly uuid: string };

/** One row, with every column as a set; maps are kept apart. */
export class Row {
  readonly #cells: ReadonlyMap<string, readonly Atom[] | ReadonlyMap<string, string>>;
  readonly #table: string;

  constructor(table: string, cells: ReadonlyMap<string, readonly Atom[] | ReadonlyMap<string, string>>) {
    this.#table = table;
    this.#cells = cells;
  }

  /** The strings of a set; throws on elements of another type. */
  strings(column: string): string[] {
    return this.#set(column).map((atom) => (typeof atom === 'string' ? atom : this.#fail(column, 'a string')));
  }

  integers(column: string): number[] {
    return this.#set(column).map((atom) =>
      typeof atom === 'number' && Number.isSafeInteger(atom) ? atom : this.#fail(column, 'an integer'),
    );
  }

  uuids(column: string): string[] {
    return this.#set(column).map((atom) => (typeof atom === 'object' ? atom.uuid : this.#fail(column, 'a UUID')));
  }

  /** The only element, or null when the set is empty. */
  text(column: string): string | null {
    return this.#single(column, this.strings(column));
  }

  integer(column: string): number | null {
    return this.#single(column, this.integers(column));
  }

  flag(column: string): boolean {
    return this.#set(column).some((atom) => atom === true);
  }

  /** The value of one key of a map. */
  entry(column: string, key: string): string | null {
    const cell = this.#cells.get(column);
    return cell instanceof Map ? (cell.get(key) ?? null) : this.#fail(column, 'a map');
  }

  #single<T>(column: string, values: readonly T[]): T | null {
    if (values.length > 1) this.#fail(column, 'at most one value');
    return values[0] ?? null;
  }

  #set(column: string): readonly Atom[] {
    const cell = this.#cells.get(column);
    return Array.isArray(cell) ? cell : this.#fail(column, 'a set');
  }

  #fail(column: string, what: string): never {
    throw new DriverError('parse', `Open vSwitch answered something else than ${what} in ${this.#table}.${column}`);
  }
}

export interface Tables {
  readonly root: Row;
  readonly bridges: readonly Row[];
  readonly ports: readonly Row[];
  readonly interfaces: readonly Row[];
}

/** Reads what {@link LIST_ARGUMENTS} printed. Throws {@link DriverError} `parse` on anything unexpected. */
export function parseTables(text: string): Tables {
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
  if (lines.length !== names.length) unexpected(text);
  const [roots = [], bridges = [], ports = [], interfaces = []] = names.map((name, i) =>
    parseTable(name, lines[i] ?? ''),
  );
  const root = roots[0];
  if (root === undefined || roots.length !== 1) return unexpected(text);
  return { root, bridges, ports, interfaces };
}

function parseTable(table: keyof typeof COLUMNS, line: string): Row[] {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return unexpected(line);
  }
  if (typeof json !== 'object' || json === null || !('headings' in json) || !('data' in json)) return unexpected(line);
  const { headings, data } = json;
  if (!Array.isArray(headings) || !Array.isArray(data) || data.length > 16_384) return unexpected(line);
  const columns = COLUMNS[table].map((column) => ({ column, index: headings.indexOf(column) }));
  if (columns.some(({ index }) => index < 0)) return unexpected(line);
  return data.map((row: unknown) => {
    if (!Array.isArray(row) || row.length !== headings.length) return unexpected(line);
    return new Row(table, new Map(columns.map(({ column, index }) => [column, cell(row[index]) ?? unexpected(line)])));
  });
}

function cell(value: unknown): readonly Atom[] | ReadonlyMap<string, string> | null {
  if (Array.isArray(value) && value[0] === 'set' && Array.isArray(value[1])) {
    const atoms = value[1].map(atom);
    return atoms.every((a) => a !== null) ? atoms : null;
  }
  if (Array.isArray(value) && value[0] === 'map' && Array.isArray(value[1])) {
    const pairs: [string, string][] = [];
    for (const pair of value[1]) {
      if (!Array.isArray(pair) || typeof pair[0] !== 'string' || typeof pair[1] !== 'string') return null;
      pairs.push([pair[0], pair[1]]);
    }
    return new Map(pairs);
  }
  const single = atom(value);
  return single === null ? null : [single];
}

function atom(value: unknown): Atom | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value) && value.length === 2 && value[0] === 'uuid' && typeof value[1] === 'string') {
    return { uuid: value[1] };
  }
  return null;
}

function unexpected(text: string): never {
  const said = sanitizeText(text, 120);
  throw new DriverError('parse', `ovs-vsctl answered something that is not understood: "${said}"`, { answer: said });
}
