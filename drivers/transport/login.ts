import { DriverError } from '../errors.ts';
import { sanitizeText } from '../model/text.ts';

/** The methods that are tried, in this order, as far as there is a secret for them and the switch takes them. */
const ORDER = ['none', 'publickey', 'password', 'keyboard-interactive'] as const;
export type LoginMethod = (typeof ORDER)[number];

export interface LoginSecrets {
  readonly password: string | null;
  readonly privateKey: string | null;
}

/** Chooses the next login method; each is tried once, so that no account is locked by repeating. */
export class LoginSequence {
  readonly #methods: LoginMethod[];
  /** What the switch said it takes; null until it did. */
  offered: readonly string[] | null = null;

  constructor({ password, privateKey }: LoginSecrets) {
    this.#methods = ORDER.filter((m) => m === 'none' || (m === 'publickey' ? privateKey !== null : password !== null));
  }

  /** The next method, or false when there is none left. `offered`: what the switch takes, as it just said. */
  next(offered: readonly string[] | null): LoginMethod | false {
    if (offered !== null) this.offered = offered;
    const at = this.#methods.findIndex((m) => m === 'none' || this.offered === null || this.offered.includes(m));
    // What is not taken now may be the second step of the login.
    return at < 0 ? false : (this.#methods.splice(at, 1)[0] ?? false);
  }
}

export interface LoginPrompt {
  readonly prompt: string;
  readonly echo?: boolean;
}

/**
 * Answers keyboard-interactive questions: the password to one that hides its answer and is no demand for a new password;
 * null: this is something else, and the login is given up.
 */
export function answerPrompts(prompts: readonly LoginPrompt[], password: string | null): string[] | null {
  if (prompts.length === 0) return [];
  const [first] = prompts;
  if (prompts.length > 1 || password === null || first === undefined) return null;
  if (/\b(new|change|re-?enter|confirm|expired)\b/i.test(first.prompt)) return null;
  return first.echo !== true || /pass(word|code|phrase)/i.test(first.prompt) ? [password] : null;
}

/** The login asks for something that no program should answer. */
export function onlyAPerson(where: string, asked: string): DriverError {
  const shown = sanitizeText(asked, 200);
  return new DriverError(
    'auth',
    `${where} asks "${shown}" at login, which only a person can answer; log in by hand once`,
  );
}

/** What a failed connection or login means, with what to do about it. */
export function explainSshError(
  error: Error & { level?: string; code?: string },
  target: { host: string; port: number; username: string },
  offered: readonly string[] | null,
): DriverError {
  const where = `${target.host} port ${target.port}`;
  const said = sanitizeText(error.message, 300);
  // OpenSSH cuts the connection with these words instead of refusing once more.
  if (error.level === 'client-authentication' || /too many authentication/i.test(error.message)) {
    const takes =
      offered === null || offered.length === 0 ? '' : ` (it takes ${sanitizeText(offered.join(', '), 200)})`;
    return new DriverError(
      'auth',
      `${where} refused the login of ${target.username}${takes}; check user name, password and key`,
      { cause: error },
    );
  }
  if (/privateKey|passphrase|private key/i.test(error.message)) {
    return new DriverError(
      'auth',
      `the private key for ${where} cannot be used: it is damaged, of an unknown kind, or its passphrase is missing or wrong`,
    );
  }
  const network: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'refuses the connection: no SSH server listens there',
    EHOSTUNREACH: 'cannot be reached: there is no way to the host',
    ENETUNREACH: 'cannot be reached: there is no way to the network',
    ETIMEDOUT: 'does not answer',
    ENOTFOUND: 'cannot be found: the name does not resolve',
    EAI_AGAIN: 'cannot be found: the name server does not answer',
    ECONNRESET: 'cut the connection',
    EPIPE: 'cut the connection',
  };
  const known = error.code === undefined ? undefined : network[error.code];
  if (known !== undefined) return new DriverError('unreachable', `${where} ${known}`, { cause: error });
  if (/no matching/i.test(error.message)) {
    return new DriverError(
      'unreachable',
      `${where} and this program have no algorithm in common (${said}); an old switch needs algorithms: legacy`,
      { cause: error },
    );
  }
  return new DriverError('unreachable', `the SSH connection to ${where} failed: ${said}`, { cause: error });
}
