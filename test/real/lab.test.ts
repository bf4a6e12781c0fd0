import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Lab, startLab } from '../lab/lab.ts';
import { runScript } from '../lab/processes.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

const TOPIC = 'portkeeper/v1/rack1';

function ssh(lab: Lab, command: string, options: readonly string[] = []): readonly string[] {
  const { address, user, keyFile, knownHostsFile } = lab.switchTarget;
  const flags = [
    '-F',
    'none',
    '-o',
    'BatchMode=yes',
    '-o',
    'ConnectTimeout=2',
    '-o',
    `UserKnownHostsFile=${knownHostsFile}`,
  ];
  return ['ssh', ...flags, '-o', 'IdentitiesOnly=yes', '-i', keyFile, ...options, `${user}@${address}`, command];
}

/** Repeats a question until the answer is right; the deadline only bounds a failure. */
async function eventually(what: string, holds: () => Promise<boolean>, deadlineMs = 20_000): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** A lab whose time is over soon: the shortest that is enough to start it on this machine, at most 48 s. */
async function shortLab(maxSeconds: number): Promise<Lab> {
  try {
    return await startLab({ ports: 2, prefix: `short-${process.pid}-${maxSeconds}`, maxSeconds });
  } catch (error) {
    if (maxSeconds * 4 > 48) throw error;
    return shortLab(maxSeconds * 4);
  }
}

/** Processes that live in one of the network namespaces. */
function holders(namespaces: ReadonlySet<string>): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && namespaces.has(readlinkSync(`/proc/${name}/ns/net`));
    } catch {
      return false;
    }
  });
}

function pidOf(lab: Lab, name: string): number {
  return Number(readFileSync(join(lab.folder, 'pids', name), 'utf8').split(' ')[0]);
}

