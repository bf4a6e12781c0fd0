/** Lowest and highest VLAN ID that may be configured (IEEE 802.1Q: 0 and 4095 are reserved). */
export const VLAN_MIN = 1;
export const VLAN_MAX = 4094;

/** True for an integer VLAN ID from 1 to 4094. */
export function isVlanId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= VLAN_MIN && value <= VLAN_MAX;
}

/** Thrown by {@link VlanSet.parse} and {@link VlanSet.fromItems}; `message` says which item is wrong and what is allowed. */
export class VlanSyntaxError extends Error {
  override readonly name = 'VlanSyntaxError';
  /** Index of the offending item in the list that was read. */
  readonly index: number;
  constructor(message: string, index: number) {
    super(message);
    this.index = index;
  }
}

const WORDS = 128;
const ITEM = /^([0-9]{1,4})(?:-([0-9]{1,4}))?$/;

/** An immutable set of VLAN IDs (1 to 4094). Equality and algebra cost 128 word operations whatever the size. */
export class VlanSet {
  static readonly EMPTY = new VlanSet(new Uint32Array(WORDS));
  static readonly ALL = VlanSet.range(VLAN_MIN, VLAN_MAX);

  readonly #bits: Uint32Array;

  private constructor(bits: Uint32Array) {
    this.#bits = bits;
  }

  /** The set of the given IDs. Throws {@link VlanSyntaxError} on an ID outside 1 to 4094. */
  static of(...ids: readonly number[]): VlanSet {
    return VlanSet.fromItems(ids);
  }

  /** All IDs from `from` to `to`, both included. Throws {@link VlanSyntaxError} when out of range or reversed. */
  static range(from: number, to: number): VlanSet {
    const bits = new Uint32Array(WORDS);
    addRange(bits, from, to, 0, `${from}-${to}`);
    return new VlanSet(bits);
  }

  /** Reads the contract's list form: integers and "from-to" (or single "N") strings. Throws {@link VlanSyntaxError}. */
  static fromItems(items: readonly (number | string)[]): VlanSet {
    if (items.length === 0) return VlanSet.EMPTY;
    const bits = new Uint32Array(WORDS);
    items.forEach((item, index) => {
      if (typeof item === 'number') {
        addRange(bits, item, item, index, String(item));
        return;
      }
      const match = ITEM.exec(item);
      if (!match) throw new VlanSyntaxError(`"${printable(item)}" is not a VLAN ID or a "from-to" range`, index);
      const from = Number(match[1]);
      addRange(bits, from, match[2] === undefined ? from : Number(match[2]), index, item);
    });
    return new VlanSet(bits);
  }

  /** Reads "10,20-29" (spaces around commas allowed); "" is the empty set. Throws {@link VlanSyntaxError}. */
  static parse(text: string): VlanSet {
    const trimmed = text.trim();
    if (trimmed === '') return VlanSet.EMPTY;
    return VlanSet.fromItems(trimmed.split(',').map((part) => part.trim()));
  }

  has(id: number): boolean {
    return isVlanId(id) && ((this.#bits[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0;
  }

  get isEmpty(): boolean {
    for (let i = 0; i < WORDS; i++) if (this.#bits[i] !== 0) return false;
    return true;
  }

  /** Number of VLANs in the set. */
  get size(): number {
    let count = 0;
    for (let word of this.#bits) {
      while (word !== 0) {
        word = (word & (word - 1)) >>> 0;
        count++;
      }
    }
    return count;
  }

  equals(other: VlanSet): boolean {
    for (let i = 0; i < WORDS; i++) if (this.#bits[i] !== other.#bits[i]) return false;
    return true;
  }

  // Plain loops: with a callback for each word these cost ten times as much, and planning is made of them.
  union(other: VlanSet): VlanSet {
    const bits = new Uint32Array(this.#bits);
    for (let i = 0; i < WORDS; i++) bits[i] = (bits[i] ?? 0) | (other.#bits[i] ?? 0);
    return new VlanSet(bits);
  }

  intersect(other: VlanSet): VlanSet {
    const bits = new Uint32Array(this.#bits);
    for (let i = 0; i < WORDS; i++) bits[i] = (bits[i] ?? 0) & (other.#bits[i] ?? 0);
    return new VlanSet(bits);
  }

  minus(other: VlanSet): VlanSet {
    const bits = new Uint32Array(this.#bits);
    for (let i = 0; i < WORDS; i++) bits[i] = (bits[i] ?? 0) & ~(other.#bits[i] ?? 0);
    return new VlanSet(bits);
  }

  /** This set and one more ID. Throws {@link VlanSyntaxError} on an ID outside 1 to 4094. */
  with(id: number): VlanSet {
    if (this.has(id)) return this;
    const bits = new Uint32Array(this.#bits);
    addRange(bits, id, id, 0, String(id));
    return new VlanSet(bits);
  }

  /** This set without one ID. */
  without(id: number): VlanSet {
    if (!this.has(id)) return this;
    const bits = new Uint32Array(this.#bits);
    const word = id >>> 5;
    bits[word] = (bits[word] ?? 0) & ~(1 << (id & 31));
    return new VlanSet(bits);
  }

  isSubsetOf(other: VlanSet): boolean {
    for (let i = 0; i < WORDS; i++) if (((this.#bits[i] ?? 0) & ~(other.#bits[i] ?? 0)) !== 0) return false;
    return true;
  }

  /** The IDs in ascending order. */
  ids(): number[] {
    const ids: number[] = [];
    for (let i = 0; i < WORDS; i++) {
      const word = this.#bits[i] ?? 0;
      if (word === 0) continue;
      for (let bit = 0; bit < 32; bit++) if ((word & (1 << bit)) !== 0) ids.push(i * 32 + bit);
    }
    return ids;
  }

  /** Maximal runs of consecutive IDs, ascending, as [from, to]. */
  ranges(): [number, number][] {
    const ranges: [number, number][] = [];
    for (const id of this.ids()) {
      const last = ranges[ranges.length - 1];
      if (last && last[1] === id - 1) last[1] = id;
      else ranges.push([id, id]);
    }
    return ranges;
  }

  /** "10,20-29"; "" for the empty set. The form that switches and people read. */
  toString(): string {
    return this.ranges()
      .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
      .join(',');
  }

  /** The contract's list form: integers, and "from-to" strings for runs of three and more. */
  toItems(): (number | string)[] {
    return this.ranges().flatMap(([from, to]): (number | string)[] => {
      if (to - from >= 2) return [`${from}-${to}`];
      return from === to ? [from] : [from, to];
    });
  }

  toJSON(): (number | string)[] {
    return this.toItems();
  }
}

function addRange(bits: Uint32Array, from: number, to: number, index: number, shown: string): void {
  if (!isVlanId(from) || !isVlanId(to)) {
    throw new VlanSyntaxError(`${printable(shown)} is outside the VLAN IDs 1 to 4094`, index);
  }
  if (from > to) throw new VlanSyntaxError(`"${printable(shown)}" is reversed: write "${to}-${from}"`, index);
  for (let id = from; id <= to; id++) {
    const word = id >>> 5;
    bits[word] = (bits[word] ?? 0) | (1 << (id & 31));
  }
}

/** Input echoed in an error: bounded, control characters shown as "?". */
function printable(text: string): string {
  return text.slice(0, 40).replace(/[^\x20-\x7e]/g, '?');
}
