import { afterEach, describe, expect, it } from 'vitest';
import { generateHostKey } from '../sim/index.ts';
import { access, carries, trunk, WholeAgent, type WholeAgentOptions } from '../support/whole-agent.ts';

const SPEED = 40;
let rig: WholeAgent;
afterEach(() => rig?.stop());

async function start(options: Partial<WholeAgentOptions> = {}): Promise<WholeAgent> {
  rig = await WholeAgent.start({ switches: { tor1: { ports: 8 } }, speed: SPEED, ...options });
  await rig.until('first round', () => rig.state.switches['tor1']?.ports['swp6']?.applied != null);
  await rig.saved();
  return rig;
}

const applied = async (revision: number, attachments: Record<string, unknown>) => {
  await rig.publish('ironic', revision, attachments);
  await rig.until(`revision ${revision} applied`, () => {
    const r = rig.result('ironic');
    return r?.revision === revision && r.state === 'applied';
  });
};

describe('a switch that restarts', () => {
  it('between batch and save: what was lost is made again and saved', async () => {
    await start();
    rig.sim().faults.on({ match: 'write memory' }, { kind: 'do', run: () => rig.sim().reboot() });
    await applied(1, { a: access('swp1', 100) });
    await rig.until('the reboot', () => rig.events.some((e) => e.kind === 'switch-rebooted'));
    await rig.until('100 again', () => carries(rig.sim(), 'swp1') === '100u');
    await rig.saved();
    expect(rig.sim().model.startup.config.ports.get('swp1')?.accessVlan).toBe(100);
  });

  it('in the middle of a batch', async () => {
    await start();
    rig.sim().faults.on({ match: /^switchport mode trunk/ }, { kind: 'do', run: () => rig.sim().reboot() });
    await applied(1, { a: access('swp1', 100), b: trunk('swp2', 110, [111]) });
    expect(carries(rig.sim(), 'swp2')).toBe('110u 111t');
    await rig.saved();
  });

  it('is not saved under the name of the one before: a switch exchanged at the save is found out first', async () => {
    await start();
    const sim = rig.sim();
    const from = sim.faults.lines.length;
    sim.faults.on(
      { match: 'write memory' },
      { kind: 'do', run: () => sim.replace({ serial: 'OTHER', hostKey: 'keep' }) },
    );
    await rig.publish('ironic', 1, { a: access('swp1', 100) });
    await rig.until('SwitchChanged', () => rig.result('ironic')?.attachments['a']?.reason === 'SwitchChanged');
    // The one at which it was exchanged, and nothing on the other switch.
    expect(sim.faults.lines.slice(from).filter((l) => l.line === 'write memory').length).toBe(1);
    await rig.app.rack.acceptSwitch('tor1');
    await rig.until('converged', () => carries(sim, 'swp1') === '100u' && carries(sim, 'swp2') === '4000u');
    await rig.until('applied', () => rig.result('ironic')?.state === 'applied');
    await rig.saved();
  });
});

describe('an exchanged switch', () => {
  it('with another host key is not written to, whatever the first key was trusted for', async () => {
    await start({ switchConfig: { hostKeys: undefined, trustOnFirstUse: true } });
    const sim = rig.sim();
    await applied(1, { a: access('swp1', 100) });
    await rig.saved();
    sim.replace({ serial: 'OTHER', hostKey: generateHostKey() });
    const from = sim.faults.lines.length;
    await rig.until('SwitchChanged', () => rig.result('ironic')?.attachments['a']?.reason === 'SwitchChanged');
    await rig.publish('ironic', 2, { a: access('swp1', 101) });
    await rig.until(
      'held',
      () => rig.result('ironic')?.attachments['a']?.state === 'held' && rig.result('ironic')?.revision === 2,
    );
    expect(sim.faults.lines.slice(from)).toEqual([]);
    await rig.app.rack.acceptSwitch('tor1');
    await rig.until('101', () => carries(sim, 'swp1') === '101u');
  });
});

