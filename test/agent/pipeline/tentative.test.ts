import { describe, expect, it } from 'vitest';
import { configured } from '../../../drivers/model/switchport.ts';
import { FakeSwitch, freshPort } from '../../support/fake-switch.ts';
import { access, TestRack } from '../../support/test-rack.ts';

const PORTS = ['swp1', 'swp2', 'swp3', 'up1'];

/** A rack with a switch that undoes what is not confirmed. `up1` is not managed. */
async function startRack() {
  const tor1 = new FakeSwitch(PORTS, {}, true);
  const rack = await new TestRack({ switches: { tor1 }, switchConfig: { managedPorts: ['swp1-swp3'] } }).start();
  await rack.quiet();
  tor1.ended.length = 0;
  return { rack, tor1 };
}

describe('a batch that the switch would undo', () => {
  it('is confirmed once every port reads back as wanted', async () => {
    const { rack, tor1 } = await startRack();
    const result = await rack.publish('ironic', 1, { a: access('swp1', 100), b: access('swp2', 200) });
    expect(result.state).toBe('applied');
    expect(tor1.ended).toEqual(['confirm']);
  });

  it('is undone when a port was taken but reads back differently; the others are done without it', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.sideEffect = () => {
      if (tor1.ports.get('swp2')?.switchport.nativeVlan === 200)
        tor1.change('swp2', { switchport: configured('access', 666) });
    };
    const result = await rack.publish('ironic', 1, { a: access('swp1', 100), b: access('swp2', 200) });
    expect(result.attachments['a']).toMatchObject({ state: 'applied' });
    expect(result.attachments['b']).toMatchObject({ state: 'failed', reason: 'VerifyFailed' });
    expect(tor1.ended).toEqual(['undo', 'confirm']);
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
    expect(tor1.ports.get('swp2')?.switchport).toEqual(configured('access', 4000));
  });

  it('is confirmed when the switch refused a port and left it as it was', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.apply = (step) => (step.subject === 'swp2' ? 'rejected' : null);
    const result = await rack.publish('ironic', 1, { a: access('swp1', 100), b: access('swp2', 200) });
    expect(tor1.ended).toEqual(['confirm']);
    expect(result.attachments['a']).toMatchObject({ state: 'applied' });
    expect(result.attachments['b']).toMatchObject({ state: 'failed', reason: 'CommandRejected' });
    expect(result.attachments['b']?.message).toContain('the port is as it was');
  });

  it('is undone when a port that is not ours changed along with it', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.sideEffect = () => tor1.change('up1', { switchport: configured('access', 666) });
    const result = await rack.publish('ironic', 1, { a: access('swp1', 100) });
    expect(result.attachments['a']).toMatchObject({ state: 'failed', reason: 'VerifyFailed' });
    expect(result.attachments['a']?.message).toContain('up1 changed along with it');
    expect(tor1.ended).toEqual(['undo']);
    expect(tor1.ports.get('up1')?.switchport).toEqual(configured('access', 1));
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 4000));
    tor1.fault.sideEffect = null;
    await rack.clock.advance(30_000);
    expect(rack.result('ironic').state).toBe('applied');
  });

  it('is undone when the path to the switch went with it', async () => {
    const { rack, tor1 } = await startRack();
    tor1.ports.set('up1', freshPort('up1', { carriesManagement: true }));
    await rack.clock.advance(60_000);
    tor1.fault.sideEffect = () => tor1.change('up1', { operState: 'down' });
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    expect(tor1.ended).toEqual(['undo']);
  });

  it('counts as undone when the switch says so instead of confirming', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.confirm = 'rejected';
    const result = await rack.publish('ironic', 1, { a: access('swp1', 100) });
    expect(result.attachments['a']).toMatchObject({ state: 'failed' });
    expect(result.attachments['a']?.message).toContain('undone the change before it was confirmed');
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 4000));
  });

  it('leads to a new reading when the session is lost before it is confirmed', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.confirm = 'unreachable';
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    expect(rack.result('ironic').attachments['a']?.state).toBe('pending');
    tor1.fault.confirm = null;
    await rack.clock.advance(10_000);
    expect(rack.result('ironic').state).toBe('applied');
  });

  it('makes no VLAN when it was undone', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.sideEffect = () => tor1.change('swp1', { switchport: configured('access', 666) });
    await rack.publish('ironic', 1, { a: access('swp1', 300) });
    expect(tor1.ended).toEqual(['undo']);
    expect(tor1.vlans.has(300)).toBe(false);
    expect(rack.happened('vlan-created').filter((e) => e.message.includes('300'))).toEqual([]);
  });
});
