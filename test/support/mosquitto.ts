import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Debian keeps it where not everybody's PATH leads. */
const PROGRAM = existsSync('/usr/sbin/mosquitto') ? '/usr/sbin/mosquitto' : 'mosquitto';

/** A real mosquitto on a loopback port, in a folder of its own. */
export class Mosquitto {
  readonly dir = mkdtempSync(join(tmpdir(), 'portkeeper-mosquitto-'));
  port = 0;
  #process: ChildProcess | null = null;

  file(name: string): string {
    return join(this.dir, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.file(name), text, { mode: 0o600 });
    return this.file(name);
  }

  get log(): string {
    return existsSync(this.file('log')) ? readFileSync(this.file('log'), 'utf8') : '';
  }

  /** `settings`: lines for the listener and what is allowed, after the ones that every test needs. */
  async start(settings: readonly string[] = ['allow_anonymous true']): Promise<void> {
    this.port ||= await freePort();
    mkdirSync(this.file('data'), { recursive: true });
    const general = [
      `user ${userInfo().username}`,
      'persistence true',
      `persistence_location ${this.file('data')}/`,
      'autosave_on_changes true',
      'autosave_interval 1',
      `log_dest file ${this.file('log')}`,
      'log_type all',
      `listener ${this.port} 127.0.0.1`,
    ];
    await this.startWith(`${[...general, ...settings].join('\n')}\n`);
  }

  /** With a configuration of the test's own, which must listen on {@link port}. */
  async startWith(configuration: string): Promise<void> {
    const config = this.write('mosquitto.conf', configuration);
    const child = spawn(PROGRAM, ['-c', config], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    this.#process = child;
    for (let tries = 0; tries < 500; tries++) {
      if (child.exitCode !== null) throw new Error(`mosquitto ended with ${child.exitCode}: ${said}\n${this.log}`);
      if (await answers(this.port)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`mosquitto does not listen: ${said}\n${this.log}`);
  }

  /** Reads password and access rules again. */
  reload(): void {
    this.#process?.kill('SIGHUP');
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Everything that it stored, as after a lost disk. Only while it is stopped. */
  wipe(): void {
    for (const name of readdirSync(this.file('data'))) rmSync(join(this.file('data'), name));
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Adds users to a password file. */
  passwords(name: string, users: Readonly<Record<string, string>>): string {
    const path = this.write(name, '');
    for (const [user, password] of Object.entries(users)) {
      execFileSync('mosquitto_passwd', ['-b', path, user, password], { stdio: 'ignore' });
    }
    return path;
  }

  /** A CA of its own; the file names end in .crt and .key. */
  authority(name: string): string {
    openssl(
      this.dir,
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      '-subj',
      `/CN=${name}`,
      '-addext',
      'basicConstraints=critical,CA:TRUE',
      '-addext',
      'keyUsage=critical,keyCertSign,cRLSign',
    );
    return this.file(`${name}.crt`);
  }

  /** A certificate signed by an authority; `names`: subjectAltName. */
  certificate(authority: string, name: string, usage: 'serverAuth' | 'clientAuth', names: string): void {
    const extensions = this.write(
      `${name}.ext`,
      `basicConstraints=CA:FALSE\nextendedKeyUsage=${usage}\nsubjectAltName=${names}\n`,
    );
    openssl(
      this.dir,
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
    );
    openssl(
      this.dir,
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      `${authority}.crt`,
      '-CAkey',
      `${authority}.key`,
      '-CAcreateserial',
      '-days',
      '2',
      '-out',
      `${name}.crt`,
      '-extfile',
      extensions,
    );
  }
}

function openssl(dir: string, ...args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** A loopback port that nothing listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

/** A wire to a loopback port that can be cut, without a goodbye. */
export class Wire {
  readonly #pairs = new Set<Socket>();
  readonly #server: Server;
  #whole = true;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      near.on('error', () => near.destroy());
      if (!this.#whole) {
        near.destroy();
        return;
      }
      const far = connect(target, '127.0.0.1');
      far.on('error', () => far.destroy());
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#pairs.add(one);
        one.pipe(other);
        one.on('close', () => {
          this.#pairs.delete(one);
          other.destroy();
        });
      }
    });
  }

  static async to(target: number): Promise<Wire> {
    const wire = new Wire(target);
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${portOf(this.#server)}`;
  }

  /** Cuts what is connected. `stay`: and refuses what comes until {@link mend}. */
  cut(stay = false): void {
    this.#whole = !stay;
    for (const socket of this.#pairs) socket.destroy();
  }

  mend(): void {
    this.#whole = true;
  }

  close(): void {
    this.cut(true);
    this.#server.close();
  }
}
