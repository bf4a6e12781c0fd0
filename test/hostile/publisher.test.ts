import { afterEach, describe, expect, it } from 'vitest';
import { access, carries, WholeAgent, type WholeAgentOptions } from '../support/whole-agent.ts';

let rig: WholeAgent;
afterEach(() => rig?.stop());

async function start(options: Partial<WholeAgentOptions> = {}): Promise<WholeAgent> {
  rig = await WholeAgent.start({ switches: { tor1: { ports: 8 } }, ...options });
  await rig.until('first round', () => rig.state.switches['tor1']?.ports['swp6']?.applied != null);
  return rig;
}

describe('two publishers', () => {
  it('cannot take a port by having asked first for what they may not have', async () => {
    await start({ config: { publishers: { thief: { vlans: ['600-699'] }, owner: { vlans: ['100-199'] } } } });
    await rig.publish('thief', 1, { t: access('swp1', 100) });
    expect((await rig.settled('thief', 1)).attachments['t']?.reason).toBe('VlanNotAllowed');
    await rig.publish('owner', 1, { o: access('swp1', 100) });
    expect((await rig.settled('owner', 1)).attachments['o']?.state).toBe('applied');
    await rig.publish('thief', 2, { t: access('swp1', 600) });
    expect((await rig.settled('thief', 2)).attachments['t']?.reason).toBe('PortClaimed');
    await rig.app.rack.request('tor1', { read: true });
    expect(carries(rig.sim(), 'swp1')).toBe('100u');
    await rig.publish('owner', 2, {});
    await rig.until('600', () => carries(rig.sim(), 'swp1') === '600u');
  });

  it('who fight for the same ports with rapid revisions never share one', async () => {
    await start();
    const sim = rig.sim();
    const seen = new Set<string>();
    sim.faults.onLine(() => {
      for (const port of ['swp1', 'swp2']) seen.add(carries(sim, port));
    });
    for (let i = 1; i <= 60; i++) {
      const who = i % 2 === 0 ? 'even' : 'odd';
      const vlan = i % 2 === 0 ? 200 : 100;
      await rig.publish(who, i, i % 3 === 0 ? {} : { x: access('swp1', vlan), y: access('swp2', vlan + 1) });
    }
    await rig.publish('odd', 61, {});
    await rig.publish('even', 61, { x: access('swp1', 200) });
    await rig.until('even', () => rig.result('even')?.revision === 61 && rig.result('even')?.state === 'applied');
    await rig.until('odd', () => rig.result('odd')?.revision === 61 && rig.result('odd')?.state === 'applied');
    expect(carries(sim, 'swp1')).toBe('200u');
    expect(carries(sim, 'swp2')).toBe('4000u');
    expect([...seen].filter((s) => s.includes(' '))).toEqual([]);
  });
});

describe('one publisher', () => {
  it('that withdraws and comes back without a pause: told as withdrawn only when it was', async () => {
    await start();
    for (let i = 1; i <= 41; i++) await rig.publish('ironic', i, i % 2 === 1 ? { a: access('swp1', 100) } : {});
    await rig.until('41', () => rig.result('ironic')?.revision === 41 && rig.result('ironic')?.state === 'applied');
    expect(carries(rig.sim(), 'swp1')).toBe('100u');
    await rig.publish('ironic', 42, {});
    await rig.until('42', () => rig.result('ironic')?.revision === 42 && rig.result('ironic')?.state === 'applied');
    expect(carries(rig.sim(), 'swp1')).toBe('4000u');
    const told = rig.events.filter((e) => e.kind === 'withdrawn' && e.attachment === 'a').map((e) => e.sequence);
    const accepted = rig.events.filter((e) => e.kind === 'intent-accepted').map((e) => e.sequence);
    // Never twice for one withdrawal.
    for (let i = 1; i < told.length; i++)
      expect(accepted.some((s) => s > (told[i - 1] ?? 0) && s < (told[i] ?? 0))).toBe(true);
  });

  it('with 500 revisions in a burst: few rounds, and the last one holds', async () => {
    await start();
    const before = rig.sim().faults.lines.filter((l) => l.line === 'configure terminal').length;
    for (let i = 1; i <= 500; i++) void rig.publish('ironic', i, { a: access('swp1', 100 + (i % 50)) });
    await rig.until(
      '500',
      () => rig.result('ironic')?.revision === 500 && rig.result('ironic')?.state === 'applied',
      18_000,
    );
    expect(carries(rig.sim(), 'swp1')).toBe('100u');
    const rounds = rig.sim().faults.lines.filter((l) => l.line === 'configure terminal').length - before;
    expect(rounds).toBeLessThan(300);
    await rig.saved();
  });

  it('with 4,096 attachments is answered within seconds', async () => {
    await start();
    const many = Object.fromEntries(
      Array.from({ length: 4096 }, (_, i) => [
        `n${i}`,
        access(i < 6 ? `swp${i + 1}` : `swp${i + 1000}`, 100 + (i % 900)),
      ]),
    );
    const from = performance.now();
    const heap = process.memoryUsage().heapUsed;
    await rig.publish('ironic', 1, many);
    const result = await rig.settled('ironic', 1, 15_000);
    expect(performance.now() - from).toBeLessThan(15_000);
    expect(result.counts).toMatchObject({ applied: 6, rejected: 4090 });
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(400 * 2 ** 20);
    await rig.publish('ironic', 2, {});
    await rig.until('gone', () => rig.result('ironic')?.revision === 2 && rig.result('ironic')?.state === 'applied');
  });
});
