import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import ssh2, { type ClientInfo, type Connection, type ServerChannel, type Session } from 'ssh2';
import type { CliIo } from './cli.ts';
import { authenticate, generateUserKey, parseKey, type SimUser } from './ssh-auth.ts';

/** Who is logged in, and where. */
export interface LoginInfo {
  readonly user: SimUser;
  /** vty line number, from 0. */
  readonly line: number;
  readonly from: string;
  /** Counts the shells and commands of the switch, from 1. */
  readonly session: number;
}

/** The terminal of one shell. */
export interface Terminal {
  /** What was typed. */
  feed(bytes: Buffer): void;
  /** The connection is gone. */
  close(): void;
}

/** Answer to one exec command. */
export interface ExecAnswer {
  readonly stdout: string;
  readonly stderr?: string;
  readonly code: number;
}

/** What a switch does with a login. Knows nothing of SSH. */
export interface SshHost {
  /** A shell was opened: the terminal prints its greeting and first prompt by itself. */
  shell(io: CliIo, login: LoginInfo): Terminal;
  /** `ssh switch COMMAND`; `stdin` is read to its end when it is asked for. null: the connection dies. */
  exec(command: string, login: LoginInfo, stdin: () => Promise<string>): Promise<ExecAnswer | null>;
  /** vty lines that are taken by others. */
  readonly busyLines: number;
}

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
  /** `one`: the connection ends after its shell or command, as on most switches; `many`: several at a time, as on Linux. */
  readonly channels: 'one' | 'many';
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
  readonly terminals: Set<Terminal>;
  /** A shell or command was opened. */
  used: boolean;
}

/** The SSH side of a switch: logins, vty lines, and what the {@link SshHost} makes of shells and commands. */
export class SimSshServer {
  /** `off`: connections are refused at once, as from a switch that is down; `silent`: accepted and never answered. */
  reachability: 'on' | 'off' | 'silent' = 'on';
  readonly #host: SshHost;
  #options: SshServerOptions;
  readonly #net: NetServer;
  readonly #logins = new Set<Login>();
  readonly #sockets = new Set<Socket>();
  #ssh: ssh2.Server;
  #sessions = 0;

  constructor(host: SshHost, options: SshServerOptions) {
    this.#host = host;
    this.#options = options;
    this.#ssh = this.#makeSsh();
    this.#net = createServer((socket) => this.#accept(socket));
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
    for (const { terminals } of this.#logins) for (const terminal of terminals) terminal.close();
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
    const login: Login = { socket, line, terminals: new Set(), used: false };
    this.#logins.add(login);
    socket.on('close', () => {
      for (const terminal of login.terminals) terminal.close();
      this.#logins.delete(login);
    });
    this.#ssh.injectSocket(socket);
  }

  /** The lowest vty line nobody is on; null when all are taken. */
  #freeLine(): number | null {
    const { vtyLines } = this.#options;
    if (this.#logins.size + this.#host.busyLines >= vtyLines) return null;
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
      if (user && (!login.used || this.#options.channels === 'many')) this.#onSession(accept(), login, user, client);
      else reject();
    });
  }

  #onSession(session: Session, login: Login, user: SimUser, client: Connection): void {
    login.used = true;
    const info = (): LoginInfo => ({
      user,
      line: login.line,
      from: login.socket.remoteAddress ?? '',
      session: ++this.#sessions,
    });
    session.on('pty', (accept) => accept?.());
    session.on('window-change', (accept) => accept?.());
    session.on('shell', (accept) => this.#openShell(accept(), login, info(), client));
    session.on('exec', (accept, _reject, { command }) => this.#runOne(accept(), login, info(), command, client));
  }

  #openShell(channel: ServerChannel, login: Login, info: LoginInfo, client: Connection): void {
    const terminal = this.#host.shell(
      {
        write: (bytes) => channel.write(bytes),
        end: () => {
          channel.exit(0);
          channel.end();
          if (this.#options.channels === 'one') client.end();
        },
        cut: () => login.socket.destroySoon(),
      },
      info,
    );
    login.terminals.add(terminal);
    channel.on('data', (bytes: Buffer) => terminal.feed(bytes));
    channel.on('error', () => login.socket.destroy());
    channel.on('close', () => {
      login.terminals.delete(terminal);
      terminal.close();
    });
  }

  async #runOne(channel: ServerChannel, login: Login, info: LoginInfo, command: string, client: Connection) {
    channel.on('error', () => login.socket.destroy());
    const input: Buffer[] = [];
    const ended = new Promise<string>((resolve) => {
      channel.on('data', (bytes: Buffer) => input.push(bytes));
      channel.on('end', () => resolve(Buffer.concat(input).toString('utf8')));
    });
    const answer = await this.#host.exec(command, info, () => ended);
    if (answer === null) {
      login.socket.destroy();
      return;
    }
    channel.write(answer.stdout);
    if (answer.stderr) channel.stderr.write(answer.stderr);
    channel.exit(answer.code);
    channel.end();
    if (this.#options.channels === 'one') client.end();
  }
}
