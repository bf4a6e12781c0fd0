import { describe, expect, it } from 'vitest';
import type { Step } from '../../../drivers/driver.ts';
import { DriverError } from '../../../drivers/errors.ts';
import { checkOvsOptions, ovsOptions } from '../../../drivers/open-vswitch/options.ts';
import { database } from './database.ts';
import { type Answers, fakeSession, HEALTHY, STAT } from './fake-host.ts';

const step = (name: string, ...commands: string[]): Step => ({ kind: 'port', subject: name, commands });
const access = (name: string, tag = 7) =>
  step(name, `ovs-vsctl set port ${name} vlan_mode=access tag=${tag} 'trunks=[]'`);
const failure = async (run: Promise<unknown>): Promise<DriverError> => {
  const error = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DriverError)) throw new Error(`no DriverError: ${String(error)}`);
  return error;
};

describe('options', () => {
  it('are refused in sentences', () => {
    expect(checkOvsOptions({})).toEqual([]);
    expect(checkOvsOptions({ bridge: 'br-lan.1', sudo: 'all', lldp: false, runDir: '/run/ovs' })).toEqual([]);
    const problems = checkOvsOptions({ bridge: 'a;b', sudo: true, lldp: 'yes', runDir: '/run/../etc', brigde: 'x' });
    expect(problems).toHaveLength(5);
    expect(problems[0]).toContain('"brigde" is not an option of open-vswitch: use bridge');
    for (const runDir of ['run', '/a b', "/a'b", '/$(x)', '/', '/.hidden'])
      expect(checkOvsOptions({ runDir })).toHaveLength(1);
    expect(ovsOptions({ bridge: 'a;b', sudo: 7, runDir: '/a b' })).toEqual(ovsOptions({}));
  });
});

describe('identify', () => {
  it('tells who the switch is in one round trip', async () => {
    const { session, scripts } = fakeSession(() => HEALTHY);
    expect(await session.identify()).toEqual({
      vendor: 'Open vSwitch',
      model: 'Open vSwitch (netdev)',
      version: '3.1.0',
      serial: null,
      chassisId: '02:00:00:00:00:aa',
      systemName: 'tor',
      bootId: '0a1b2c3d-0000-0000-0000-000000000000/41.123456/42.123456',
    });
    expect(scripts).toHaveLength(1);
  });

  it('has another boot ID after a restart of ovs-vswitchd', async () => {
    const restarted = { ...HEALTHY, vswitchd: { stdout: STAT.replace('123456', '999999') } };
    const { session } = fakeSession((_script, call) => (call === 1 ? HEALTHY : restarted));
    expect((await session.identify()).bootId).not.toBe((await session.identify()).bootId);
  });

  it('takes the bridge’s MAC only where there is no lldpd: one that is being restarted is no other switch', async () => {
    const chassis = async (lldp: Answers[string], options = {}) => {
      const { session } = fakeSession(() => ({ ...HEALTHY, lldp }), options);
      return (await session.identify()).chassisId;
    };
    expect(await chassis({ code: 127, stderr: 'sh: 1: lldpcli: not found' })).toBe('02:00:00:00:00:01');
    expect(await chassis({ code: 1, stderr: 'unable to connect to socket' })).toBeNull();
    expect(await chassis({ code: 1 }, { lldp: false })).toBe('02:00:00:00:00:01');
  });

  it('finds out what needs sudo, and says which line sudoers lacks', async () => {
    const denied = { code: 1, stderr: 'ovs-vsctl: unix:/x/db.sock: database connection failed (Permission denied)\n' };
    const { session, scripts } = fakeSession((_script, call) => ({
      ...HEALTHY,
      ...(call === 1 ? { vsctl: denied, 'vsctl-sudo': HEALTHY['vsctl'] ?? {} } : {}),
    }));
    await session.read();
    expect(scripts[1]).toContain('sudo -n ovs-vsctl');
    const asked = { code: 1, stderr: 'sudo: a password is required\n' };
    const locked = fakeSession(() => ({ ...HEALTHY, vsctl: denied, 'vsctl-sudo': asked }));
    const error = await failure(locked.session.identify());
    expect(error.kind).toBe('rejected');
    expect(error.message).toContain('NOPASSWD: /usr/bin/ovs-vsctl');
  });

  it('marks the port behind which the agent is', async () => {
    const own = {
      link: { stdout: '[{"ifindex":9,"ifname":"br0.5","link":"br0","flags":["UP"],"mtu":1500,"operstate":"UP"}]' },
      route: { stdout: '[{"dst":"10.9.9.2","dev":"br0.5"}]' },
      neigh: { stdout: '[{"dst":"10.9.9.2","dev":"br0.5","lladdr":"02:00:00:00:00:77"}]' },
      fdb: { stdout: '    2     5  02:00:00:00:00:77    0\n    1     5  02:00:00:00:00:78    0\n' },
    };
    const { session, scripts } = fakeSession(() => ({ ...HEALTHY, ...own }));
    const { ports } = await session.read();
    expect(ports.filter((p) => p.carriesManagement).map((p) => p.name)).toEqual(['br0', 'swp2']);
    expect(scripts[1]).toContain('fdb/show br0 | grep -i -F 02:00:00:00:00:77');
    expect(scripts).toHaveLength(3);
  });
});

