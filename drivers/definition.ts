/** One mode of a command line interface, recognised by its prompt. */
export interface CliMode {
  readonly name: string;
  /** Matches the whole last line of the output; group 1, when there is one, is the host name. */
  readonly prompt: RegExp;
  /** The mode from which this one is entered, and the command for it. */
  readonly from?: string;
  readonly enter?: string;
  /** The command that leads back towards `from`. */
  readonly leave?: string;
}

/** A command line dialect as data. The rules are the same for every dialect; see transport/prompt.ts. */
export interface CliDefinition {
  readonly name: string;
  readonly modes: readonly CliMode[];
  /** Modes in which every line of output must be known: see `harmless`. */
  readonly configModes: readonly string[];
  /** Sent after login: no paging, a wide terminal, no log messages. */
  readonly setup: readonly string[];
  /** Terminal width in columns, for the PTY. */
  readonly columns: number;
  /** Longest line that the switch takes; longer ones are refused before they are sent. */
  readonly maxLine?: number;
  /** A line that matches one of these means that the command was refused, in any mode. */
  readonly failures: readonly RegExp[];
  /** Lines that may appear in a configuration mode. Any other line there counts as a refusal. */
  readonly harmless: readonly RegExp[];
  /** The pager's prompt, whole and not only its beginning, since it may come in pieces; answered with a blank. */
  readonly more?: RegExp;
  /** Questions that are expected, and what is typed in answer (a line feed is added). */
  readonly confirmations?: readonly { readonly pattern: RegExp; readonly answer: string }[];
  /** Log messages that may appear anywhere, as whole lines. One that also matches `failures` is not skipped. */
  readonly async?: readonly RegExp[];
  /** Commands that end the session. */
  readonly closing?: readonly string[];
}
