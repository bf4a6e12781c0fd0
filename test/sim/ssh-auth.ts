import { createHash, timingSafeEqual } from 'node:crypto';
import ssh2, { type AuthContext, type ParsedKey } from 'ssh2';

export type LoginMethod = 'password' | 'publickey' | 'keyboard-interactive';

/** An account of the switch. */
export interface SimUser {
  readonly name: string;
  /** null: no login by password. */
  readonly password: string | null;
  /** Public key in OpenSSH form, for login by key. */
  readonly publicKey?: string;
  /** Privilege level after login, 1 or 15 as a rule; 1 shows ">" and needs `enable`. */
  readonly privilege: number;
  /** Which ways of login are offered; default: all. */
  readonly methods?: readonly LoginMethod[];
}

const ALL_METHODS: readonly LoginMethod[] = ['publickey', 'password', 'keyboard-interactive'];

/** Reads a private or public key. Throws when it cannot be read. */
export function parseKey(text: string): ParsedKey {
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error) throw parsed;
  return parsed;
}

/** A new ed25519 key pair in OpenSSH form. */
export function generateUserKey(): { readonly private: string; readonly public: string } {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519');
    // ssh2 drops a leading zero byte of the public key, so that one key in 256 cannot be read.
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}

/** Answers one authentication request; `accepted` learns who logged in. */
export function authenticate(users: readonly SimUser[], context: AuthContext, accepted: (user: SimUser) => void): void {
  const user = users.find((u) => u.name === context.username);
  const methods = user?.methods ?? ALL_METHODS;
  const decide = (good: boolean) => {
    if (!user || !good) {
      context.reject([...methods]);
      return;
    }
    accepted(user);
    context.accept();
  };
  if (!user || !methods.some((method) => method === context.method)) decide(false);
  else if (context.method === 'password') decide(sameText(context.password, user.password));
  else if (context.method === 'publickey') decide(keyFits(context, user));
  else if (context.method === 'keyboard-interactive') {
    context.prompt([{ prompt: 'Password: ', echo: false }], '', (answers) => {
      decide(sameText(answers?.[0] ?? '', user.password));
    });
  } else decide(false);
}

function sameText(given: string, wanted: string | null): boolean {
  if (wanted === null) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** True for the account's own key; the first request of a client comes without a signature and only asks. */
function keyFits(context: Extract<AuthContext, { method: 'publickey' }>, user: SimUser): boolean {
  if (user.publicKey === undefined) return false;
  const wanted = parseKey(user.publicKey);
  if (!wanted.getPublicSSH().equals(context.key.data)) return false;
  if (!context.signature || !context.blob) return true;
  return wanted.verify(context.blob, context.signature, context.hashAlgo) === true;
}
