/** Shown by IOS when a page is full, and how it takes the words away again. */
export const MORE = ' --More-- ';
export const MORE_ERASED = `${'\b'.repeat(9)}        ${'\b'.repeat(9)}`;

/** The part of an answer that has not been shown yet. */
export class Pager {
  #rest: string[];
  readonly #length: number;

  constructor(lines: readonly string[], length: number) {
    this.#rest = [...lines];
    this.#length = Math.max(1, length - 1);
  }

  /** True when everything fits on one page or paging is off (length 0). */
  static fits(lines: readonly string[], length: number): boolean {
    return length === 0 || lines.length < length;
  }

  /** The next lines: a whole page, or one line. `done`: nothing is left. */
  next(whole: boolean): { readonly lines: readonly string[]; readonly done: boolean } {
    const lines = this.#rest.splice(0, whole ? this.#length : 1);
    return { lines, done: this.#rest.length === 0 };
  }
}
