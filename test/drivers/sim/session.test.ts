import { afterEach, describe, expect, it } from 'vitest';
import type { Exchange, Step, SwitchSession } from '../../../drivers/driver.ts';
import { DriverError } from '../../../drivers/errors.ts';
import { systemClock } from '../../../drivers/model/clock.ts';
import { sim } from '../../../drivers/sim/index.ts';
import { hostNeighbor, type SimSwitch, type SimSwitchOptions, startSimSwitch } from '../../sim/index.ts';

let device: SimSwitch;
let session: SwitchSession;

async function start(options: SimSwitchOptions = {}, enablePassword: string | null = null): Promise<Exchange[]> {
  const sent: Exchange[] = [];
  device = await startSimSwitch({ ports: 4, config: ['vlan 10,20'], ...options });
  const target = {
    name: 'tor1',
    ...device.address,
    username: 'admin',
    password: 'sim-password',
    privateKey: null,
    passphrase: null,
    enablePassword,
    verifyHostKey: () => true,
    algorithms: 'modern' as const,
    connectTimeoutMs: 10_000,
    commandTimeoutMs: 5_000,
    options: {},
  };
  session = await sim.open(target, { clock: systemClock, trace: (exchange) => sent.push(exchange) });
  return sent;
}

afterEach(async () => {
  await session?.close();
  await device?.stop();
});

const port = (name: string, vlan: number): Step => ({
  kind: 'port',
  subject: name,
  commands: [`interface ${name}`, `switchport access vlan ${vlan}`, 'switchport mode access', 'exit'],
});
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof DriverError ? error : null),
  );

