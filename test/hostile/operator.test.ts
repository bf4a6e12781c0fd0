import { afterEach, describe, expect, it } from 'vitest';
import { access, carries, trunk, WholeAgent, type WholeAgentOptions } from '../support/whole-agent.ts';

let rig: WholeAgent;
afterEach(() => rig?.stop());

async function start(options: Partial<WholeAgentOptions> = {}): Promise<WholeAgent> {
  rig = await WholeAgent.start({ switches: { tor1: { ports: 8 } }, ...options });
  await rig.until('first round', () => rig.state.switches['tor1']?.ports['swp6']?.applied != null);
  await rig.saved();
  return rig;
}

const applied = async (revision: number, attachments: Record<string, unknown>, publisher = 'ironic') => {
  await rig.publish(publisher, revision, attachments);
  await rig.until(`revision ${revision} applied`, () => {
    const r = rig.result(publisher);
    return r?.revision === revision && r.state === 'applied';
  });
};

/** Runs something when the switch gets a line, once, and resolves when that is over. */
function atLine(match: RegExp, run: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const off = rig.sim().faults.onLine(({ line }) => {
      if (!match.test(line)) return;
      off();
      run().then(resolve, reject);
    });
  });
}

describe('a reload in the middle of a batch', () => {
  it('from manage to observe: nothing more is started', async () => {
    await start();
    const reloaded = atLine(/^interface swp1$/, async () => {
      rig.writeConfig({ mode: 'observe' });
      await rig.reload();
    });
    await rig.publish('ironic', 1, { a: access('swp1', 100) });
    await reloaded;
    await rig.publish('ironic', 2, { a: access('swp1', 101) });
    await rig.until('observe only', () => rig.result('ironic')?.attachments['a']?.reason === 'ObserveOnly');
    const from = rig.sim().faults.lines.length;
    await rig.app.rack.request('tor1', { read: true, repair: true });
    expect(
      rig
        .sim()
        .faults.lines.slice(from)
        .filter((l) => /^(conf|write)/.test(l.line)),
    ).toEqual([]);
    rig.writeConfig();
    await rig.reload();
    await rig.until('applied', () => rig.result('ironic')?.state === 'applied');
    await rig.saved();
  });

  it('that takes the port out of management, and gives it back', async () => {
    await start();
    const reloaded = atLine(/^interface swp1$/, async () => {
      rig.writeConfig({}, { tor1: { managedPorts: ['swp2-swp6'] } });
      await rig.reload();
    });
    await rig.publish('ironic', 1, { a: access('swp1', 100), b: access('swp2', 100) });
    await reloaded;
    await rig.until('not managed', () => rig.result('ironic')?.attachments['a']?.reason === 'PortNotManaged');
    const from = rig.sim().faults.lines.length;
    await rig.publish('ironic', 2, { a: access('swp1', 101), b: access('swp2', 101) });
    await rig.until('b', () => carries(rig.sim(), 'swp2') === '101u');
    expect(
      rig
        .sim()
        .faults.lines.slice(from)
        .some((l) => l.line === 'interface swp1'),
    ).toBe(false);
    rig.writeConfig();
    await rig.reload();
    await rig.until('a', () => carries(rig.sim(), 'swp1') === '101u');
  });

  it('that gives a provider network another VLAN', async () => {
    await start();
    const attachments = { a: { port: { switchId: 'tor1', portId: 'swp1' }, network: 'inspection' } };
    const reloaded = atLine(/^interface swp1$/, async () => {
      rig.writeConfig({ networks: { idle: { nativeVLAN: 4000 }, inspection: { nativeVLAN: 901 } } });
      await rig.reload();
    });
    await rig.publish('ironic', 1, attachments);
    await reloaded;
    await rig.until('901', () => carries(rig.sim(), 'swp1') === '901u' && rig.result('ironic')?.state === 'applied');
    expect(rig.result('ironic')?.attachments['a']?.readBack?.nativeVLAN).toBe(901);
  });

  it('that removes the switch and brings it back: one writer, and it converges', async () => {
    await start();
    await applied(1, { a: access('swp1', 100) });
    const reloaded = atLine(/^interface swp1$/, async () => {
      rig.writeConfig({ switches: undefined }, {}, []);
      const other = { driver: 'sim', host: '127.0.0.1', port: 1, username: 'x', passwordFile: 'switch.password' };
      rig.writeConfig({ switches: { tor9: { ...other, hostKeys: [rig.sim().hostKeyFingerprint] } } });
      await rig.reload();
      rig.writeConfig();
      await rig.reload();
    });
    await rig.publish('ironic', 2, { a: trunk('swp1', 110, [111]) });
    await reloaded;
    await rig.until('applied', () => rig.result('ironic')?.revision === 2 && rig.result('ironic')?.state === 'applied');
    expect(carries(rig.sim(), 'swp1')).toBe('110u 111t');
    await rig.until('one session', () => rig.sim().sessions.length === 1);
    await rig.saved();
  });
});

