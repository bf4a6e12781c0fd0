import { describe, expect, it } from 'vitest';
import { configured } from '../../../drivers/model/switchport.ts';
import { FakeSwitch } from '../../support/fake-switch.ts';
import { settled } from '../../support/test-clock.ts';
import { access, TestRack } from '../../support/test-rack.ts';

const HOUR = 3_600_000;
const JUMPS = [
  ['back by six hours', -6 * HOUR],
  ['ahead by six hours', 6 * HOUR],
  ['to before 1970', -60 * 365 * 24 * HOUR],
  ['ahead by ten years', 10 * 365 * 24 * HOUR],
] as const;

describe.each(JUMPS)('a wall clock that jumps %s', (_, jump) => {
  async function startRack() {
    const tor1 = new FakeSwitch(['swp1', 'swp2']);
    const rack = await new TestRack({ switches: { tor1 } }).start();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    return { rack, tor1 };
  }

  it('between two documents changes nothing: what came later is read before it is called applied', async () => {
    const { rack, tor1 } = await startRack();
    rack.clock.jump(jump);
    const reads = tor1.reads;
    const result = await rack.publish('ironic', 2, { a: access('swp1', 100), b: access('swp2', 200) });
    await rack.quiet();
    expect(rack.result('ironic')).toMatchObject({ revision: 2, state: 'applied', counts: { applied: 2 } });
    expect(result.revision).toBe(2);
    expect(tor1.reads).toBeGreaterThan(reads);
    expect(tor1.ports.get('swp2')?.switchport).toEqual(configured('access', 200));
    expect(Object.keys(rack.store.value.publishers['ironic']?.withdrawing ?? {})).toEqual([]);
  });

  it('in the middle of a change takes no old reading as proof', async () => {
    const { rack, tor1 } = await startRack();
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    tor1.beforeStep = () => gate;
    await rack.publish('ironic', 2, { a: access('swp1', 200) });
    rack.clock.jump(jump);
    const back = await rack.publish('ironic', 3, { a: access('swp1', 100) });
    expect(back.attachments['a']?.state).toBe('pending');
    release();
    tor1.beforeStep = () => Promise.resolve();
    await rack.quiet();
    expect(rack.result('ironic').attachments['a']?.state).toBe('applied');
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
  });

  it('neither stops the polling nor makes it run wild, and drift is repaired as ever', async () => {
    const { rack, tor1 } = await startRack();
    await rack.clock.advance(31_000);
    rack.clock.jump(jump);
    const reads = tor1.reads;
    await settled();
    expect(tor1.reads).toBe(reads);
    tor1.change('swp1', { switchport: configured('access', 666) });
    await rack.clock.advance(31_000);
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
    expect(rack.result('ironic').state).toBe('applied');
    const afterwards = tor1.reads;
    await rack.clock.advance(300_000);
    expect(tor1.reads - afterwards).toBeGreaterThanOrEqual(9);
    expect(tor1.reads - afterwards).toBeLessThanOrEqual(11);
  });

  it('neither ends the back-off from a dead switch early nor makes it endless', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.open = 'unreachable';
    tor1.cut();
    await rack.publish('ironic', 2, {});
    await rack.clock.advance(120_000);
    expect(rack.result('ironic').attachments['a']).toMatchObject({ state: 'withdrawing', reason: 'SwitchUnreachable' });
    let tries = 0;
    tor1.refuseLogin = () => tries++;
    tor1.fault.open = null;
    rack.clock.jump(jump);
    await settled();
    expect(tries).toBe(0);
    tor1.refuseLogin = null;
    await rack.clock.advance(61_000);
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 4000));
    expect(rack.result('ironic')).toMatchObject({ state: 'applied', attachments: {} });
  });
});
