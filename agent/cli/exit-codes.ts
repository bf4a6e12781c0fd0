/** Exit codes of every command: 0 and 1 answer a question, the others are those of sysexits.h. */
export const EXIT = {
  ok: 0,
  no: 1,
  usage: 64,
  input: 66,
  unreachable: 69,
  bug: 70,
  timeout: 75,
  permission: 77,
  config: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each code means, for `portkeeper help exit-codes` and docs/cli.md. */
export const EXIT_CODES: readonly { readonly code: ExitCode; readonly meaning: string }[] = [
  { code: EXIT.ok, meaning: 'yes: done, in sync, healthy, nothing to change' },
  { code: EXIT.no, meaning: 'no: not in sync, not found, refused, failed, changes are due' },
  { code: EXIT.usage, meaning: 'the command line is wrong: unknown command or flag, missing or ambiguous argument' },
  { code: EXIT.input, meaning: 'a file given as input cannot be read' },
  { code: EXIT.unreachable, meaning: 'the agent or the broker cannot be reached or does not answer' },
  { code: EXIT.bug, meaning: 'a defect in the program' },
  { code: EXIT.timeout, meaning: 'the time given for waiting is over; the outcome is still open' },
  { code: EXIT.permission, meaning: 'no permission: for the socket, or by the broker' },
  { code: EXIT.config, meaning: 'the configuration file is not valid' },
];

/** Ends a command with a message for a person: what failed, why we think so, what to type. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exit: ExitCode;
  /** One line each; why, and what to do. */
  readonly why: string | null;
  readonly type: string | null;

  constructor(exit: ExitCode, message: string, more: { readonly why?: string; readonly type?: string } = {}) {
    super(message);
    this.exit = exit;
    this.why = more.why ?? null;
    this.type = more.type ?? null;
  }
}

/** True for a {@link CliError}; by its name, since commands that are loaded on demand bring a class of their own. */
export function isCliError(error: unknown): error is CliError {
  return error instanceof Error && error.name === 'CliError';
}

/** Arguments that cannot be understood: exit 64. */
export function usageError(message: string, type?: string): CliError {
  return new CliError(EXIT.usage, message, type === undefined ? {} : { type });
}
