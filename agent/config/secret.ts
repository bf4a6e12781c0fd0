import { inspect } from 'node:util';

/** A value that must not be shown. Only {@link reveal} gives it; every way of printing it says "[secret]". */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; for the place that hands it to the network, and nowhere else. */
  reveal(): string {
    return this.#value;
  }

  equals(other: Secret | null): boolean {
    return other !== null && other.#value === this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
