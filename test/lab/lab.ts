import { readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type Broker,
  brokerIn,
  type Publication,
  type Published,
  publish,
  Watch,
  type WatchOptions,
} from './broker.ts';
import { type Heard, hear, Isolation, type IsolationOptions } from './frames.ts';
import { type Finished, LabProcess, runScript } from './processes.ts';

export type { Broker, BrokerUser, Message, Publication, Published, Watch, WatchOptions } from './broker.ts';
export type { Heard, Isolation, IsolationOptions, IsolationResult, Leak } from './frames.ts';
export type { Finished, LabProcess } from './processes.ts';

/** `agent`, `tor`, or `h1`...: where a command of a test runs. */
export type NodeName = 'agent' | 'tor' | `h${number}`;
export type PortName = `swp${number}`;
/** Daemons that can be frozen with SIGSTOP. */
export type Daemon = 'ovs-vswitchd' | 'ovsdb-server' | 'sshd' | 'mosquitto';
/**
 * How the switch gets out of reach: `silent`: nothing passes in either direction and nobody says so; `answers`: it hears and
 * obeys, but its answers are lost; `wire`: the management cable is out.
 */
export type Block = 'silent' | 'answers' | 'wire';

/** How to log in to the switch from the node `agent`. */
export interface SwitchTarget {
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly keyFile: string;
  readonly passwordFile: string;
  readonly password: string;
  readonly knownHostsFile: string;
  /** `SHA256:...` of the Ed25519 and the ECDSA host key. */
  readonly hostKeyFingerprints: readonly string[];
}

/** How to get into the switch over SNMP. */
export interface SnmpLogin {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly authPassword: string;
  readonly privPassword: string;
  readonly readCommunity: string;
  readonly writeCommunity: string;
}

export interface LabOptions {
  /** Number of switch ports and hosts, 1 to 48; default 4. */
  readonly ports?: number;
  /** Name of the lab: a-z, 0-9 and "-", at most 32. Default: one for each test process. */
  readonly prefix?: string;
  /** The lab ends by itself after this; default two hours. It ends with this test process in any case. */
  readonly maxSeconds?: number;
}

export interface SpawnOptions {
  /** Only in the node `agent`; other nodes have a fixed environment. */
  readonly env?: Record<string, string>;
}

const SCRIPTS = resolve('test/lab');
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const SWITCH_ADDRESS = '198.51.100.2';
const AGENT_ADDRESS = '198.51.100.1';
/** Nobody's: what goes there is lost. */
const NOWHERE = '02:70:6b:ff:ff:ff';
const PID_FILES: Record<Exclude<Daemon, 'mosquitto'>, string> = {
  'ovs-vswitchd': '/run/openvswitch/ovs-vswitchd.pid',
  'ovsdb-server': '/run/openvswitch/ovsdb-server.pid',
  sshd: '/run/sshd.pid',
};

/** Brings a lab up, or what is missing of it, and hands it over when every part of it is there. Needs root; see test/lab/up.sh. */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const prefix = options.prefix ?? `test-${process.pid}`;
  const lab = new Lab(prefix, options.ports ?? 4, options.maxSeconds ?? 7200);
  await lab.bringUp();
  return lab;
}

/**
 * A real top-of-rack switch with hosts on its ports, and a broker, in namespaces of their own. Everything that runs in it is
 * started through this class, which asks first whether the lab is there.
 */
export class Lab {
  readonly folder: string;
  readonly hosts: readonly `h${number}`[];
  readonly switchPorts: readonly PortName[];
  readonly #env: Record<string, string>;
  readonly #processes = new Set<LabProcess>();
  readonly #stopped = new Set<NodeName>();

