import { afterEach, describe, expect, it } from 'vitest';
import { aristaEos } from '../../../drivers/arista-eos/index.ts';
import type { Exchange, PortChange, SwitchSession } from '../../../drivers/driver.ts';
import { systemClock } from '../../../drivers/model/clock.ts';
import { switchport } from '../../../drivers/model/switchport.ts';
import { EosSwitch } from '../../sim/eos/index.ts';
import { sshTarget } from '../../support/ssh-target.ts';
import { TestClock } from '../../support/test-clock.ts';

const running: { readonly device: EosSwitch; readonly sessions: SwitchSession[] }[] = [];

afterEach(async () => {
  for (const { device, sessions } of running.splice(0)) {
    for (const session of sessions) await session.close();
    await device.stop();
  }
});

async function start(options: ConstructorParameters<typeof EosSwitch>[0] = {}) {
  // The switch's own time, so that a commit timer runs out when the test says so.
  const clock = new TestClock();
  const device = await new EosSwitch({ clock, ...options }).listen();
  const sessions: SwitchSession[] = [];
  running.push({ device, sessions });
  const exchanges: Exchange[] = [];
  const open = async () => {
    const session = await aristaEos.open(sshTarget(device), { clock: systemClock, trace: (e) => exchanges.push(e) });
    sessions.push(session);
    return session;
  };
  return { clock, device, exchanges, open };
}

async function move(session: SwitchSession, port: string, vlan: number) {
  const from = (await session.read()).ports.find((p) => p.name === port);
  if (!from) throw new Error(`no port ${port}`);
  const change: PortChange = {
    from,
    to: { switchport: switchport('access', vlan), adminState: 'up', mtu: null, description: null },
    bounce: false,
  };
  const createVlans = [{ id: vlan, name: `pk-${vlan}` }];
  return session.apply(aristaEos.render({ createVlans, ports: [change], deleteVlans: [] }, {}));
}

const vlanOf = (device: EosSwitch, port: string) => device.model.running.ports.get(port)?.access;
const states = (device: EosSwitch) => [...device.model.sessions.values()].map((s) => s.state);

describe('a change on EOS', () => {
  it.each([false, true])('stays when it is confirmed (form of 4.32 and later: %s)', async (newTimerForm) => {
    const { clock, device, open } = await start({ newTimerForm });
    const session = await open();
    expect((await move(session, 'Ethernet1', 100)).map((r) => r.error)).toEqual([null, null]);
    expect(device.model.timedSession).toMatch(/^pk-[0-9a-f]{12}$/);
    await session.tentative?.confirm();
    expect(device.model.timedSession).toBeNull();
    await clock.advance(600_000);
    expect(vlanOf(device, 'Ethernet1')).toBe(100);
    expect(device.model.running.vlans.get(100)).toBe('pk-100');
  });

  it('is gone when it is undone, and when nobody confirms it', async () => {
    const { clock, device, open } = await start();
    const session = await open();
    await move(session, 'Ethernet1', 100);
    await session.tentative?.undo();
    expect([vlanOf(device, 'Ethernet1'), device.model.running.vlans.has(100)]).toEqual([1, false]);
    await move(session, 'Ethernet1', 200);
    expect(vlanOf(device, 'Ethernet1')).toBe(200);
    await clock.advance(301_000);
    expect(vlanOf(device, 'Ethernet1')).toBe(1);
    await expect(session.tentative?.confirm()).rejects.toMatchObject({ kind: 'rejected' });
  });

  it.each([false, true])(
    'of a session that was cut is undone by the next one (4.32 form: %s)',
    async (newTimerForm) => {
      const { device, open } = await start({ newTimerForm });
      const first = await open();
      await move(first, 'Ethernet1', 100);
      device.cutSessions();
      expect(vlanOf(device, 'Ethernet1')).toBe(100);
      await open();
      expect(vlanOf(device, 'Ethernet1')).toBe(1);
      expect(device.model.timedSession).toBeNull();
    },
  );

  it('leaves no session pending when it was cut after any line, and touches nobody else’s', async () => {
    const { device, open } = await start();
    device.model.open('bob', 'bob');
    const first = await open();
    await move(first, 'Ethernet1', 100);
    await first.tentative?.undo();
    const count = device.faults.lines.length;
    await move(first, 'Ethernet1', 100);
    await first.tentative?.confirm();
    const lines = device.faults.lines.length - count;
    for (let line = 1; line <= lines; line++) {
      const session = await open();
      device.faults.cutAtLine(line, line % 2 === 0 ? 'before' : 'after');
      const done = await move(session, 'Ethernet2', 100 + line)
        .then(() => session.tentative?.confirm())
        .then(() => true)
        .catch(() => false);
      device.faults.clear();
      const after = await open();
      expect(device.model.timedSession).toBeNull();
      expect(states(device).filter((s) => s === 'pending')).toEqual(['pending']);
      const vlan = vlanOf(device, 'Ethernet2') ?? 0;
      if (done) expect(vlan).toBe(100 + line);
      await after.close();
    }
    expect(device.model.sessions.get('bob')?.state).toBe('pending');
  });

  it('with a refused port is made without it, in one piece', async () => {
    const { device, exchanges, open } = await start();
    const session = await open();
    const { ports } = await session.read();
    device.faults.refuse(/switchport access vlan 200/, '% Invalid input (at token 3: no hardware resources)');
    const to = (vlan: number) => ({
      switchport: switchport('access', vlan),
      adminState: 'up' as const,
      mtu: null,
      description: null,
    });
    const changes = [100, 200, 300].map((vlan, i) => {
      const from = ports[i];
      if (!from) throw new Error('no port');
      return { from, to: to(vlan), bounce: false };
    });
    const results = await session.apply(aristaEos.render({ createVlans: [], ports: changes, deleteVlans: [] }, {}));
    expect(results.map((r) => r.error?.kind ?? null)).toEqual([null, 'rejected', null]);
    expect(results[1]?.error?.message).toContain('no hardware resources');
    expect([1, 2, 3].map((n) => vlanOf(device, `Ethernet${n}`))).toEqual([100, 1, 300]);
    expect(exchanges.filter((e) => e.command === 'abort')).toHaveLength(1);
    await session.tentative?.confirm();
  });

  it('waits while others hold all sessions, and discards none of theirs', async () => {
    const { device, open } = await start();
    const session = await open();
    for (const name of ['a', 'b', 'c', 'd', 'e']) device.model.open(name, 'bob');
    const results = await move(session, 'Ethernet1', 100);
    expect(results.map((r) => r.error?.kind)).toEqual(['busy', 'busy']);
    expect(states(device)).toEqual(Array(5).fill('pending'));
    device.model.abort('a');
    expect((await move(session, 'Ethernet1', 100)).map((r) => r.error)).toEqual([null, null]);
  });

  it('is saved, and said to be unsaved when the switch could not', async () => {
    const { device, open } = await start();
    const session = await open();
    await move(session, 'Ethernet1', 100);
    await session.tentative?.confirm();
    device.faults.failSaves(1, 'No space left on device');
    await expect(session.save()).rejects.toMatchObject({ kind: 'rejected' });
    await session.save();
    expect(device.model.startup.ports.get('Ethernet1')?.access).toBe(100);
  });
});