describe('read', () => {
  it('does not believe the database when ovs-vswitchd is not at work', async () => {
    const bad: Answers[] = [
      { vswitchd: { stdout: STAT.replace(') S', ') T') } },
      { vswitchd: { stdout: STAT.replace(') S', ') Z') } },
      { vswitchd: { stdout: STAT.replace('ovs-vswitchd', 'bash') } },
      { vswitchd: {}, alive: { code: 1, stderr: 'ovs-appctl: cannot read pidfile' } },
      { vswitchd: {}, alive: { code: 142 } },
      { vsctl: { stdout: database({ br0: [] }, { next: 8, current: 7 }) } },
    ];
    for (const part of bad) {
      const { session } = fakeSession(() => ({ ...HEALTHY, ...part }));
      expect((await failure(session.read())).kind, JSON.stringify(part)).toBe('timeout');
    }
    const hidden = fakeSession(() => ({ ...HEALTHY, vswitchd: {}, alive: {} }));
    expect((await hidden.session.read()).ports).toHaveLength(3);
  });

  it('waits for a change by somebody else that is just being taken', async () => {
    const under = { ...HEALTHY, vsctl: { stdout: database({ br0: [] }, { next: 8, current: 7 }) } };
    const { session, scripts } = fakeSession((_script, call) => (call < 3 ? under : HEALTHY));
    await session.identify();
    expect(scripts).toHaveLength(3);
  });

  it('names what is wrong with the database', async () => {
    const refused = {
      code: 1,
      stderr:
        '2026-12-01T05:16:40Z|00002|x|WARN|y\novs-vsctl: unix:/x/db.sock: database connection failed (No such file or directory)\n',
    };
    const { session } = fakeSession(() => ({ ...HEALTHY, vsctl: refused }));
    const error = await failure(session.read());
    expect(error.message).toContain('database connection failed (No such file or directory)');
    expect(error.message).not.toContain('WARN');
    const hung = fakeSession(() => ({ ...HEALTHY, vsctl: { code: 142 } }));
    expect((await failure(hung.session.read())).kind).toBe('timeout');
  });
});

