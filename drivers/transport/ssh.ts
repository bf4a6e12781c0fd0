import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { Client, type ClientChannel, type ConnectConfig, type NextAuthHandler } from 'ssh2';
import type { SwitchTarget } from '../driver.ts';
import { DriverError } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { sanitizeText } from '../model/text.ts';
import { LEGACY } from './algorithms.ts';
import { collectOutput, shellOf } from './channel.ts';
import type { ExecOptions, ExecResult, SshConnection, SshShell } from './connection.ts';
import { explainKeyError, explainSshError, LoginSequence, onlyAPerson } from './login.ts';

export type { ExecOptions, ExecResult, SshConnection, SshShell } from './connection.ts';

const KEEPALIVE = { intervalMs: 10_000, count: 3 } as const;
const MAX_OUTPUT = 8 * 1024 * 1024;
const DEFAULT_EXEC_MS = 30_000;
/** How long a far side that does not react to the end of a channel is waited for. */
const CHANNEL_CLOSE_MS = 2_000;
const CLOSE_MS = 1_000;

/**
 * Connects and logs in within `target.connectTimeoutMs`. Throws {@link DriverError} `unreachable`, `timeout`, `host-key` or
 * `auth`; nothing is left open then.
 */
export function connectSsh(target: SwitchTarget, clock: Clock): Promise<SshConnection> {
  return new Promise((resolve, reject) => {
    const client = new Client();
    const socket = new Socket();
    const login = new LoginSequence(target);
    let refusedKey: string | null = null;
    let settled = false;
    const fail = (error: DriverError) => {
      if (settled) return;
      settled = true;
      cancel();
      client.destroy();
      socket.destroy();
      reject(error);
    };
    const where = `${target.host} port ${target.port}`;
    const cancel = clock.after(target.connectTimeoutMs, () =>
      fail(
        new DriverError('timeout', `${where} did not finish the SSH login within ${target.connectTimeoutMs / 1000} s`),
      ),
    );
    const explain = (error: Error) =>
      refusedKey === null
        ? explainSshError(error, target, login.offered, login.passwordGiven)
        : new DriverError(
            'host-key',
            `${where} shows the host key ${refusedKey}, which is not the one known; if the switch or its key was replaced on purpose, accept it`,
          );
    // ssh2 may emit several errors; the first one tells, the others must not end the process.
    client.on('error', (error) => fail(explain(error)));
    client.on('close', () => fail(explain(new Error('the connection was closed during the login'))));
    client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
      const answers = login.answer(prompts);
      if (answers === null) fail(onlyAPerson(where, prompts.map((p) => p.prompt).join(' ')));
      else if (answers === 'refused') fail(explain(refusal()));
      else finish(answers);
    });
    // Without a listener the library would wait for ever.
    client.on('change password', (prompt) => fail(onlyAPerson(where, prompt || 'for a new password')));
    client.once('ready', () => {
      if (settled) return;
      settled = true;
      cancel();
      resolve(new Connection(client, socket, clock, where));
    });
    socket.on('error', (error) => fail(explain(error)));
    socket.setNoDelay(true);
    const config: ConnectConfig = {
      sock: socket,
      username: target.username,
      ...(target.password === null ? {} : { password: target.password }),
      ...(target.privateKey === null ? {} : { privateKey: target.privateKey }),
      ...(target.passphrase === null ? {} : { passphrase: target.passphrase }),
      tryKeyboard: target.password !== null,
      // Types of the library know only the callback form; the returned name is what it takes.
      authHandler: ((offered: string[] | null, partial: boolean | null, next: NextAuthHandler) => {
        next(login.next(offered, partial === true) as never);
      }) as never,
      hostVerifier: (key: Buffer, verify: (ok: boolean) => void) => {
        const fingerprint = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
        const decide = async () => target.verifyHostKey(fingerprint);
        decide().then(
          (ok) => {
            if (!ok) refusedKey = fingerprint;
            verify(ok);
          },
          (error: unknown) => {
            const why = sanitizeText(error instanceof Error ? error.message : String(error), 200);
            const message = `the host key of ${where} could not be checked: ${why}`;
            fail(new DriverError('unreachable', message, { cause: error }));
            // Keys are exchanged again during a session, too.
            verify(false);
          },
        );
      },
      // Deadlines are ours: one clock for all of them.
      readyTimeout: 0,
      keepaliveInterval: KEEPALIVE.intervalMs,
      keepaliveCountMax: KEEPALIVE.count,
      ...(target.algorithms === 'legacy'
        ? {
            algorithms: Object.fromEntries(
              Object.entries(LEGACY).map(([kind, names]) => [kind, { append: [...names], prepend: [], remove: [] }]),
            ) as NonNullable<ConnectConfig['algorithms']>,
          }
        : {}),
    };
    socket.connect({ host: target.host, port: target.port });
    try {
      client.connect(config);
    } catch (error) {
      fail(explainKeyError(error as Error, where));
    }
  });
}

/** The library's own words for a login that failed. */
function refusal(): Error {
  return Object.assign(new Error('the password was asked for again'), { level: 'client-authentication' });
}

