import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import { findDriver } from '../../drivers/registry.ts';
import type { ConformanceSwitch, StartState, WatchedState } from '../conformance/subject.ts';
import { conformance } from '../conformance/suite.ts';
import { type Lab, type PortName, startLab } from '../lab/lab.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

type Columns = { readonly mode: string; readonly tag: number | null; readonly trunks: readonly number[] };

/** ovs-vswitchd.conf.db(5), Port: vlan_mode, tag, trunks; an empty list of trunks is every VLAN. */
function forwards({ mode, tag, trunks }: Columns): Set<string> {
  const kind = mode !== '' ? mode : tag === null ? 'trunk' : 'access';
  if (kind === 'access' || kind === 'dot1q-tunnel') return new Set([`${tag ?? 0}u`]);
  const vlans = trunks.length === 0 ? VlanSet.ALL.ids() : [...trunks];
  if (kind === 'trunk' || tag === null) return new Set(vlans.map((id) => `${id}t`));
  return new Set([
    ...vlans.filter((id) => id !== tag).map((id) => `${id}t`),
    kind === 'native-tagged' ? `${tag}t` : `${tag}u`,
  ]);
}

/** A row of `ovsdb-client monitor`: sets of one element are scalars. */
function columns(mode: unknown, tag: unknown, trunks: unknown): Columns {
  const set = (value: unknown): unknown[] =>
    Array.isArray(value) && value[0] === 'set' && Array.isArray(value[1]) ? value[1] : [value];
  const numbers = (value: unknown) => set(value).filter((n): n is number => typeof n === 'number');
  return { mode: String(set(mode)[0] ?? ''), tag: numbers(tag)[0] ?? null, trunks: numbers(trunks) };
}

function settings({ switchport: sw }: StartState): string[] {
  switch (sw.mode) {
    case 'access':
      return ['vlan_mode=access', `tag=${sw.vlan}`, 'trunks=[]'];
    case 'trunk': {
      const allowed = sw.allowed === 'all' ? VlanSet.ALL : VlanSet.parse(sw.allowed);
      const trunks = `trunks=${sw.allowed === 'all' ? '[]' : sw.allowed}`;
      return allowed.has(sw.native)
        ? ['vlan_mode=native-untagged', `tag=${sw.native}`, trunks]
        : ['vlan_mode=trunk', 'tag=[]', trunks];
    }
    default:
      return ['vlan_mode=native-tagged', 'tag=30', 'trunks=30,40', 'cvlans=7', 'external_ids:other=thing'];
  }
}

