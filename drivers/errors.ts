/**
 * What can go wrong between a driver and its switch. Nothing else leaves a driver.
 *
 * - `unreachable`: no connection, or it was lost
 * - `auth`: the switch refused the login; not retried at once, so that no account is locked
 * - `host-key`: the switch's SSH host key is not the pinned one
 * - `timeout`: connected, but no answer within the deadline
 * - `busy`: a person or another program holds the configuration
 * - `rejected`: the switch refused a command; its words are in `answer`
 * - `unsupported`: the driver cannot express what is wanted; nothing was sent
 * - `parse`: the switch answered something that the driver does not understand
 */
export type DriverErrorKind =
  | 'unreachable'
  | 'auth'
  | 'host-key'
  | 'timeout'
  | 'busy'
  | 'rejected'
  | 'unsupported'
  | 'parse';

export interface DriverErrorDetails {
  /** The command that was being run; never a password. */
  readonly command?: string;
  /** What the switch said, sanitised and bounded. */
  readonly answer?: string;
  readonly port?: string;
  readonly cause?: unknown;
}

/** A typed failure of a driver. `message` names what failed and what to do about it. */
export class DriverError extends Error {
  override readonly name = 'DriverError';
  readonly kind: DriverErrorKind;
  readonly command: string | null;
  readonly answer: string | null;
  readonly port: string | null;

  constructor(kind: DriverErrorKind, message: string, details: DriverErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.command = details.command ?? null;
    this.answer = details.answer ?? null;
    this.port = details.port ?? null;
  }

  /** True when the session is gone and what was being done has an unknown outcome. */
  get sessionLost(): boolean {
    return this.kind === 'unreachable' || this.kind === 'timeout';
  }
}
