import type { Issue } from './problem.ts';

/** A place in a file, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** YAML text as plain values that know where they stood. */
export interface YamlText {
  readonly value: unknown;
  /** What is wrong with the text itself; the value is then only as good as could be made out. */
  readonly problems: readonly (Issue & { readonly place: Place })[];
  /** Where a path stands; for what is not in the file, where its nearest container stands. */
  place(path: readonly PropertyKey[], atKey?: boolean): Place;
  /** The file has a value at this path. */
  has(path: readonly PropertyKey[]): boolean;
}
