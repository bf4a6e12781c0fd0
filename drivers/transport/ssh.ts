import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { Client, type ClientChannel, type ConnectConfig, type NextAuthHandler } from 'ssh2';
import type { SwitchTarget } from '../driver.ts';
import { DriverError } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { sanitizeText } from '../model/text.ts';
import { LEGACY } from './algorithms.ts';
import type { ExecOptions, ExecResult, SshConnection, SshShell } from './connection.ts';
import { answerPrompts, explainSshError, LoginSequence } from './login.ts';

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
        ? explainSshError(error, target, login.offered)
        : new DriverError(
            'host-key',
            `${where} shows the host key ${refusedKey}, which is not the one known; if the switch or its key was replaced on purpose, accept it`,
          );
    // ssh2 may emit several errors; the first one tells, the others must not end the process.
    client.on('error', (error) => fail(explain(error)));
    client.on('close', () => fail(explain(new Error('the connection was closed during the login'))));
    client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
      const answers = answerPrompts(prompts as { prompt: string; echo?: boolean }[], target.password);
      if (answers !== null) return finish(answers);
      const asked = sanitizeText(prompts.map((p) => p.prompt).join(' '), 200);
      fail(
        new DriverError(
          'auth',
          `${where} asks "${asked}" at login, which only a person can answer; log in by hand once`,
        ),
      );
    });
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
      authHandler: ((offered: string[] | null, _partial: boolean | null, next: NextAuthHandler) => {
        next(login.next(offered) as never);
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
            fail(
              new DriverError(
                'unreachable',
                `the host key of ${where} could not be checked: ${error instanceof Error ? error.message : String(error)}`,
                { cause: error },
              ),
            );
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
      fail(explainSshError(error as Error, target, null));
    }
  });
}

class Connection implements SshConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #where: string;
  readonly #onClose: ((error: DriverError | null) => void)[] = [];
  /** Ends of what is under way, for when the connection goes. */
  readonly #pending = new Set<(error: DriverError) => void>();
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
        const out = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
        let bytes = 0;
        const collect = (into: Buffer[]) => (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= limit) into.push(chunk);
          else
            reject(
              new DriverError('parse', `${this.#where} answered more than ${limit} bytes to one command`, {
                command: sanitizeText(command, 200),
              }),
            );
        };
        let exit: { code: number | null; signal: string | null } = { code: null, signal: null };
        channel.on('data', collect(out.stdout));
        channel.stderr.on('data', collect(out.stderr));
        channel.on('exit', (code: number | null, signal?: string) => {
          exit = { code, signal: signal === undefined ? null : sanitizeText(signal, 20) };
        });
        channel.on('close', () => resolve({ stdout: text(out.stdout), stderr: text(out.stderr), ...exit }));
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
      const finish = () => {
        cancel();
        this.#pending.delete(fail);
      };
      const fail = (error: DriverError) => {
        finish();
        channel?.close();
        reject(error);
      };
      const cancel = this.#clock.after(timeoutMs, () => {
        fail(new DriverError('timeout', `${this.#where} did not answer within ${timeoutMs / 1000} s`));
        this.#dropIfStuck(channel);
      });
      this.#pending.add(fail);
      const opened = (error: Error | undefined, made: ClientChannel) => {
        if (error)
          return fail(
            new DriverError('unreachable', `${this.#where} opens no channel: ${sanitizeText(error.message, 200)}`, {
              cause: error,
            }),
          );
        if (!this.#pending.has(fail)) return made.close();
        channel = made;
        made.on('error', () => {});
        use(
          made,
          (value) => {
            finish();
            resolve(value);
          },
          fail,
        );
      };
      try {
        open(opened);
      } catch (error) {
        fail(new DriverError('unreachable', `${this.#where} opens no channel`, { cause: error }));
      }
    });
  }

  /** A far side that does not even close a channel is as good as gone. */
  #dropIfStuck(channel: ClientChannel | null): void {
    let closed = false;
    channel?.once('close', () => {
      closed = true;
    });
    this.#clock.after(CHANNEL_CLOSE_MS, () => {
      if (!closed && this.alive) this.#socket.destroy();
    });
  }

  #end(error: DriverError | null): void {
    if (this.#ended) return;
    this.#ended = { error };
    const lost = error ?? new DriverError('unreachable', `the SSH connection to ${this.#where} was closed`);
    for (const fail of [...this.#pending]) fail(lost);
    for (const listener of this.#onClose.splice(0)) listener(error);
  }
}

function shellOf(channel: ClientChannel): SshShell {
  let alive = true;
  const closed: (() => void)[] = [];
  channel.on('close', () => {
    alive = false;
    for (const listener of closed.splice(0)) listener();
  });
  channel.stderr.on('data', () => {});
  return {
    get alive() {
      return alive;
    },
    write: (line) => {
      if (alive) channel.write(line);
    },
    onData: (listener) => {
      channel.on('data', listener);
    },
    onClose: (listener) => {
      if (alive) closed.push(listener);
      else listener();
    },
    close: () => channel.close(),
  };
}

/** Bytes that are not UTF-8 become U+FFFD. */
function text(chunks: readonly Buffer[]): string {
  const decoder = new StringDecoder('utf8');
  return chunks.map((c) => decoder.write(c)).join('') + decoder.end();
}
