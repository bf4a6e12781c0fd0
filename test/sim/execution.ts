/** What a command waits for. */
export type Pending =
  | {
      readonly kind: 'ask';
      readonly prompt: string;
      /** `key`: a single key answers ("[confirm]"); `secret`: a line without echo. */
      readonly input: 'line' | 'key' | 'secret';
      readonly then: (answer: string) => void;
    }
  | { readonly kind: 'wait'; readonly ms: number; readonly then: () => void };

/** One line being executed: what it prints and what it still needs. */
export class Execution {
  readonly out: string[] = [];
  /** Set when the switch refused the line; the mode then stays as it was. */
  rejected = false;
  /** The session ends after it. */
  leaving = false;
  #pending: Pending | null = null;

  print(...lines: readonly string[]): void {
    for (const line of lines) this.out.push(line);
  }

  /** Prints a refusal. */
  reject(...lines: readonly string[]): void {
    this.rejected = true;
    this.print(...lines);
  }

  ask(prompt: string, input: 'line' | 'key' | 'secret', then: (answer: string) => void): void {
    this.#pending = { kind: 'ask', prompt, input, then };
  }

  wait(ms: number, then: () => void): void {
    if (ms <= 0) then();
    else this.#pending = { kind: 'wait', ms, then };
  }

  /** What the command is waiting for; asking clears it. */
  takePending(): Pending | null {
    const pending = this.#pending;
    this.#pending = null;
    return pending;
  }
}