describeWithParts('the lab', LAB_PARTS, () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await startLab();
  });
  afterAll(async () => {
    await lab?.stop();
  });
  beforeEach(async () => {
    await lab.reset();
  });

  it('is cut off from the world', async () => {
    expect(lab.up()).toBe(true);
    const { stdout: root } = await runScript(['ip', 'route', 'show', 'type', 'blackhole'], {});
    expect(root).toContain('blackhole 198.51.100.0/24');
    expect(root).toContain('blackhole 198.18.51.0/24');
    const { stdout: links } = await runScript(['ip', '-o', 'link'], {});
    expect(links).not.toMatch(/swp|mgmt0/);
    for (const node of ['agent', 'tor', ...lab.hosts] as const) {
      const routes = await lab.must(node, ['ip', 'route']);
      expect(routes).not.toBe('');
      expect(routes).not.toMatch(/default|via/);
      expect((await lab.in(node, ['ping', '-c1', '-W1', '192.0.2.1'])).stderr).toContain('unreachable');
    }
  });

  it('comes up again at once, without a second of anything', async () => {
    const before = ['agent', 'tor', 'h1', 'mosquitto'].map((name) => pidOf(lab, name));
    await lab.bringUp();
    expect(['agent', 'tor', 'h1', 'mosquitto'].map((name) => pidOf(lab, name))).toEqual(before);
    expect((await lab.must('tor', ['pgrep', '-c', '-x', 'ovs-vswitchd'])).trim()).toBe('1');
  });

  it('carries frames within a VLAN and not across', async () => {
    await lab.ovs(['set', 'port', 'swp1', 'vlan_mode=access', 'tag=100']);
    await lab.ovs(['set', 'port', 'swp2', 'vlan_mode=native-untagged', 'tag=100', 'trunks=200,201']);
    await lab.ovs(['set', 'port', 'swp3', 'vlan_mode=trunk', 'trunks=200,300', '--', 'clear', 'port', 'swp3', 'tag']);
    expect(await lab.vlansOf('swp2')).toBe('native-untagged 100 [200, 201]');

    const nothing = { frames: 0, vids: [] };
    const of = async (from: `h${number}`, to: readonly `h${number}`[], vid: number) => lab.hear({ from, to, vid });
    expect(await of('h1', ['h2', 'h3', 'h4'], 0)).toEqual({ h2: { frames: 3, vids: [0] }, h3: nothing, h4: nothing });
    expect(await of('h2', ['h1', 'h3', 'h4'], 0)).toEqual({ h1: { frames: 3, vids: [0] }, h3: nothing, h4: nothing });
    expect(await of('h3', ['h1', 'h2', 'h4'], 200)).toEqual({
      h1: nothing,
      h2: { frames: 3, vids: [200] },
      h4: nothing,
    });
    expect(await of('h3', ['h1', 'h2', 'h4'], 300)).toEqual({ h1: nothing, h2: nothing, h4: nothing });
    expect(await of('h3', ['h1', 'h2', 'h4'], 0)).toEqual({ h1: nothing, h2: nothing, h4: nothing });
    expect(await of('h2', ['h1', 'h3', 'h4'], 201)).toEqual({ h1: nothing, h3: nothing, h4: nothing });
    expect((await lab.in('h1', ['ping', '-c1', '-W2', lab.addressOf('h2')])).code).toBe(0);
  });

  it('sees a leak between tenants, and none where there is none', async () => {
    await lab.ovs(['set', 'port', 'swp1', 'tag=100', '--', 'set', 'port', 'swp2', 'tag=200']);
    await lab.ovs(['set', 'port', 'swp3', 'tag=100', '--', 'set', 'port', 'swp4', 'tag=200']);
    const tenants = { h1: 'red', h2: 'blue', h3: 'red', h4: 'blue' };
    const clean = await lab.isolation({ tenants, vids: [0, 100, 200] });
    await lab.ovs(['set', 'port', 'swp1', 'tag=101', '--', 'set', 'port', 'swp3', 'tag=101']);
    await lab.cut('swp4');
    await lab.plug('swp4');
    // The hosts have surely heard their own tenant when the switch has forwarded what these two add.
    await lab.hear({ from: 'h1', to: ['h3'] });
    await lab.hear({ from: 'h2', to: ['h4'] });
    const result = await clean.stop();
    expect(result.doubts).toEqual([]);
    expect(result.leaks).toEqual([]);
    expect(result.leaked).toBe(0);
    for (const [host, tenant] of Object.entries(tenants)) {
      expect(result.sent[host]).toBeGreaterThan(0);
      expect(result.heard[host]?.[tenant]).toBeGreaterThan(0);
    }

    const leaky = await lab.isolation({ tenants });
    await lab.ovs(['set', 'port', 'swp2', 'tag=101']);
    await leaky.leakAt('h1');
    const { leaks, leaked } = await leaky.stop();
    expect(leaked).toBeGreaterThan(0);
    expect(leaks[0]).toMatchObject({ sentVid: 0, vid: 0 });
    expect(leaks.some((leak) => leak.host === 'h1' && leak.tenant === 'red' && leak.fromTenant === 'blue')).toBe(true);
  });

  it('lets the agent log in by key or password, and do no more than it should', async () => {
    const { passwordFile, hostKeyFingerprints, password } = lab.switchTarget;
    expect(await lab.must('agent', ssh(lab, 'ovs-vsctl list-ports br0'))).toBe('swp1\nswp2\nswp3\nswp4\n');
    expect(await lab.must('agent', ssh(lab, 'sudo -n lldpcli -f json0 show neighbors'))).toContain('"lldp"');
    await lab.must('agent', ssh(lab, 'sudo -n ip link set dev swp1 down'));
    expect((await lab.ovs(['get', 'interface', 'swp1', 'admin_state'])).trim()).toBe('down');
    expect((await lab.in('agent', ssh(lab, 'sudo -n id'))).stderr).toContain('a password is required');

    const { stdout: scan } = await lab.in('agent', [
      'sh',
      '-c',
      'ssh-keyscan -T 5 198.51.100.2 2>/dev/null | ssh-keygen -lf -',
    ]);
    expect(hostKeyFingerprints).toHaveLength(2);
    for (const fingerprint of hostKeyFingerprints) expect(scan).toContain(fingerprint);

    const byPassword = async (helper: string): Promise<number | null> => {
      const env = { SSH_ASKPASS: helper, SSH_ASKPASS_REQUIRE: 'force', PASSWORD_FILE: passwordFile };
      const only = ['-o', 'BatchMode=no', '-o', 'PreferredAuthentications=password', '-o', 'NumberOfPasswordPrompts=1'];
      const { knownHostsFile, user, address } = lab.switchTarget;
      const command = [
        'ssh',
        '-F',
        'none',
        ...only,
        '-o',
        `UserKnownHostsFile=${knownHostsFile}`,
        `${user}@${address}`,
        'true',
      ];
      return (await lab.spawn('agent', command, { env }).finished()).code;
    };
    expect(password).toMatch(/^[0-9a-f]{24}$/);
    expect(await byPassword(join(process.cwd(), 'test/lab/askpass.sh'))).toBe(0);
    expect(await byPassword('/bin/false')).toBe(255);
  });

  it('has neighbours by LLDP in both directions', async () => {
    const seen = async (): Promise<string> => lab.must('tor', ['lldpcli', '-f', 'json0', 'show', 'neighbors']);
    await eventually('the switch sees every host', async () => {
      const text = await seen();
      return lab.hosts.every((host) => text.includes(`"${host}"`) && text.includes(lab.macOf(host)));
    });
    const text = await lab.must('h2', ['lldpcli', '-f', 'keyvalue', 'show', 'neighbors']);
    expect(text).toContain('lldp.eth0.port.ifname=swp2');
    expect(text).toContain('lldp.eth0.chassis.name=tor');
    const capabilities = await lab.must('tor', ['lldpcli', '-f', 'keyvalue', 'show', 'neighbors']);
    expect(capabilities).toContain('lldp.swp1.chassis.Router.enabled=off');
    expect(capabilities).toContain('lldp.swp1.chassis.Bridge.enabled=off');
  });

  it('has a broker that keeps each user to its own topics', async () => {
    const intent = await lab.watch({ user: 'agent', topics: [`${TOPIC}/intent/+`, `${TOPIC}/command`] });
    const viewer = await lab.watch({ user: 'viewer', topics: [`${TOPIC}/#`], protocol: '3.1.1' });
    const own = { user: 'ironic', topic: `${TOPIC}/intent/ironic`, payload: { revision: 1, attachments: {} } } as const;
    expect(await lab.publish({ ...own, retain: true })).toEqual({ accepted: true, message: '' });
    expect((await lab.publish({ ...own, certificate: true })).accepted).toBe(true);
    expect(JSON.parse((await intent.next('the intent', (m) => m.topic.endsWith('/ironic'))).payload)).toEqual(
      own.payload,
    );

    const refused = [
      { user: 'ironic', topic: `${TOPIC}/intent/tenant` },
      { user: 'tenant', topic: `${TOPIC}/intent/ironic` },
      { user: 'tenant', topic: `${TOPIC}/result/tenant` },
      { user: 'agent', topic: `${TOPIC}/intent/ironic` },
      { user: 'viewer', topic: `${TOPIC}/command` },
    ] as const;
    for (const message of refused) {
      const { accepted, message: why } = await lab.publish({ ...message, payload: 'x' });
      expect({ ...message, accepted }).toEqual({ ...message, accepted: false });
      expect(why).toContain('Not authorized');
    }
    const response = `${TOPIC}/response/tenant/1`;
    const asked = { responseTopic: response, correlationData: 'c1' };
    expect(
      (await lab.publish({ user: 'tenant', topic: `${TOPIC}/command`, payload: { command: 'ping' }, ...asked }))
        .accepted,
    ).toBe(true);
    const command = await intent.next('the command', (m) => m.topic.endsWith('/command'));
    expect(command.properties).toMatchObject({ 'response-topic': response, 'correlation-data': 'c1' });
    expect((await lab.publish({ user: 'agent', topic: response, payload: 'pong' })).accepted).toBe(true);
    await viewer.next('the answer', (m) => m.topic === response);
    expect(intent.all().every((m) => !m.topic.includes('/intent/tenant'))).toBe(true);

    const broker = lab.broker;
    const pub = (...args: string[]) =>
      lab.in('agent', ['mosquitto_pub', '-h', broker.host, '-t', 'x', '-m', 'y', ...args]);
    expect((await pub('-p', '8883', '--cafile', broker.caFile)).code).not.toBe(0);
    expect((await pub('-p', '8884', '--cafile', broker.caFile)).code).not.toBe(0);
    expect((await pub('-p', '8883', '--capath', '/etc/ssl/certs')).stderr).toMatch(/certificate|TLS/);
    await intent.stop();
    await viewer.stop();
  });

  it('restarts the broker with or without what it knew', async () => {
    const topic = `${TOPIC}/intent/tenant`;
    const retained = { user: 'tenant', topic, payload: { revision: 1 }, retain: true } as const;
    const afresh = async (): Promise<unknown> => {
      const watch = await lab.watch({ user: 'tenant', topics: [topic] });
      // Ordered behind whatever is retained.
      await lab.publish({ user: 'tenant', topic, payload: 'mark' });
      await watch.next('the mark', (m) => m.payload === 'mark');
      await watch.stop();
      return watch.all().filter((m) => m.retain).length;
    };
    await lab.publish(retained);
    await lab.restartBroker();
    expect(await afresh()).toBe(1);
    await lab.restartBroker({ kill: true, wipe: true });
    expect(await afresh()).toBe(0);
  });

  it('freezes and thaws the switch', async () => {
    await lab.hang('ovs-vswitchd');
    expect((await lab.in('tor', ['ovs-vsctl', '--timeout=1', 'set', 'port', 'swp1', 'tag=7'])).code).not.toBe(0);
    await expect(lab.hear({ from: 'h1', to: ['h2'] })).rejects.toThrow('ovs-appctl');
    await lab.resume('ovs-vswitchd');
    await lab.ovs(['set', 'port', 'swp1', 'tag=1']);
    expect((await lab.hear({ from: 'h1', to: ['h2'] }))['h2']?.frames).toBe(3);
  });

  it('pulls and plugs a cable', async () => {
    const link = async (): Promise<string> => (await lab.ovs(['get', 'interface', 'swp2', 'link_state'])).trim();
    await lab.cut('swp2');
    await eventually('no link', async () => (await link()) === 'down');
    await lab.plug('swp2');
    await eventually('link', async () => (await link()) === 'up');
    await eventually('frames pass again', async () => (await lab.hear({ from: 'h1', to: ['h2'] }))['h2']?.frames === 3);
  });

  it('takes the switch out of reach, in three ways, and cuts its sessions', async () => {
    for (const how of ['silent', 'answers', 'wire'] as const) {
      await lab.blockSwitch(how);
      expect((await lab.in('agent', ssh(lab, 'true'))).code).toBe(255);
      await lab.unblockSwitch();
      await eventually(`reachable after ${how}`, async () => (await lab.in('agent', ssh(lab, 'true'))).code === 0);
    }
    const session = lab.spawn('agent', ssh(lab, 'echo in; exec sleep 60'));
    await session.waitFor('the session', (self) => (self.stdout.includes('in') ? true : undefined));
    expect(await lab.cutSsh()).toBe(1);
    expect((await session.finished()).code).toBe(255);
    expect(await lab.cutSsh()).toBe(0);
  });

  it('survives a power cut of the switch and of a host with the configuration kept', async () => {
    await lab.ovs(['set', 'port', 'swp2', 'tag=42']);
    await lab.stopNode('tor');
    await lab.stopNode('h3');
    expect(() => lab.spawn('tor', ['true'])).toThrow('is stopped');
    await lab.bringUp();
    expect(await lab.vlansOf('swp2')).toBe('access 42 []');
    await lab.ovs(['set', 'port', 'swp3', 'tag=42']);
    await eventually('frames pass again', async () => (await lab.hear({ from: 'h2', to: ['h3'] }))['h3']?.frames === 3);
  });
});

