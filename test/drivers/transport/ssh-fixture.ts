import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection, type ServerChannel, type ServerConfig, type Session } from 'ssh2';
import type { SwitchTarget } from '../../../drivers/driver.ts';
import { DriverError } from '../../../drivers/errors.ts';
import { type Clock, systemClock } from '../../../drivers/model/clock.ts';
import { settled } from '../../support/test-clock.ts';

/** A new ed25519 key pair that the library can read. */
export function newKey(passphrase?: string): { readonly private: string; readonly public: string } {
  for (;;) {
    const pair =
      passphrase === undefined
        ? ssh2.utils.generateKeyPairSync('ed25519')
        : ssh2.utils.generateKeyPairSync('ed25519', { passphrase, cipher: 'aes256-cbc', rounds: 4 });
    // The library writes one key in 256 so that it cannot be read.
    if (!(ssh2.utils.parseKey(pair.private, passphrase) instanceof Error)) return pair;
  }
}

export function fingerprintOf(privateKey: string): string {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return `SHA256:${createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '')}`;
}

const HOST_KEY = newKey().private;

export interface ServerOptions {
  /** Default: everybody is let in. */
  readonly authenticate?: (context: AuthContext) => void;
  readonly onSession?: (session: Session, socket: Socket) => void;
  readonly algorithms?: ServerConfig['algorithms'];
  readonly hostKey?: string;
}

/** An SSH server on the loopback, scripted by the test. */
export class TestServer {
  readonly hostKey: string;
  /** Login methods in the order in which they were tried; a probe with a key counts like the signature. */
  readonly attempts: string[] = [];
  readonly sockets = new Set<Socket>();
  readonly #net: NetServer;

  private constructor(net: NetServer, options: ServerOptions) {
    this.#net = net;
    this.hostKey = options.hostKey ?? HOST_KEY;
    const { algorithms } = options;
    net.on('connection', (socket) => {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      // A server of its own for each socket, so that the session knows its socket.
      const ssh = new ssh2.Server({ hostKeys: [this.hostKey], ...(algorithms ? { algorithms } : {}) });
      ssh.on('error', () => {});
      ssh.on('connection', (client) => this.#onClient(client, socket, options));
      ssh.injectSocket(socket);
    });
  }

  static async start(options: ServerOptions = {}): Promise<TestServer> {
    const net = createServer();
    const server = new TestServer(net, options);
    net.listen(0, '127.0.0.1');
    await once(net, 'listening');
    return server;
  }

  get port(): number {
    return (this.#net.address() as AddressInfo).port;
  }

  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    this.#net.close();
    await once(this.#net, 'close');
  }

  #onClient(client: Connection, socket: Socket, { authenticate, onSession }: ServerOptions): void {
    client.on('error', () => socket.destroy());
    client.on('authentication', (context) => {
      this.attempts.push(context.method);
      if (authenticate) authenticate(context);
      else context.accept();
    });
    client.on('session', (accept, reject) => {
      if (onSession) onSession(accept(), socket);
      else reject();
    });
  }
}

/** A server whose exec commands are answered by `run`. */
export function execServer(
  run: (command: string, channel: ServerChannel, socket: Socket) => void,
): Promise<TestServer> {
  return TestServer.start({
    onSession: (session, socket) => {
      session.on('exec', (accept, _reject, info) => {
        const channel = accept();
        channel.on('error', () => {});
        run(info.command, channel, socket);
      });
    },
  });
}

export function targetOf(port: number, overrides: Partial<SwitchTarget> = {}): SwitchTarget {
  return {
    name: 'sw1',
    host: '127.0.0.1',
    port,
    username: 'portkeeper',
    password: 'opensesame',
    privateKey: null,
    passphrase: null,
    enablePassword: null,
    verifyHostKey: () => true,
    algorithms: 'modern',
    connectTimeoutMs: 10_000,
    commandTimeoutMs: 10_000,
    options: {},
    ...overrides,
  };
}

/** What a promise is rejected with; fails when it is not, or when it is no {@link DriverError}. */
export async function failure(promise: Promise<unknown>): Promise<DriverError> {
  const error = await promise.then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DriverError)) throw error;
  return error;
}

/** Resolves when `check` holds; never by waiting for a fixed time. */
export async function until(check: () => boolean): Promise<void> {
  while (!check()) await settled();
}

/**
 * The machine's clock, with a count of the timers that fired. With `speed`, time passes that much faster, so that deadlines
 * and silences need not be waited for.
 */
export class CountingClock implements Clock {
  fired = 0;
  readonly #speed: number;

  constructor(speed = 1) {
    this.#speed = speed;
  }

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic() * this.#speed;
  }

  after(ms: number, run: () => void): () => void {
    return systemClock.after(ms / this.#speed, () => {
      this.fired++;
      run();
    });
  }
}