describe('a save that does not work', () => {
  it('is tried again after the session was lost in it', async () => {
    await start();
    rig.sim().faults.on({ match: 'write memory' }, { kind: 'cut', when: 'before' });
    await applied(1, { a: access('swp1', 100) });
    await rig.saved();
  });

  it('is made up for when the last answer of a batch was lost', async () => {
    await start({ switches: { tor1: { config: ['vlan 100,4000', 'exit'] } } });
    rig.sim().faults.on({ match: 'switchport access vlan 100' }, { kind: 'cut', when: 'after' });
    await applied(1, { a: access('swp1', 100) });
    await rig.saved();
  });

  it('is refused three times, and told as not persisted until it works', async () => {
    await start();
    rig.sim().faults.failSaves(2);
    await applied(1, { a: access('swp1', 100) });
    await rig.until('told', () => rig.events.some((e) => e.message.includes('could not be saved')));
    expect(rig.state.switches['tor1']?.notPersisted).toBe(true);
    await rig.saved('tor1', 15_000);
  });

  it('takes 25 s while documents come in: the last one holds', async () => {
    await start();
    rig.sim().faults.saveMs = 25_000 / SPEED;
    await applied(1, { a: access('swp1', 100) });
    await rig.until('saving', () => rig.sim().faults.lines.at(-1)?.line === 'write memory');
    for (let i = 2; i <= 12; i++) await rig.publish('ironic', i, { a: access('swp1', 100 + i) });
    await rig.until('12', () => rig.result('ironic')?.revision === 12 && rig.result('ironic')?.state === 'applied');
    expect(carries(rig.sim(), 'swp1')).toBe('112u');
    await rig.saved();
  });

  it('never saves a port that could not be brought back, also when another port went well after it', async () => {
    await start();
    const sim = rig.sim();
    await applied(1, { a: trunk('swp1', 110, [111]) });
    await rig.saved();
    const saves = () => sim.faults.lines.filter((l) => l.line === 'write memory').length;
    const before = saves();
    // swp1 can be emptied, and then neither filled nor put back.
    let inSwp1 = false;
    sim.faults.onLine(({ line }) => {
      if (line.startsWith('interface ')) inSwp1 = line === 'interface swp1';
    });
    const off = sim.faults.refuse(
      (line) => inSwp1 && /^(switchport trunk allowed vlan \d|shutdown|switchport access)/.test(line),
      'Command rejected: no hardware resources',
    );
    await rig.publish('ironic', 2, { a: trunk('swp1', 120, [121]) });
    const failed = await rig.settled('ironic', 2);
    expect(failed.attachments['a']?.message).toContain('could not be put back');
    await rig.publish('ironic', 3, { a: trunk('swp1', 120, [121]), b: access('swp2', 130) });
    await rig.until('b', () => rig.result('ironic')?.attachments['b']?.state === 'applied');
    const polls = sim.faults.lines.filter((l) => l.line === 'show version').length;
    await rig.until(
      'two more polls',
      () => sim.faults.lines.filter((l) => l.line === 'show version').length > polls + 1,
    );
    expect(saves()).toBe(before);
    off();
    await rig.app.rack.request('tor1', { repair: true });
    await rig.until('all', () => rig.result('ironic')?.state === 'applied');
    await rig.saved();
  });
});

describe('people on the switch', () => {
  it('one who holds the configuration is waited for; pending, not failed', async () => {
    await start();
    const sim = rig.sim();
    sim.faults.lockConfig();
    await rig.publish('ironic', 1, { a: access('swp1', 100) });
    await rig.until('busy', () => rig.result('ironic')?.attachments['a']?.reason === 'SwitchBusy');
    expect(rig.result('ironic')?.attachments['a']).toMatchObject({ state: 'pending' });
    expect(rig.result('ironic')?.attachments['a']?.message).not.toContain('put back');
    await rig.until('several tries', () => sim.faults.lines.filter((l) => l.line === 'configure terminal').length > 4);
    expect(rig.events.filter((e) => e.kind === 'failed').length).toBeLessThan(3);
    sim.faults.unlockConfig();
    await rig.until('applied', () => rig.result('ironic')?.state === 'applied');
    await rig.saved();
  });

  it('who change the port between read and write do not get a mixture', async () => {
    await start();
    const sim = rig.sim();
    await applied(1, { a: access('swp1', 100) });
    const seen: string[] = [];
    sim.faults.onLine(() => seen.push(carries(sim, 'swp1')));
    sim.faults.on(
      { match: 'configure terminal' },
      {
        kind: 'do',
        run: () =>
          sim.byHand([
            'interface swp1',
            'switchport trunk native vlan 100',
            'switchport trunk allowed vlan 100',
            'switchport mode trunk',
          ]),
      },
    );
    await applied(2, { a: access('swp1', 101) });
    expect(new Set(seen)).toEqual(new Set(['100u', '101u']));
  });

  it('who delete a VLAN in use: not applied until it is there again', async () => {
    await start();
    const sim = rig.sim();
    await applied(1, { a: access('swp1', 100) });
    sim.faults.refuse('vlan 100', 'Command rejected: VLAN database is full');
    sim.byHand(['no vlan 100']);
    await rig.app.rack.request('tor1', { read: true });
    await rig.until('not applied', () => rig.result('ironic')?.attachments['a']?.state === 'failed');
    expect(rig.result('ironic')?.attachments['a']?.message).toContain('VLAN 100');
    const told = rig.events.filter((e) => e.kind === 'failed').length;
    const tries = () => sim.faults.lines.filter((l) => l.line === 'vlan 100').length;
    const before = tries();
    for (let i = 0; i < 5; i++) await rig.app.rack.request('tor1', { read: true });
    expect(tries() - before).toBeLessThan(3);
    expect(rig.events.filter((e) => e.kind === 'failed').length - told).toBeLessThan(3);
    sim.faults.clear();
    await rig.until('applied', () => rig.result('ironic')?.state === 'applied');
    expect(carries(sim, 'swp1')).toBe('100u');
  });

  it('who make a VLAN of the agent their own keep it', async () => {
    await start();
    const sim = rig.sim();
    await applied(1, { a: access('swp1', 300) });
    await rig.saved();
    // Between two readings, so that the agent has not seen it when it plans.
    sim.byHand(['no vlan 300', 'vlan 300', 'name customers']);
    await applied(2, {});
    await rig.app.rack.request('tor1', { read: true });
    expect(sim.model.config.vlans.get(300)?.name).toBe('customers');
  });

  it('who take every terminal line are waited for', async () => {
    await start();
    const sim = rig.sim();
    sim.faults.busyLines = 5;
    sim.cutSessions();
    await rig.publish('ironic', 1, { a: access('swp1', 100) });
    await rig.until('unreachable', () => rig.result('ironic')?.attachments['a']?.reason === 'SwitchUnreachable');
    sim.faults.busyLines = 4;
    await rig.until('applied', () => rig.result('ironic')?.state === 'applied');
  });
});

