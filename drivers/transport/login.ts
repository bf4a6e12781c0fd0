import { DriverError } from '../errors.ts';
import { sanitizeText } from '../model/text.ts';

/** The methods that are tried, in this order, as far as there is a secret for them and the switch takes them. */
const ORDER = ['none', 'publickey', 'password', 'keyboard-interactive'] as const;
export type LoginMethod = (typeof ORDER)[number];

export interface LoginSecrets {
  readonly password: string | null;
  readonly privateKey: string | null;
}

/** Methods that give the password. */
const WITH_PASSWORD: readonly LoginMethod[] = ['password', 'keyboard-interactive'];

/**
 * Chooses the next login method. Each is tried once, and the password is given once, by whichever method: a second time
 * would be a second failed login, and a few of them lock an account.
 */
export class LoginSequence {
  readonly #password: string | null;
  #methods: LoginMethod[];
  /** What the switch said it takes; null until it did. */
  offered: readonly string[] | null = null;
  /** The password was given, and the switch has not said that it takes it. */
  passwordGiven = false;

  constructor({ password, privateKey }: LoginSecrets) {
    this.#password = password;
    this.#methods = ORDER.filter((m) => m === 'none' || (m === 'publickey' ? privateKey !== null : password !== null));
  }

  /** The next method, or false when there is none left. `offered`: what the switch takes, as it just said; `partial`: the last step was good, and one more is wanted. */
  next(offered: readonly string[] | null, partial = false): LoginMethod | false {
    if (offered !== null) this.offered = offered;
    if (partial) this.passwordGiven = false;
    else if (this.passwordGiven) this.#methods = this.#methods.filter((m) => !WITH_PASSWORD.includes(m));
    const at = this.#methods.findIndex((m) => m === 'none' || this.offered === null || this.offered.includes(m));
    if (at < 0) return false;
    // What is not taken now may be the second step of the login.
    const [method = 'none'] = this.#methods.splice(at, 1);
    if (method === 'password') this.passwordGiven = true;
    return method;
  }

  /** Answers keyboard-interactive questions as {@link answerPrompts} does; `refused`: the password was asked for again. */
  answer(prompts: readonly LoginPrompt[]): string[] | 'refused' | null {
    const answers = answerPrompts(prompts, this.#password);
    if (answers === null || answers.length === 0) return answers;
    if (this.passwordGiven) return 'refused';
    this.passwordGiven = true;
    return answers;
  }
}

/** Switches ask in English; hosts with a locale may not. "Passcode" is what one-time tokens show. */
const PASSWORD_QUESTION = /pass(?:word|wort|phrase)|kennwort|mot de passe|contrase|senha/i;

export interface LoginPrompt {
  readonly prompt: string;
  readonly echo?: boolean;
}

/**
 * Answers keyboard-interactive questions: the password to one that asks for it, and not for a new one; null: this is
 * something else (a one-time code, a person's choice), and the login is given up.
 */
export function answerPrompts(prompts: readonly LoginPrompt[], password: string | null): string[] | null {
  if (prompts.length === 0) return [];
  const [first] = prompts;
  if (prompts.length > 1 || password === null || first === undefined) return null;
  if (/\b(new|change|re-?enter|confirm|expired|one-?time)\b/i.test(first.prompt)) return null;
  return PASSWORD_QUESTION.test(first.prompt) ? [password] : null;
}

/** The login asks for something that no program should answer. */
export function onlyAPerson(where: string, asked: string): DriverError {
  const shown = sanitizeText(asked, 200);
  return new DriverError(
    'auth',
    `${where} asks "${shown}" at login, which only a person can answer; log in by hand once`,
  );
}

/** Errors of the network itself, which say nothing of a login. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection: no SSH server listens there',
  EHOSTUNREACH: 'cannot be reached: there is no way to the host',
  ENETUNREACH: 'cannot be reached: there is no way to the network',
  ETIMEDOUT: 'does not answer',
  ENOTFOUND: 'cannot be found: the name does not resolve',
  EAI_AGAIN: 'cannot be found: the name server does not answer',
};
const HANG_UP: readonly string[] = ['ECONNRESET', 'EPIPE'];

/** What a failed connection or login means, with what to do about it. */
export function explainSshError(
  error: Error & { level?: string; code?: string | number },
  target: { host: string; port: number; username: string },
  offered: readonly string[] | null,
  passwordGiven = false,
): DriverError {
  const where = `${target.host} port ${target.port}`;
  const said = sanitizeText(error.message, 300);
  const known = NETWORK[String(error.code)];
  if (known !== undefined) return new DriverError('unreachable', `${where} ${known}`, { cause: error });
  const takes = offered?.length ? ` (it takes ${sanitizeText(offered.join(', '), 200)})` : '';
  // OpenSSH cuts the connection with these words instead of refusing once more.
  if (error.level === 'client-authentication' || /too many authentication/i.test(error.message)) {
    return new DriverError(
      'auth',
      `${where} refused the login of ${target.username}${takes}; check user name, password and key`,
      { cause: error },
    );
  }
  // Some switches hang up instead of refusing. To try again soon would lock the account if it was the password.
  if (passwordGiven) {
    return new DriverError(
      'auth',
      `${where} hung up when it was given the password of ${target.username}${takes}: ${said}; check user name and password`,
      { cause: error },
    );
  }
  if (HANG_UP.includes(String(error.code)))
    return new DriverError('unreachable', `${where} cut the connection`, { cause: error });
  if (/no matching/i.test(error.message)) {
    return new DriverError(
      'unreachable',
      `${where} and this program have no algorithm in common (${said}); an old switch needs algorithms: legacy`,
      { cause: error },
    );
  }
  return new DriverError('unreachable', `the SSH connection to ${where} failed: ${said}`, { cause: error });
}

/** Why a login could not even be begun: the library refuses the private key. `error` is its own, and names no key. */
export function explainKeyError(error: Error, where: string): DriverError {
  const why = /no passphrase given/i.test(error.message)
    ? 'is locked with a passphrase; set passphraseFile'
    : /bad passphrase|integrity check/i.test(error.message)
      ? 'cannot be unlocked: the passphrase is wrong, or the key is damaged; check passphraseFile'
      : /does not contain/i.test(error.message)
        ? 'is only the public half; give the file without .pub'
        : 'is damaged or of an unknown kind; "ssh-keygen -p -f FILE" writes a key in a form that is known';
  return new DriverError('auth', `the private key for ${where} ${why}`);
}