/** The lab's switch; the test reaches its SSH server through a process in the lab's agent node. */
async function startSwitch(): Promise<ConformanceSwitch> {
  const lab: Lab = await startLab();
  await lab.reset();
  const { address, port, user, keyFile, hostKeyFingerprints } = lab.switchTarget;
  const children = new Set<ChildProcess>();
  const bridge = `const s=require('node:net').connect(${port},'${address}');process.stdin.pipe(s);s.pipe(process.stdout);s.on('error',()=>process.exit(1))`;
  const server = createServer((socket) => {
    const child = spawn(resolve('test/lab/in.sh'), ['agent', process.execPath, '-e', bridge], {
      env: { ...process.env, LAB_WORK: lab.folder, LAB_PREFIX: lab.prefix },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.add(child);
    child.once('close', () => {
      children.delete(child);
      socket.destroy();
    });
    socket.on('error', () => child.kill());
    child.stdin?.on('error', () => socket.destroy());
    if (child.stdin && child.stdout) {
      socket.pipe(child.stdin);
      child.stdout.pipe(socket);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  const [torPid = ''] = readFileSync(`${lab.folder}/pids/tor`, 'utf8').split(' ');
  const isUp = (name: string) =>
    (Number(readFileSync(`/proc/${torPid}/root/sys/class/net/${name}/flags`, 'utf8')) & 1) === 1;
  const carriedNow = (name: string, port: Columns) => (isUp(name) ? forwards(port) : new Set<string>());
  /** As `ovs-vsctl list` and as the monitor last told. */
  const listed = new Map<string, Columns>();
  const latest = new Map<string, Columns>();
  const sameAs = (a: Columns | undefined, b: Columns | undefined) => JSON.stringify(a) === JSON.stringify(b);
  const now = async (name: string) => {
    const text = await lab.ovs(['--format=json', '--columns=vlan_mode,tag,trunks', 'list', 'port', name]);
    const [mode, tag, trunks] = JSON.parse(text).data[0];
    const port = columns(mode, tag, trunks);
    listed.set(name, port);
    return carriedNow(name, port);
  };

  let watching: { readonly name: string; readonly seen: WatchedState[] } | null = null;
  const monitor = lab.spawn('tor', [
    ...['ovsdb-client', '--format=json', 'monitor', 'unix:/run/openvswitch/db.sock'],
    ...['Open_vSwitch', 'Port', 'name,vlan_mode,tag,trunks'],
  ]);
  let read = 0;
  const take = () => {
    // The last line may not be whole yet.
    const lines = monitor.stdout.slice(read).split('\n').slice(0, -1);
    for (const line of lines) {
      read += line.length + 1;
      for (const [, action, port, mode, tag, trunks] of JSON.parse(line || '{}').data ?? []) {
        if (action !== 'new' && action !== 'initial') continue;
        latest.set(port, columns(mode, tag, trunks));
        if (port === watching?.name)
          watching?.seen.push({
            after: `the transaction to ${line}`,
            carried: carriedNow(port, columns(mode, tag, trunks)),
          });
      }
    }
  };
  let over = false;
  const watched = monitor.waitFor(
    'the end of the tests',
    () => {
      take();
      return over || undefined;
    },
    600_000,
  );
  await monitor.waitFor('the first rows', () => latest.size > 0 || undefined);

  return {
    target: {
      name: 'tor',
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      username: user,
      password: null,
      privateKey: readFileSync(keyFile, 'utf8'),
      passphrase: null,
      enablePassword: null,
      verifyHostKey: (fingerprint) => hostKeyFingerprints.includes(fingerprint),
      algorithms: 'modern',
      connectTimeoutMs: 20_000,
      commandTimeoutMs: 20_000,
      options: {},
    },
    ports: lab.switchPorts,
    async reset(name, state) {
      const device = name as PortName;
      await lab.ovs([
        ...['--', 'clear', 'port', device, 'external_ids', '--', 'clear', 'port', device, 'cvlans'],
        ...['--', 'set', 'port', device, ...settings(state)],
        ...['--', 'set', 'interface', device, `mtu_request=${state.mtu ?? 1500}`],
        ...(state.description === undefined
          ? []
          : ['--', 'set', 'port', device, `external_ids:description="${state.description}"`]),
      ]);
      await lab.must('tor', ['ip', 'link', 'set', device, state.shut === true ? 'down' : 'up']);
    },
    carried: now,
    async watch(name) {
      const seen: WatchedState[] = [];
      watching = { name, seen };
      return async () => {
        const carried = await now(name);
        // The monitor tells of a transaction after it; what the switch has now must have come by.
        await monitor.waitFor(
          `the last change of ${name}`,
          () => sameAs(latest.get(name), listed.get(name)) || undefined,
        );
        watching = null;
        return [...seen, { after: 'the end', carried }];
      };
    },
    async stop() {
      over = true;
      await monitor.end();
      await watched;
      server.close();
      for (const child of children) child.kill();
      await lab.stop();
    },
  };
}

describeWithParts('on the lab', LAB_PARTS, () => {
  conformance('open-vswitch', {
    driver: findDriver('open-vswitch'),
    startModes: ['access', 'trunk', 'junk'],
    ghost: 'swp999',
    start: startSwitch,
  });
});
