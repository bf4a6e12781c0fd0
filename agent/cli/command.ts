import type { Clock } from '../../drivers/model/clock.ts';

/** What a command may use of the outside world. */
export interface CliIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** All of standard input as text. */
  readonly stdin: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is a terminal. */
  readonly isTty: boolean;
  /** Width of the terminal; 80 when there is none. */
  readonly columns: number;
  readonly clock: Clock;
}

export interface FlagSpec {
  /** Long name without dashes. */
  readonly name: string;
  /** Placeholder of the value; null: the flag takes none. */
  readonly value: string | null;
  readonly short?: string;
  readonly summary: string;
}

/** A command line after parsing. */
export interface CommandCall {
  readonly args: readonly string[];
  has(flag: string): boolean;
  value(flag: string): string | undefined;
}

export type CommandRun = (call: CommandCall, io: CliIo) => Promise<number>;

/** A command that does its own parsing. */
export type RawRun = (args: string[], io: CliIo) => Promise<number>;

/** One row of the command table: parsing, help, completion and docs/cli.md are made from it. */
export interface CommandSpec {
  /** One word, or two ("config check"). */
  readonly name: string;
  readonly summary: string;
  /** What follows the name, for example "[SWITCH]"; flags are added by themselves. */
  readonly usage: string;
  /** Fewest and most positional arguments. */
  readonly args: readonly [number, number];
  /** What the first argument is, for completion. */
  readonly completes?: 'switch' | 'file' | 'port' | readonly string[];
  readonly flags: readonly FlagSpec[];
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** More lines for the help, each a sentence. */
  readonly details: readonly string[];
  /** Exit codes with a meaning of their own here, besides the common table. */
  readonly exits: readonly (readonly [code: number, meaning: string])[];
}