  constructor(
    readonly prefix: string,
    readonly ports: number,
    maxSeconds: number,
  ) {
    this.folder = join(tmpdir(), `portkeeper-lab-${prefix}`);
    this.hosts = Array.from({ length: ports }, (_, i): `h${number}` => `h${i + 1}`);
    this.switchPorts = this.hosts.map((_, i): PortName => `swp${i + 1}`);
    this.#env = {
      LAB_PREFIX: prefix,
      LAB_WORK: this.folder,
      LAB_PORTS: String(ports),
      LAB_OWNER: String(process.pid),
      LAB_MAX_SECONDS: String(maxSeconds),
    };
  }

  /** Starts what is missing. @throws Error with what the script said. */
  async bringUp(): Promise<void> {
    const result = await runScript([join(SCRIPTS, 'up.sh')], this.#env);
    if (result.code !== 0) throw new Error(`the lab did not come up:\n${result.stdout}${result.stderr}`);
    this.#stopped.clear();
    this.#mustBeUp();
  }

  /** Whether every node that was not stopped on purpose is alive and its wires are in place. */
  up(): boolean {
    return this.#missing() === undefined;
  }

  get switchTarget(): SwitchTarget {
    const keys = join(this.folder, 'keys');
    const passwordFile = join(keys, 'switch.password');
    return {
      address: SWITCH_ADDRESS,
      port: 22,
      user: 'portkeeper',
      keyFile: join(keys, 'switch-login'),
      passwordFile,
      password: readFileSync(passwordFile, 'utf8').trim(),
      knownHostsFile: join(keys, 'known_hosts'),
      hostKeyFingerprints: readFileSync(join(keys, 'fingerprints'), 'utf8').trim().split('\n'),
    };
  }

  /**
   * Starts snmpd on the switch, or starts it anew; `trapTo`: the port in the node `agent` that hears of links, by SNMPv3. Users
   * `labsha1`, `labsha256`, `labsha512`; communities `lab-reading` and `lab-writing`.
   */
  async startSnmp(trapTo: number | null = null): Promise<SnmpLogin> {
    const to = trapTo === null ? [] : [`${AGENT_ADDRESS}:${trapTo}`];
    await this.must('tor', ['/labsrc/tor-snmpd.sh', SWITCH_ADDRESS, ...to]);
    return {
      host: SWITCH_ADDRESS,
      port: 161,
      user: 'labsha256',
      authPassword: 'lab-auth-password',
      privPassword: 'lab-priv-password',
      readCommunity: 'lab-reading',
      writeCommunity: 'lab-writing',
    };
  }

  /** MAC address of a host's network card, as its LLDP frames say it. */
  macOf(host: `h${number}`): string {
    return `02:70:6b:01:00:${Number(host.slice(1)).toString(16).padStart(2, '0')}`;
  }

  /** Address of a host on the data plane. */
  addressOf(host: `h${number}`): string {
    return `198.18.51.${host.slice(1)}`;
  }

  get broker(): Broker {
    return brokerIn(this.folder);
  }

  /**
   * Starts a command in a node. In `agent` it has the machine's files and process IDs, so a socket that it makes can be opened
   * from the test; elsewhere the node's own. It is ended with the lab.
   *
   * @throws Error when the lab is not up.
   */
  spawn(node: NodeName, command: readonly string[], options: SpawnOptions = {}): LabProcess {
    this.#mustBeUp();
    const pid = this.#pidOf(node);
    if (pid === undefined) throw new Error(`node ${node} of lab ${this.prefix} is stopped`);
    const env = { PATH, HOME: '/root', LANG: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1' };
    const child =
      node === 'agent'
        ? new LabProcess(
            ['nsenter', '-t', String(pid), '-n', '-u', '--', ...command],
            { ...env, ...options.env, PORTKEEPER_LAB: readFileSync(join(this.folder, 'id'), 'utf8').trim() },
            process.cwd(),
          )
        : new LabProcess(
            ['nsenter', '-t', String(pid), '-m', '-u', '-n', '-p', '-r', '-w', '--', ...command],
            env,
            process.cwd(),
          );
    this.#processes.add(child);
    child.finished().then(
      () => this.#processes.delete(child),
      () => undefined,
    );
    return child;
  }

  /** Runs a command in a node to its end; killed after `timeoutMs`. */
  async in(node: NodeName, command: readonly string[], timeoutMs = 30_000): Promise<Finished> {
    const child = this.spawn(node, command);
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const result = await child.finished();
    clearTimeout(timer);
    return result;
  }

  /** As `in`, for what must succeed. @throws Error with the command's output. */
  async must(node: NodeName, command: readonly string[]): Promise<string> {
    const { code, signal, stdout, stderr } = await this.in(node, command);
    if (code !== 0) throw new Error(`${node}: ${command.join(' ')}: ${code ?? signal}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Runs ovs-vsctl on the switch, past the agent. */
  ovs(args: readonly string[]): Promise<string> {
    return this.must('tor', ['ovs-vsctl', '--timeout=10', ...args]);
  }

  /** `mode tag trunks` of a port as the switch has it, such as "access 100 []" or "trunk [] [200, 300]". */
  async vlansOf(port: PortName): Promise<string> {
    const text = await this.ovs(['get', 'port', port, 'vlan_mode', 'tag', 'trunks']);
    return text.trim().split('\n').join(' ');
  }

  /** Every port as it comes out of the box: untagged in VLAN 1, up, cable in, nothing noted. */
  async reset(): Promise<void> {
    const commands = this.switchPorts.flatMap((port) => [
      ...['--', 'set', 'port', port, 'vlan_mode=access', 'tag=1', 'trunks=[]', 'external_ids={}'],
      ...['--', 'set', 'interface', port, 'mtu_request=[]', 'external_ids={}'],
    ]);
    await this.ovs(commands);
    const up = this.switchPorts.map((port) => `ip link set ${port} up`).join('; ');
    await this.must('tor', ['sh', '-c', up]);
    await Promise.all(
      this.hosts.filter((h) => !this.#stopped.has(h)).map((h) => this.plug(`swp${Number(h.slice(1))}`)),
    );
  }

  /** Pulls the cable of a port: the host's end goes down. */
  async cut(port: PortName): Promise<void> {
    await this.must(`h${Number(port.slice(3))}`, ['ip', 'link', 'set', 'eth0', 'down']);
  }

  /** Puts the cable back. */
  async plug(port: PortName): Promise<void> {
    await this.must(`h${Number(port.slice(3))}`, ['ip', 'link', 'set', 'eth0', 'up']);
  }

  /** Puts the switch out of the agent's reach; see {@link Block}. */
  async blockSwitch(how: Block = 'silent'): Promise<void> {
    if (how === 'wire') {
      await this.must('tor', ['ip', 'link', 'set', 'mgmt0', 'down']);
      return;
    }
    const lost = (address: string, device: string) =>
      ['ip', 'neigh', 'replace', address, 'lladdr', NOWHERE, 'dev', device, 'nud', 'permanent'] as const;
    if (how === 'silent') await this.must('agent', lost(SWITCH_ADDRESS, 'eth0'));
    await this.must('tor', lost(AGENT_ADDRESS, 'mgmt0'));
  }

  /** Undoes every kind of block. */
  async unblockSwitch(): Promise<void> {
    await this.must('tor', ['ip', 'link', 'set', 'mgmt0', 'up']);
    await this.in('tor', ['ip', 'neigh', 'del', AGENT_ADDRESS, 'dev', 'mgmt0']);
    await this.in('agent', ['ip', 'neigh', 'del', SWITCH_ADDRESS, 'dev', 'eth0']);
  }

  /**
   * Kills the server's side of every SSH session of the agent's user. Commands that run go on, or, with `commands`, end in
   * the middle too. Returns how many sessions there were.
   */
  async cutSsh(options: { commands?: boolean } = {}): Promise<number> {
    const user = this.switchTarget.user;
    const below =
      'all=$pids; next=$pids; while next=$(pgrep -d " " -P "$(echo $next | tr " " ,)"); do all="$all $next"; done';
    const script = `pids=$(pgrep -x -d ' ' -u ${user} sshd) || exit 0; all=$pids; ${options.commands ? below : ':'}; kill -9 $all; echo $pids`;
    return (await this.must('tor', ['sh', '-c', script])).split(/\s+/).filter((pid) => pid !== '').length;
  }

  /** Freezes a daemon: it stays there and does nothing. */
  async hang(daemon: Daemon): Promise<void> {
    await this.#signal(daemon, 'STOP');
  }

  /** Lets a frozen daemon go on. */
  async resume(daemon: Daemon): Promise<void> {
    await this.#signal(daemon, 'CONT');
  }

  /** A power cut of a node: everything in it ends at once. The switch's database outlives it; its start-up state does not. */
  async stopNode(node: Exclude<NodeName, 'agent'>): Promise<void> {
    const pid = this.#pidOf(node);
    if (pid === undefined) return;
    this.#stopped.add(node);
    process.kill(pid, 'SIGKILL');
    while (this.#pidOf(node) !== undefined) await new Promise((done) => setTimeout(done, 10));
  }

  /** Ends the broker (`kill`: by SIGKILL, as in a power cut; `wipe`: without its database) and starts it again. */
  async restartBroker(options: { kill?: boolean; wipe?: boolean } = {}): Promise<void> {
    await this.stopBroker(options);
    await this.startBroker();
  }

  async stopBroker(options: { kill?: boolean; wipe?: boolean } = {}): Promise<void> {
    await this.#brokerScript(options.kill ? 'kill' : 'down');
    if (options.wipe) await this.#brokerScript('wipe');
  }

  async startBroker(): Promise<void> {
    this.#mustBeUp();
    await this.#brokerScript('up');
  }

  /** Publishes one message through mosquitto_pub as a user of the broker. */
  publish(message: Publication): Promise<Published> {
    return publish(this, message);
  }

  /** Subscribes through mosquitto_sub; resolves once the broker has confirmed the subscription. */
  watch(options: WatchOptions): Promise<Watch> {
    return Watch.start(this, options);
  }

  /** What each of the hosts `to` hears of frames that `from` sends with the tag `vid` (0: untagged). */
  hear(options: {
    from: `h${number}`;
    to: readonly `h${number}`[];
    vid?: number;
    count?: number;
  }): Promise<Record<string, Heard>> {
    return hear(this, options);
  }

  /** Starts the continuous test for isolation; see {@link Isolation}. */
  isolation(options: IsolationOptions): Promise<Isolation> {
    return Isolation.start(this, options);
  }

  /** Takes the lab down: every process, namespace and mount of it is gone afterwards. */
  async stop(): Promise<void> {
    const running = [...this.#processes];
    for (const child of running) child.kill('SIGKILL');
    const result = await runScript([join(SCRIPTS, 'down.sh')], this.#env);
    if (result.code !== 0) throw new Error(`the lab did not go down:\n${result.stdout}${result.stderr}`);
    await Promise.all(running.map((child) => child.finished()));
  }

  #mustBeUp(): void {
    const missing = this.#missing();
    if (missing !== undefined) throw new Error(`lab ${this.prefix} is not up: ${missing}; nothing was sent`);
  }

  #missing(): string | undefined {
    try {
      return this.#firstMissing();
    } catch {
      return 'a node is just ending';
    }
  }

  #firstMissing(): string | undefined {
    const here = readlinkSync('/proc/self/ns/net');
    for (const node of ['agent', 'tor', ...this.hosts] as const) {
      if (this.#stopped.has(node)) continue;
      const pid = this.#pidOf(node);
      if (pid === undefined) return `node ${node} is gone`;
      if (readlinkSync(`/proc/${pid}/ns/net`) === here) return `node ${node} is in the network of the machine`;
      const devices = readFileSync(`/proc/${pid}/net/dev`, 'utf8');
      const has = (name: string): boolean => new RegExp(`^ *${name}:`, 'm').test(devices);
      if (node === 'tor') {
        const wired = this.hosts.filter((h) => !this.#stopped.has(h)).map((h) => `swp${h.slice(1)}`);
        for (const name of ['mgmt0', ...wired]) if (!has(name)) return `wire ${name} of the switch is gone`;
      } else if (!this.#stopped.has('tor') && !has('eth0')) {
        return `the wire of ${node} is gone`;
      }
      if (node === 'agent' && /^eth0\t00000000\t/m.test(readFileSync(`/proc/${pid}/net/route`, 'utf8'))) {
        return 'the node agent has a default route';
      }
    }
    return undefined;
  }

  /** The process that holds a node, if it is the one that was noted. */
  #pidOf(node: NodeName): number | undefined {
    try {
      const [pid = '', started = ''] = readFileSync(join(this.folder, 'pids', node), 'utf8')
        .trim()
        .split(' ');
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return fields[0] !== 'Z' && fields[19] === started ? Number(pid) : undefined;
    } catch {
      return undefined;
    }
  }

  async #signal(daemon: Daemon, signal: 'STOP' | 'CONT'): Promise<void> {
    if (daemon === 'mosquitto') {
      this.#mustBeUp();
      const [pid = ''] = readFileSync(join(this.folder, 'pids', 'mosquitto'), 'utf8').split(' ');
      process.kill(Number(pid), `SIG${signal}`);
      return;
    }
    await this.must('tor', ['sh', '-c', `kill -${signal} "$(head -1 ${PID_FILES[daemon]})"`]);
  }

  async #brokerScript(action: string): Promise<void> {
    const result = await runScript([join(SCRIPTS, 'broker.sh'), action], this.#env);
    if (result.code !== 0) throw new Error(`broker.sh ${action}:\n${result.stdout}${result.stderr}`);
  }
}