describe('strange ports', () => {
  it('err-disabled, routed, and in a Port-channel', async () => {
    await start();
    const sim = rig.sim();
    sim.model.cable('swp1', { chassisId: 'x', portId: 'y' });
    sim.model.setErrDisabled('swp1', 'bpduguard');
    sim.byHand(['interface swp2', 'no switchport']);
    sim.byHand(['interface swp3', 'channel-group 1 mode active']);
    await rig.publish('ironic', 1, { a: access('swp1', 100), b: access('swp2', 100), c: access('swp3', 100) });
    const result = await rig.settled('ironic', 1);
    expect(result.attachments['a']?.state).toBe('applied');
    expect(result.attachments['b']?.state).toBe('applied');
    expect(result.attachments['c']).toMatchObject({ state: 'failed', reason: 'Unsupported' });
    await rig.publish('ironic', 2, {});
    await rig.until('c withdrawing', () => rig.result('ironic')?.attachments['c']?.state === 'withdrawing');
    sim.byHand(['interface swp3', 'no channel-group']);
    await rig.until('gone', () => Object.keys(rig.result('ironic')?.attachments ?? { x: 1 }).length === 0);
  });

  it('five bad ones of 48 spoil none of the others', async () => {
    await start({ switches: { tor1: { ports: 48 } }, switchConfig: { managedPorts: ['swp1-swp48'] } });
    const sim = rig.sim();
    const bad = new Set(['swp5', 'swp17', 'swp23', 'swp42', 'swp48']);
    let port = '';
    sim.faults.onLine(({ line }) => {
      if (line.startsWith('interface ')) port = line.slice(10);
    });
    sim.faults.refuse(
      (line) => bad.has(port) && line.startsWith('switchport access vlan 1'),
      'Command rejected: bad port',
    );
    const all = Array.from({ length: 48 }, (_, i) => `swp${i + 1}`);
    await rig.publish('ironic', 1, Object.fromEntries(all.map((p, i) => [p, access(p, 100 + i)])));
    const result = await rig.settled('ironic', 1);
    for (const p of all) expect([p, result.attachments[p]?.state]).toEqual([p, bad.has(p) ? 'failed' : 'applied']);
    for (const p of bad) expect(carries(sim, p)).toBe('4000u');
    await rig.saved();
  });

  it('a switch with a single one', async () => {
    rig = await WholeAgent.start({
      switches: { tor1: { ports: 1 } },
      switchConfig: { managedPorts: ['swp1'] },
      speed: SPEED,
    });
    await applied(1, { a: access('swp1', 100) });
    expect(carries(rig.sim(), 'swp1')).toBe('100u');
  });
});

describe('a dead switch', () => {
  it.each(['off', 'silent'] as const)('(%s) does not delay its neighbour', async (how) => {
    rig = await WholeAgent.start({ switches: { tor1: {}, tor2: {} }, switchConfig: { connectTimeout: 120 } });
    await rig.until('up', () => rig.state.switches['tor2']?.ports['swp6']?.applied != null);
    rig.sim('tor2').setReachability(how);
    await rig.publish('ironic', 1, { a: access('swp1', 100), b: access('swp1', 100, {}, 'tor2') });
    await rig.until('a', () => rig.result('ironic')?.attachments['a']?.state === 'applied', 1_500);
    expect(rig.result('ironic')?.attachments['b']?.state).toBe('pending');
    rig.sim('tor2').setReachability('on');
    if (how === 'off') await rig.until('b', () => rig.result('ironic')?.attachments['b']?.state === 'applied');
  });
});
