import type { DriverError } from '../errors.ts';

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit status; null when the command was ended by a signal or the switch gave none. */
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ExecOptions {
  readonly timeoutMs?: number;
  /** Written to standard input, which is then closed. */
  readonly input?: string;
  /** Bytes of output that are taken at the most; default 8 MiB. */
  readonly maxBytes?: number;
}

/** A shell with a PTY. */
export interface SshShell {
  readonly alive: boolean;
  write(text: string): void;
  onData(listener: (chunk: Buffer) => void): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** A logged-in SSH connection. */
export interface SshConnection {
  readonly alive: boolean;
  /** Runs one command. Throws {@link DriverError} `unreachable`, `timeout` (the outcome is unknown) or `parse` (too much output). */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  shell(options?: { columns?: number; rows?: number; term?: string }): Promise<SshShell>;
  /** Calls `listener` once when the connection ends; null: it was closed from here. */
  onClose(listener: (error: DriverError | null) => void): void;
  /** Never throws. */
  close(): Promise<void>;
}
