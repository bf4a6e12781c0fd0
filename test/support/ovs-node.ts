import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SwitchTarget } from '../../drivers/driver.ts';
import { DriverError } from '../../drivers/errors.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import { openVswitchSession } from '../../drivers/open-vswitch/session.ts';
import type { ExecOptions, ExecResult } from '../../drivers/transport/connection.ts';

/** A real Open vSwitch (userspace datapath) with veth ports, in network and mount namespaces of its own that lead nowhere. */
export interface OvsNode {
  readonly folder: string;
  /** Runs shell lines in the node; throws when they fail. */
  sh(script: string): string;
  /** A session whose commands run in the node by `sh`, and the scripts that it sent. */
  session(options?: Readonly<Record<string, unknown>>, commandTimeoutMs?: number): ReturnType<typeof localSession>;
  /** The process ID of one daemon that this node started. */
  pid(daemon: 'ovs-vswitchd' | 'ovsdb-server'): number;
  stop(): void;
}

/** `ports` veths swp1..swpN on br0, each with its far end hN. */
export function startOvsNode(ports: number): OvsNode {
  const folder = mkdtempSync(join(tmpdir(), 'pk-ovs-'));
  // Ends by itself after an hour, whatever becomes of the test.
  const holder = spawn('unshare', ['--net', '--mount', '--propagation', 'private', 'sleep', '3600'], {
    stdio: 'ignore',
  });
  const enter = (command: readonly string[]) => ['--target', String(holder.pid), '--net', '--mount', ...command];
  const sh = (script: string): string => {
    const env = { ...process.env, OVS_RUNDIR: folder, OVS_LOGDIR: folder };
    const run = spawnSync('nsenter', enter(['sh', '-ec', script]), { encoding: 'utf8', env, timeout: 60_000 });
    if (run.status !== 0) throw new Error(`${script.slice(0, 200)}: exit ${run.status}: ${run.stderr}`);
    return run.stdout;
  };
  const pid = (daemon: string) => Number(readFileSync(join(folder, `${daemon}.pid`), 'utf8'));
  const stop = () => {
    for (const daemon of ['ovs-vswitchd', 'ovsdb-server']) {
      try {
        process.kill(pid(daemon), 'SIGKILL');
      } catch {
        // It has ended by itself, or never started.
      }
    }
    holder.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    waitForNamespaces(holder);
    sh(`mount -t tmpfs run /run; mount -t sysfs sys /sys; mkdir -p /run/lldpd; ip link set lo up
      ovsdb-tool create ${folder}/conf.db /usr/share/openvswitch/vswitch.ovsschema`);
    sh(`ovsdb-server ${folder}/conf.db --remote=punix:${folder}/db.sock --pidfile --detach --no-chdir --log-file=${folder}/db.log -vconsole:off
      ovs-vsctl --no-wait init`);
    sh(
      `ovs-vswitchd unix:${folder}/db.sock --pidfile --detach --no-chdir --log-file=${folder}/sw.log -vconsole:off --disable-system`,
    );
    const names = Array.from({ length: ports }, (_, i) => i + 1);
    sh(
      names
        .map((i) => `ip link add swp${i} type veth peer name h${i}; ip link set swp${i} up; ip link set h${i} up`)
        .join('\n'),
    );
    const add = names.map((i) => `-- add-port br0 swp${i} vlan_mode=access tag=1`).join(' ');
    sh(
      `ovs-vsctl --timeout=20 add-br br0 -- set bridge br0 datapath_type=netdev other_config:hwaddr=02:00:00:00:0b:00 ${add}`,
    );
  } catch (error) {
    stop();
    throw error;
  }
  return {
    folder,
    sh,
    pid,
    stop,
    session: (options = {}, commandTimeoutMs = 15_000) =>
      localSession(enter(['sh', '-c']), { runDir: folder, lldp: false, ...options }, commandTimeoutMs),
  };
}

function waitForNamespaces(holder: ChildProcess): void {
  const own = spawnSync('readlink', ['/proc/self/ns/net'], { encoding: 'utf8' }).stdout;
  for (let tries = 0; tries < 500; tries++) {
    const its = spawnSync('readlink', [`/proc/${holder.pid}/ns/net`], { encoding: 'utf8' }).stdout;
    const command = readFileSync(`/proc/${holder.pid}/comm`, 'utf8').trim();
    if (its !== '' && its !== own && command === 'sleep') return;
  }
  throw new Error('the namespaces of the node did not come up');
}

function localSession(prefix: readonly string[], options: Readonly<Record<string, unknown>>, commandTimeoutMs: number) {
  const scripts: string[] = [];
  const connection = {
    alive: true,
    close: async () => {},
    exec(command: string, { input = '', timeoutMs = 30_000 }: ExecOptions = {}): Promise<ExecResult> {
      scripts.push(input);
      return new Promise((resolve, reject) => {
        const child = spawn('nsenter', [...prefix, command], { timeout: timeoutMs, killSignal: 'SIGKILL' });
        const said = { stdout: '', stderr: '' };
        child.stdout.setEncoding('utf8').on('data', (text) => {
          said.stdout += text;
        });
        child.stderr.setEncoding('utf8').on('data', (text) => {
          said.stderr += text;
        });
        child.on('close', (code, signal) => {
          if (signal !== null) reject(new DriverError('timeout', `no answer within ${timeoutMs} ms`));
          else resolve({ ...said, code, signal });
        });
        child.stdin.end(input);
      });
    },
  };
  const target: SwitchTarget = {
    name: 'tor',
    host: 'local',
    port: 22,
    username: 'root',
    password: null,
    privateKey: null,
    passphrase: null,
    enablePassword: null,
    verifyHostKey: () => false,
    algorithms: 'modern',
    connectTimeoutMs: 1000,
    commandTimeoutMs,
    options,
  };
  const session = openVswitchSession(connection, target, { clock: systemClock, trace: () => {} });
  return { session, scripts };
}
