import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import ssh2, { type ClientInfo, type Connection, type ServerChannel, type Session } from 'ssh2';
import { SimCli } from './cli.ts';
import { CommandContext, type SessionState, type SimSystem } from './command-context.ts';
import { runCommand } from './run-command.ts';
import { authenticate, generateUserKey, parseKey, type SimUser } from './ssh-auth.ts';

export interface SshServerOptions {
  readonly users: readonly SimUser[];
  /** Private host key, PEM or OpenSSH form. */
  readonly hostKey: string;
  /** Greeting before login, as `banner login`; "" for none. */
  readonly banner: string;
  readonly vtyLines: number;
  /** `legacy`: only what an old switch offers: SHA-1 key exchange, CBC ciphers. Needs an RSA host key. */
  readonly algorithms: 'modern' | 'legacy';
  readonly ident: string;
}

/** A new host key; `rsa` for legacy algorithms. */
export function generateHostKey(type: 'ed25519' | 'rsa' = 'ed25519'): string {
  if (type === 'ed25519') return generateUserKey().private;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

/** "SHA256:..." of a private host key, as ssh-keygen -lf prints it. Throws when the key cannot be read. */
export function fingerprintOf(hostKey: string): string {
  const key = parseKey(hostKey);
  return `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`;
}

const LEGACY = {
  kex: ['diffie-hellman-group14-sha1', 'diffie-hellman-group1-sha1'],
  serverHostKey: ['ssh-rsa'],
  cipher: ['aes128-cbc', '3des-cbc'],
  hmac: ['hmac-sha1'],
} as const;

interface Login {
  readonly socket: Socket;
  readonly line: number;
  cli: SimCli | null;
}

/** The SSH side of the switch: logins, vty lines, and one {@link SimCli} for each shell. */
export class SimSshServer {
  /** `off`: connections are refused at once, as from a switch that is down; `silent`: accepted and never answered. */
  reachability: 'on' | 'off' | 'silent' = 'on';
  readonly #system: SimSystem;
  #options: SshServerOptions;
  readonly #net: NetServer;
  readonly #logins = new Set<Login>();
  readonly #sockets = new Set<Socket>();
  #ssh: ssh2.Server;
  #sessions = 0;

  constructor(system: SimSystem, options: SshServerOptions) {
    this.#system = system;
    this.#options = options;
    this.#ssh = this.#makeSsh();
    this.#net = createServer((socket) => this.#accept(socket));
    this.#system.model.onLog((message) => {
      for (const { cli } of this.#logins) cli?.logMessage(message);
    });
  }

  /** Listens; port 0 takes a free one. */
  async listen(host: string, port: number): Promise<void> {
    this.#net.listen(port, host);
    await once(this.#net, 'listening');
  }

  get address(): { readonly host: string; readonly port: number } {
    const { address, port } = this.#net.address() as AddressInfo;
    return { host: address, port };
  }

  /** Terminals that are open now. */
  get states(): SessionState[] {
    return [...this.#logins].flatMap(({ cli }) => (cli ? [cli.state] : []));
  }

  /** Connections that are open now, logged in or not. */
  get connections(): number {
    return this.#sockets.size;
  }

  get hostKeyFingerprint(): string {
    return fingerprintOf(this.#options.hostKey);
  }

  /** Another host key from the next connection on. */
  setHostKey(hostKey: string): void {
    this.#options = { ...this.#options, hostKey };
    this.#ssh = this.#makeSsh();
  }

  /** Cuts all connections. */
  cutAll(): void {
    for (const { cli } of this.#logins) cli?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Cuts all connections and stops listening. */
  async close(): Promise<void> {
    this.cutAll();
    if (!this.#net.listening) return;
    const closed = once(this.#net, 'close');
    this.#net.close();
    await closed;
  }

  #makeSsh(): ssh2.Server {
    const { hostKey, banner, ident, algorithms } = this.#options;
    const server = new ssh2.Server({
      hostKeys: [hostKey],
      ident,
      ...(banner === '' ? {} : { banner }),
      ...(algorithms === 'legacy'
        ? {
            algorithms: {
              kex: [...LEGACY.kex],
              serverHostKey: [...LEGACY.serverHostKey],
              cipher: [...LEGACY.cipher],
              hmac: [...LEGACY.hmac],
            },
          }
        : {}),
    });
    server.on('connection', (client, info) => this.#onClient(client, info));
    return server;
  }

  #accept(socket: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    if (this.reachability === 'off') {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.reachability === 'silent') return;
    const line = this.#freeLine();
    if (line === null) {
      socket.destroy();
      return;
    }
    const login: Login = { socket, line, cli: null };
    this.#logins.add(login);
    socket.on('close', () => {
      login.cli?.close();
      this.#logins.delete(login);
    });
    this.#ssh.injectSocket(socket);
  }

  /** The lowest vty line nobody is on; null when all are taken. */
  #freeLine(): number | null {
    const { vtyLines } = this.#options;
    if (this.#logins.size + this.#system.faults.busyLines >= vtyLines) return null;
    const taken = new Set([...this.#logins].map((l) => l.line));
    for (let line = 0; line < vtyLines; line++) if (!taken.has(line)) return line;
    return null;
  }

  #onClient(client: Connection, info: ClientInfo): void {
    const login = [...this.#logins].find(
      ({ socket }) => socket.remotePort === info.port && socket.remoteAddress === info.ip,
    );
    if (!login) {
      client.end();
      return;
    }
    let user: SimUser | null = null;
    client.on('error', () => login.socket.destroy());
    client.on('authentication', (context) => {
      authenticate(this.#options.users, context, (found) => {
        user = found;
      });
    });
    client.on('session', (accept, reject) => {
      if (user && login.cli === null) this.#onSession(accept(), login, user, client);
      else reject();
    });
  }

  #onSession(session: Session, login: Login, user: SimUser, client: Connection): void {
    const state: SessionState = {
      user: user.name,
      line: login.line,
      from: login.socket.remoteAddress ?? '',
      mode: { kind: 'exec' },
      privilege: user.privilege,
      length: 24,
      width: 80,
      monitor: this.#system.monitorByDefault,
    };
    session.on('pty', (accept) => accept?.());
    session.on('window-change', (accept) => accept?.());
    session.on('shell', (accept) => this.#openShell(accept(), login, state, client));
    session.on('exec', (accept, _reject, info) => this.#runOne(accept(), state, info.command, client));
  }

  #openShell(channel: ServerChannel, login: Login, state: SessionState, client: Connection): void {
    const cli = new SimCli(this.#system, state, ++this.#sessions, {
      write: (bytes) => channel.write(bytes),
      end: () => {
        channel.exit(0);
        channel.end();
        client.end();
      },
      cut: () => login.socket.destroySoon(),
    });
    login.cli = cli;
    channel.on('data', (bytes: Buffer) => cli.feed(bytes));
    channel.on('error', () => login.socket.destroy());
    channel.on('close', () => cli.close());
    cli.start();
  }

  /** `ssh switch COMMAND`: one exec command without paging or prompt; the connection ends after it. Line faults do not apply. */
  #runOne(channel: ServerChannel, state: SessionState, command: string, client: Connection): void {
    const { faults, model } = this.#system;
    const { entry } = faults.receive(++this.#sessions, 'exec', command);
    const context = new CommandContext(state, this.#system);
    runCommand(context, command.trim());
    if (context.takePending() !== null) context.reject('% The command needs an interactive session', '');
    faults.done({ ...entry, model, executed: true, rejected: context.rejected, output: context.out });
    channel.write(`\r\n${context.out.map((line) => `${line}\r\n`).join('')}`);
    channel.exit(0);
    channel.end();
    client.end();
  }
}