describeWithParts('the end of a lab', LAB_PARTS, () => {
  const networksOf = (lab: Lab): Set<string> =>
    new Set(['agent', 'tor', 'h1', 'h2'].map((name) => readlinkSync(`/proc/${pidOf(lab, name)}/ns/net`)));

  it('leaves nothing behind, and two labs do not meet', async () => {
    const [one, two] = await Promise.all([
      startLab({ ports: 2, prefix: `one-${process.pid}` }),
      startLab({ ports: 2, prefix: `two-${process.pid}` }),
    ]);
    try {
      const networks = networksOf(one);
      expect(networks.size).toBe(4);
      expect(holders(networks).length).toBeGreaterThan(10);
      // One that left its process group, and holds its output open.
      const stray = one.spawn('agent', ['sh', '-c', 'setsid sleep 600 & echo away; wait']);
      await stray.waitFor('the stray', (self) => (self.stdout.includes('away') ? true : undefined));
      await one.stop();
      expect(stray.running).toBe(false);
      expect(holders(networks)).toEqual([]);
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(one.folder);
      expect(existsSync(one.folder)).toBe(false);
      expect(one.up()).toBe(false);
      expect(() => one.spawn('h1', ['true'])).toThrow('nothing was sent');
      expect(two.up()).toBe(true);
      const { stdout } = await runScript(['ip', 'route', 'show', 'type', 'blackhole'], {});
      expect(stdout).toContain('blackhole 198.51.100.0/24');
    } finally {
      await one.stop();
      await two.stop();
    }
  });

  it('notices that a part has crashed, and goes down all the same', async () => {
    const lab = await startLab({ ports: 2, prefix: `crash-${process.pid}` });
    try {
      const networks = networksOf(lab);
      process.kill(pidOf(lab, 'h2'), 'SIGKILL');
      await eventually('the crash is seen', async () => !lab.up());
      expect(() => lab.spawn('h1', ['true'])).toThrow('is not up');
      process.kill(pidOf(lab, 'agent'), 'SIGKILL');
      process.kill(pidOf(lab, 'tor'), 'SIGKILL');
      await lab.stop();
      expect(holders(networks)).toEqual([]);
      expect(existsSync(lab.folder)).toBe(false);
    } finally {
      await lab.stop();
    }
  });

  it('goes down by itself when its time is over, and when its owner ends', async () => {
    const short = await shortLab(3);
    const networks = networksOf(short);
    await eventually('it is gone', async () => !existsSync(short.folder) && holders(networks).length === 0, 60_000);

    const prefix = `owned-${process.pid}`;
    const script = 'LAB_OWNER=$$ LAB_PREFIX="$1" LAB_WORK="$2" LAB_PORTS=2 test/lab/up.sh && ls "$2/pids"';
    const owned = short.folder.replace(/short-/, 'owned-');
    const { stdout } = await runScript(['bash', '-c', script, 'owner', prefix, owned], {});
    expect(stdout).toContain('agent');
    await eventually('it is gone', async () => !existsSync(owned));
  }, 240_000);
});