describe('reading EOS', () => {
  it('shows who it is, and the same after a time', async () => {
    const { clock, open } = await start();
    const session = await open();
    const identity = await session.identify();
    expect(identity).toMatchObject({
      vendor: 'Arista',
      model: 'DCS-7050SX3-48YC8-F',
      version: '4.31.2F',
      serial: 'JPE00000001',
      chassisId: '00:1c:73:aa:bb:00',
      systemName: 'tor01',
    });
    await clock.advance(123_456);
    expect(await session.identify()).toEqual(identity);
  });

  it('tells what it cannot judge from what it knows', async () => {
    const { device, open } = await start();
    device.byHand([
      'interface Ethernet1',
      'switchport mode trunk',
      'switchport trunk native vlan tag',
      'interface Ethernet2',
      'switchport mode dot1q-tunnel',
      'interface Ethernet3',
      'no switchport',
      'interface Ethernet4',
      'channel-group 7 mode active',
      'interface Ethernet5',
      'switchport mode trunk',
    ]);
    const { ports } = await (await open()).read();
    expect(ports.map((p) => [p.switchport.mode, p.switchport.detail, p.lag])).toEqual([
      ['other', 'switchport trunk native vlan tag', null],
      ['other', 'dot1q-tunnel', null],
      ['routed', '', null],
      ['access', '', 'Port-Channel7'],
      ['trunk', '', null],
      ['access', '', null],
    ]);
    device.byHand(['switchport default mode routed']);
    const again = await (await open()).read();
    expect(again.ports[5]?.switchport.mode).toBe('access');
  });

  it('shows neighbours, whose text cannot end the answer', async () => {
    const { open } = await start();
    expect(await (await open()).neighbors()).toEqual([
      {
        port: 'Ethernet1',
        chassisId: { subtype: 'mac', value: '0c:42:a1:b2:c3:d4' },
        portId: { subtype: 'ifname', value: 'eno1' },
        systemName: 'worker-1',
        systemDescription: 'Debian GNU/Linux 12',
        portDescription: 'tor01#',
        capabilities: ['station-only'],
        managementAddresses: ['198.51.100.7'],
        ttlSeconds: 120,
      },
    ]);
  });
});