describe('a session with the simulated switch', () => {
  it('gets to the privileged mode with the enable password, which is never traced', async () => {
    const user = { name: 'admin', password: 'sim-password', privilege: 1 };
    const sent = await start({ users: [user], enableSecret: 's3cret-word' }, 's3cret-word');
    expect((await session.read()).ports).toHaveLength(4);
    expect(JSON.stringify(sent)).not.toContain('s3cret-word');
  });

  it('refuses to work without the enable password', async () => {
    const user = { name: 'admin', password: 'sim-password', privilege: 1 };
    expect((await failure(start({ users: [user], enableSecret: 's3cret-word' }, 'wrong')))?.kind).toBe('auth');
  });

  it('answers busy for every step while a person holds the configuration, and goes on when it is free', async () => {
    await start();
    device.faults.lockConfig();
    const busy = await session.apply([port('swp1', 10), port('swp2', 10)]);
    expect(busy.map((r) => r.error?.kind)).toEqual(['busy', 'busy']);
    expect(busy[0]?.error?.message).toContain('bob');
    device.faults.unlockConfig();
    expect((await session.apply([port('swp1', 10)])).map((r) => r.error)).toEqual([null]);
  });

  it('takes a refusal in the middle of a step for the end of this step only', async () => {
    await start();
    device.faults.refuse('switchport access vlan 10', 'Command rejected: no hardware resources');
    const results = await session.apply([port('swp1', 10), port('swp2', 20)]);
    expect(results.map((r) => r.error?.kind ?? null)).toEqual(['rejected', null]);
    expect(results[0]?.error).toMatchObject({ port: 'swp1', command: 'switchport access vlan 10' });
    expect(results[0]?.error?.message).toContain('no hardware resources');
    expect(device.model.port('swp1').mode).not.toBe('access');
    expect(device.model.port('swp2')).toMatchObject({ mode: 'access', accessVlan: 20 });
  });

  it('counts words that it does not know as a refusal', async () => {
    await start();
    device.faults.on({ match: /^switchport access/ }, { kind: 'say', text: 'Something new happened to the port.' });
    const [result] = await session.apply([port('swp1', 10)]);
    expect(result?.error?.kind).toBe('rejected');
  });

  it('does not touch a port whose VLAN the switch will not make', async () => {
    await start({ vtp: 'client', config: [] });
    const create: Step = { kind: 'vlan-create', subject: '77', commands: ['vlan 77', 'name pk-77', 'exit'] };
    const results = await session.apply([create, port('swp1', 77)]);
    expect(results.map((r) => r.error?.kind)).toEqual(['rejected', 'rejected']);
    expect(device.model.port('swp1').accessVlan).toBe(1);
  });

  it.each(['answer', 'after-prompt'] as const)('works among log messages (%s)', async (where) => {
    await start({ monitorByDefault: true });
    const text = '%LINK-3-UPDOWN: Interface swp3, changed state to down';
    device.faults.on({ match: /^interface|^switchport|^show/, times: 3 }, { kind: 'syslog', text, where });
    expect((await session.apply([port('swp1', 10), port('swp2', 20)])).map((r) => r.error)).toEqual([null, null]);
    const { ports } = await session.read();
    expect(ports.map((p) => p.switchport.nativeVlan)).toEqual([10, 20, null, null]);
  });

  it.each(['before', 'after'] as const)('throws, and is dead, when the connection is cut %s a line', async (when) => {
    await start();
    device.faults.cutAtLine(3, when);
    const error = await failure(session.apply([port('swp1', 10)]));
    expect(error?.sessionLost).toBe(true);
    expect(session.alive).toBe(false);
  });

  it('says whether there are unsaved changes, and saves only when the switch confirms', async () => {
    await start();
    expect([false, null]).toContain((await session.read()).unsaved);
    await session.apply([port('swp1', 10)]);
    device.faults.failSaves(1);
    const error = await failure(session.save());
    expect(error?.kind).toBe('rejected');
    expect(error?.message).toContain('busy');
    await session.save();
    expect(device.model.unsaved).toBe(false);
  });

  it('has a boot ID that stays while the switch runs and changes when it restarts', async () => {
    await start({ uptimeMs: 100_000_000 });
    const before = await session.identify();
    expect(await session.identify()).toEqual(before);
    device.reboot();
    await session.close();
    const again = await sim.open(
      {
        ...{ name: 'tor1', ...device.address, username: 'admin', password: 'sim-password', privateKey: null },
        ...{ passphrase: null, enablePassword: null, verifyHostKey: () => true, algorithms: 'modern' as const },
        ...{ connectTimeoutMs: 10_000, commandTimeoutMs: 5_000, options: {} },
      },
      { clock: systemClock, trace: () => {} },
    );
    expect((await again.identify()).bootId).not.toBe(before.bootId);
    await again.close();
  });

  it('reads neighbours, several on a port too', async () => {
    await start();
    const bmc = hostNeighbor('w1-bmc', 'bmc', '02:00:00:00:00:02');
    device.cable('swp1', { ...hostNeighbor('w1', 'eno1', '02:00:00:00:00:01'), also: [bmc] });
    device.cable('swp3', hostNeighbor('w3', 'eno1', '02:00:00:00:00:03'));
    const found = await session.neighbors();
    expect(found.map((n) => [n.port, n.systemName])).toEqual([
      ['swp1', 'w1'],
      ['swp1', 'w1-bmc'],
      ['swp3', 'w3'],
    ]);
  });

  it.each([
    [
      'a block for another port',
      '\n\nTime remaining: 9 seconds\n\n----\nLocal Intf: swp3\nChassis id: 0200.0000.00ff\nPort id: x\n',
    ],
    ['a refusal', "\n% Invalid input detected at '^' marker.\n"],
  ])('lets no host speak for another port by %s in its description', async (_, systemDescription) => {
    await start();
    device.cable('swp1', { ...hostNeighbor('evil', 'eno1', '02:00:00:00:00:01'), systemDescription });
    device.cable('swp2', hostNeighbor('w2', 'eno1', '02:00:00:00:00:02'));
    const found = await session.neighbors();
    expect(found.filter((n) => n.port === 'swp3')).toEqual([]);
    expect(found.filter((n) => n.port === 'swp2').map((n) => n.systemName)).toEqual(['w2']);
    expect(session.alive).toBe(true);
  });

  it('answers no neighbours when LLDP is off', async () => {
    await start({ config: ['no lldp run'] });
    expect(await session.neighbors()).toEqual([]);
  });
});