describe('neighbors', () => {
  it('are those on ports of the bridge', async () => {
    const entry = (name: string) => ({ name, via: 'LLDP', chassis: [], port: [] });
    const lldp = { stdout: JSON.stringify({ lldp: [{ interface: [entry('swp1'), entry('eth0')] }] }) };
    const { session } = fakeSession((_script, call) => (call === 1 ? HEALTHY : { lldp }));
    expect((await session.neighbors()).map((n) => n.port)).toEqual(['swp1']);
    const off = fakeSession(() => ({}), { lldp: false });
    expect(await off.session.neighbors()).toEqual([]);
    expect(off.scripts).toEqual([]);
  });

  it('say what is missing', async () => {
    const lldp = { code: 1, stderr: 'sudo: a password is required\n' };
    const { session } = fakeSession((_script, call) => (call === 1 ? HEALTHY : { lldp }));
    expect((await failure(session.neighbors())).message).toContain('NOPASSWD: /usr/sbin/lldpcli');
  });
});

describe('apply', () => {
  const apply = (answers: Answers, ...steps: Step[]) => {
    const { session, scripts } = fakeSession((_script, call) => (call === 1 ? HEALTHY : answers));
    return { results: session.apply(steps), scripts };
  };

  it('is one round trip, and believes only what was confirmed', async () => {
    const { results, scripts } = apply({ tx: {} }, access('swp1'), access('swp2'));
    expect((await results).map((r) => r.error)).toEqual([null, null]);
    expect(scripts).toHaveLength(2);
    for (const code of [142, 65, 137]) {
      const error = await failure(apply({ tx: { code } }, access('swp1')).results);
      expect([error.kind, error.sessionLost]).toEqual(['timeout', true]);
    }
  });

  it('keeps a refused port apart from the others, with the switch’s words', async () => {
    const refused = { code: 1, stdout: 'ovs-vsctl: no row "swp2" in table Port\n' };
    const { results } = apply({ tx: refused, tx0: {}, tx1: refused }, access('swp1'), access('swp2'));
    const [good, bad] = await results;
    expect(good?.error).toBeNull();
    expect(bad?.error).toMatchObject({ kind: 'rejected', port: 'swp2', answer: 'no row "swp2" in table Port' });
    expect(bad?.exchanges).toEqual([{ command: access('swp2').commands[0], answer: 'no row "swp2" in table Port' }]);
  });

  it('tells which line of an ip batch failed', async () => {
    const down = { code: 1, stdout: 'Cannot find device "swp2"\nCommand failed -:2' };
    const shut = (name: string) => step(name, `ip link set dev ${name} down`, ...access(name).commands);
    const [one, two] = await apply({ down, tx: {} }, shut('swp1'), shut('swp2')).results;
    expect(one?.error).toBeNull();
    expect(two?.error?.message).toContain('Cannot find device "swp2"');
    expect(two?.exchanges).toHaveLength(1);
    const locked = { code: 1, stdout: 'sudo: a password is required' };
    const [none] = await apply({ down: locked }, shut('swp1')).results;
    expect(none?.error?.message).toContain('NOPASSWD: /usr/sbin/ip');
  });

  it('sends nothing of a step that it did not render', async () => {
    const bad = [
      step('swp1'),
      step('swp1', 'reboot'),
      step('swp1', 'ovs-vsctl set port swp1 tag=1; reboot'),
      step('swp1', 'ovs-vsctl set port $(reboot) tag=1'),
      step('swp1', "ovs-vsctl set port 'swp1"),
      step('swp1', 'ovs-vsctl set port swp1 tag=1\nreboot'),
      step('swp1', 'ip link set dev swp1 down'),
      step('swp1', 'ip link set dev -x down', ...access('swp1').commands),
      step('swp1', 'ip link set dev swp1 up', ...access('swp1').commands),
      step('swp1', ...access('swp1').commands, ...access('swp1').commands),
      { ...access('swp1'), kind: 'vlan-create' as const },
    ];
    const { results, scripts } = apply({ tx: {} }, ...bad);
    expect((await results).map((r) => r.error?.kind)).toEqual(bad.map(() => 'unsupported'));
    expect(scripts).toHaveLength(1);
  });
});
