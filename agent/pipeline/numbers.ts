/**
 * Gives numbers that grow and are never given twice, also after a crash: they are reserved in blocks, so that not each of
 * them costs a write. After a crash the rest of a block is left out.
 */
export class Numbers {
  readonly #block: number;
  readonly #reserve: (ceiling: number) => Promise<unknown>;
  #next: number;
  #ceiling: number;

  /** `ceiling`: the last one reserved, from the store. `reserve` writes a new one down. */
  constructor(ceiling: number, block: number, reserve: (ceiling: number) => Promise<unknown>) {
    this.#next = ceiling;
    this.#ceiling = ceiling;
    this.#block = block;
    this.#reserve = reserve;
  }

  /** The next number, once it is certain that it was never given; rejects when the reservation could not be written. */
  async take(): Promise<number> {
    if (this.#next >= this.#ceiling) {
      const ceiling = this.#next + this.#block;
      await this.#reserve(ceiling);
      this.#ceiling = ceiling;
    }
    return this.#next++;
  }
}