describe('a reload that', () => {
  it('leads to another address while the connection to the old one is being made: the old switch is never written', async () => {
    rig = await WholeAgent.start({ switches: { tor1: {}, tor2: {} } });
    await rig.until('up', () => rig.state.switches['tor1']?.ports['swp6']?.applied != null);
    const { address, hostKeyFingerprint } = rig.sim('tor2');
    // tor1 answers its first prompt late.
    const wrong = rig.sim('tor1');
    wrong.faults.on({ match: 'terminal length 0' }, { kind: 'delay', ms: 100 });
    wrong.cutSessions();
    await rig.until('connecting', () => wrong.faults.lines.at(-1)?.line === 'terminal length 0');
    rig.writeConfig({}, { tor1: { ...address, hostKeys: [hostKeyFingerprint] } }, ['tor2']);
    const from = wrong.faults.lines.length;
    await rig.reload();
    await rig.publish('ironic', 1, { a: access('swp1', 100) });
    await rig.until('SwitchChanged', () => rig.result('ironic')?.attachments['a']?.reason === 'SwitchChanged');
    expect(wrong.faults.lines.slice(from).filter((l) => l.line.startsWith('conf'))).toEqual([]);
    await rig.app.rack.acceptSwitch('tor1');
    await rig.until('on the right one', () => carries(rig.sim('tor2'), 'swp1') === '100u');
    expect(carries(wrong, 'swp1')).toBe('4000u');
  });

  it('removes a switch that hangs does not delay the others', async () => {
    rig = await WholeAgent.start({ switches: { tor1: {}, tor2: {} }, switchConfig: { commandTimeout: 200 } });
    await rig.until('up', () => rig.state.switches['tor2']?.ports['swp6']?.applied != null);
    rig.sim('tor2').faults.on({ match: 'interface swp1' }, { kind: 'hang', executed: false });
    await rig.publish('ironic', 1, { b: access('swp1', 100, {}, 'tor2') });
    await rig.until('hanging', () => rig.sim('tor2').faults.lines.at(-1)?.line === 'interface swp1');
    rig.writeConfig({ networks: { idle: { nativeVLAN: 4001 } } }, {}, ['tor2']);
    const done = rig.reload();
    await rig.until('new idle network', () => carries(rig.sim(), 'swp3') === '4001u', 3_000);
    rig.sim('tor2').cutSessions();
    await done;
  });

  it('corrects a wrong password takes effect at once', async () => {
    await start();
    rig.secret('switch.password', 'wRong-password');
    await rig.reload();
    await rig.publish('ironic', 1, { a: access('swp1', 100) });
    await rig.until('refused', () => rig.result('ironic')?.attachments['a']?.reason === 'SwitchUnreachable');
    rig.secret('switch.password', rig.secrets[1] ?? '');
    await rig.reload();
    await rig.until('applied', () => rig.result('ironic')?.state === 'applied', 1_400);
    expect(rig.logLines.join('').includes('wRong-password')).toBe(false);
  });

  it('takes a publisher out and brings it back does not take the port from who got it meanwhile', async () => {
    await start({ config: { publishers: { one: {}, two: {} } } });
    await applied(1, { a: access('swp1', 100) }, 'one');
    await rig.publish('two', 1, { b: access('swp1', 200) });
    expect((await rig.settled('two', 1)).attachments['b']?.reason).toBe('PortClaimed');
    rig.writeConfig({ publishers: { two: {} } });
    await rig.reload();
    await rig.until('two', () => rig.result('two')?.state === 'applied');
    rig.writeConfig();
    await rig.reload();
    await rig.until('one claimed', () => rig.result('one')?.attachments['a']?.reason === 'PortClaimed');
    await rig.app.rack.request('tor1', { read: true });
    expect(rig.result('two')?.state).toBe('applied');
    expect(carries(rig.sim(), 'swp1')).toBe('200u');
  });

  it('names a parking VLAN: trunks without a native VLAN use it', async () => {
    await start();
    rig.writeConfig({}, { tor1: { parkingVlan: 3999 } });
    await rig.reload();
    await applied(1, { a: trunk('swp1', null, [100]) });
    expect(rig.sim().model.port('swp1').nativeVlan).toBe(3999);
  });

  it('turns persist on saves what was not saved before', async () => {
    rig = await WholeAgent.start({ switches: { tor1: {} }, config: { persist: false } });
    await applied(1, { a: access('swp1', 100) });
    expect(rig.sim().model.unsaved).toBe(true);
    rig.writeConfig({ persist: true });
    await rig.reload();
    await rig.saved();
  });
});
