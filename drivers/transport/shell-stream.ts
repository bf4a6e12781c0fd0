import { StringDecoder } from 'node:string_decoder';
import { DriverError, type DriverErrorKind } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { sanitizeText } from '../model/text.ts';
import type { SshShell } from './connection.ts';
import { Transcript } from './transcript.ts';

const MAX_OUTPUT = 8 * 1024 * 1024;

/** A shell whose output is collected, and which is given up for good when nobody knows what it does any more. */
export class ShellStream {
  readonly transcript = new Transcript();
  readonly #shell: SshShell;
  readonly #clock: Clock;
  readonly #decoder = new StringDecoder('utf8');
  #wake: (() => void) | null = null;
  #broken: DriverError | null = null;

  constructor(shell: SshShell, clock: Clock) {
    this.#shell = shell;
    this.#clock = clock;
    shell.onData((chunk) => {
      if (this.#broken) return;
      this.transcript.append(this.#decoder.write(chunk));
      if (this.transcript.length > MAX_OUTPUT)
        this.giveUp('parse', 'the switch wrote more than 8 MiB without a prompt');
      this.#wake?.();
    });
    shell.onClose(() => this.giveUp('unreachable', 'the switch ended the session'));
  }

  get alive(): boolean {
    return this.#broken === null && this.#shell.alive;
  }

  write(text: string): void {
    this.#shell.write(text);
  }

  /** Throws what the session was given up for. */
  check(): void {
    if (this.#broken) throw this.#broken;
  }

  /** Closes the shell; the first reason is the one that counts, and is returned. */
  giveUp(kind: DriverErrorKind, message: string, command?: string): DriverError {
    const first = this.#broken === null;
    const details = command === undefined ? {} : { command: sanitizeText(command, 300) };
    this.#broken ??= new DriverError(kind, message, details);
    if (first) this.#shell.close();
    this.#wake?.();
    return this.#broken;
  }

  /** Waits for more output, at most `ms`; true when none came since the transcript was `length` long. */
  silence(ms: number, length: number): Promise<boolean> {
    if (this.transcript.length !== length || this.#broken) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#wake = null;
        resolve(this.transcript.length === length && this.#broken === null);
      };
      const cancel = this.#clock.after(Math.max(0, ms), done);
      this.#wake = done;
    });
  }
}