class Connection implements SshConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #where: string;
  readonly #onClose: ((error: DriverError | null) => void)[] = [];
  /** Ends of what is under way, for when the connection goes. */
  readonly #pending = new Set<(error: DriverError) => void>();
  readonly #watches = new Set<() => void>();
  #ended: { error: DriverError | null } | null = null;
  #reason: string | null = null;

  constructor(client: Client, socket: Socket, clock: Clock, where: string) {
    this.#client = client;
    this.#socket = socket;
    this.#clock = clock;
    this.#where = where;
    client.removeAllListeners('error');
    client.on('error', (error) => {
      this.#reason ??= sanitizeText(error.message, 200);
      // The library only ends its own half, and listens no more.
      socket.destroy();
    });
    client.on('close', () =>
      this.#end(
        new DriverError(
          'unreachable',
          `the SSH connection to ${where} was lost${this.#reason === null ? '' : `: ${this.#reason}`}`,
        ),
      ),
    );
  }

  get alive(): boolean {
    return this.#ended === null;
  }

  onClose(listener: (error: DriverError | null) => void): void {
    if (this.#ended) listener(this.#ended.error);
    else this.#onClose.push(listener);
  }

  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const timeoutMs = options.timeoutMs ?? DEFAULT_EXEC_MS;
    const limit = options.maxBytes ?? MAX_OUTPUT;
    return this.#channel(
      (done) => this.#client.exec(command, done),
      timeoutMs,
      (channel, resolve, reject) => {
        const tooMuch = () =>
          reject(
            new DriverError('parse', `${this.#where} answered more than ${limit} bytes to one command`, {
              command: sanitizeText(command, 200),
            }),
          );
        collectOutput(channel, limit, resolve, tooMuch);
        channel.end(options.input ?? '');
      },
    );
  }

  shell(options: { columns?: number; rows?: number; term?: string } = {}): Promise<SshShell> {
    const { columns = 512, rows = 1000, term = 'vt100' } = options;
    return this.#channel(
      (done) => this.#client.shell({ cols: columns, rows, width: 0, height: 0, term }, done),
      DEFAULT_EXEC_MS,
      (channel, resolve) => resolve(shellOf(channel)),
    );
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    const gone = new Promise<void>((resolve) => this.#client.once('close', () => resolve()));
    this.#end(null);
    this.#client.end();
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#clock.after(CLOSE_MS, resolve);
    });
    await Promise.race([gone, late]);
    cancel();
    this.#socket.destroy();
  }

  /** Opens a channel and hands it to `use`; ends with what `use` says, the deadline, or the loss of the connection. */
  #channel<T>(
    open: (done: (error: Error | undefined, channel: ClientChannel) => void) => unknown,
    timeoutMs: number,
    use: (channel: ClientChannel, resolve: (value: T) => void, reject: (error: DriverError) => void) => void,
  ): Promise<T> {
    if (this.#ended)
      return Promise.reject(new DriverError('unreachable', `the SSH connection to ${this.#where} is closed`));
    return new Promise((resolve, reject) => {
      let channel: ClientChannel | null = null;
      let calm = () => {};
      const finish = () => {
        cancel();
        this.#pending.delete(fail);
      };
      const fail = (error: DriverError) => {
        if (!this.#pending.has(fail)) return;
        finish();
        calm = this.#dropIfStuck();
        channel?.close();
        reject(error);
      };
      const cancel = this.#clock.after(timeoutMs, () =>
        fail(new DriverError('timeout', `${this.#where} did not answer within ${timeoutMs / 1000} s`)),
      );
      this.#pending.add(fail);
      const refused = (error: Error) => {
        const said = sanitizeText(error.message, 200);
        finish();
        calm();
        reject(new DriverError('unreachable', `${this.#where} opens no channel: ${said}`, { cause: error }));
      };
      const opened = (error: Error | undefined, made: ClientChannel) => {
        if (error) return refused(error);
        made.on('error', () => {});
        made.on('close', () => calm());
        if (!this.#pending.has(fail)) {
          // Nobody reads it any more, and without reading it would never end.
          made.resume();
          made.stderr.resume();
          return made.close();
        }
        channel = made;
        const done = (value: T) => {
          finish();
          resolve(value);
        };
        use(made, done, fail);
      };
      try {
        open(opened);
      } catch (error) {
        refused(error as Error);
      }
    });
  }

  /** A far side that does not even close a channel is as good as gone. Returns what calls that off. */
  #dropIfStuck(): () => void {
    if (!this.alive) return () => {};
    const cancel = this.#clock.after(CHANNEL_CLOSE_MS, () => {
      this.#watches.delete(cancel);
      this.#reason ??= 'it does not close a channel';
      this.#socket.destroy();
    });
    this.#watches.add(cancel);
    return () => {
      this.#watches.delete(cancel);
      cancel();
    };
  }

  #end(error: DriverError | null): void {
    if (this.#ended) return;
    this.#ended = { error };
    for (const cancel of this.#watches) cancel();
    const lost = error ?? new DriverError('unreachable', `the SSH connection to ${this.#where} was closed`);
    for (const fail of [...this.#pending]) fail(lost);
    for (const listener of this.#onClose.splice(0)) listener(error);
  }
}
