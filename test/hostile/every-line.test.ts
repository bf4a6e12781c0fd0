import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultAction } from '../sim/index.ts';
import { access, carries, trunk, WholeAgent } from '../support/whole-agent.ts';

/** A fault at the n-th line after an intent, for every n, and again on the way back. */
const FAULTS: Record<string, FaultAction> = {
  ignore: { kind: 'ignore' },
  refuse: { kind: 'refuse', text: 'Command rejected: no hardware resources' },
  'refuse with a strange word': { kind: 'refuse', text: 'Bad luck' },
  'cut before': { kind: 'cut', when: 'before' },
  'cut after': { kind: 'cut', when: 'after' },
  'hang before': { kind: 'hang', executed: false },
  'hang after': { kind: 'hang', executed: true },
};

const OLD = { a: access('swp1', 100), b: trunk('swp2', 110, [111, 112]), c: access('swp3', 120) };
const NEW = { a: trunk('swp1', 200, [201, 202]), b: trunk('swp2', 210, [211]), c: access('swp3', 220) };
const WANTED: Record<string, [string, string]> = {
  swp1: ['100u', '200u 201t 202t'],
  swp2: ['110u 111t 112t', '210u 211t'],
  swp3: ['120u', '220u'],
};

const parts = (text: string) => new Set(text.split(' ').filter((p) => p !== ''));
const within = (now: string, whole: string) => [...parts(now)].every((p) => parts(whole).has(p));

describe.each(Object.entries(FAULTS))('a switch with a fault at every line: %s', (_, action) => {
  let rig: WholeAgent;
  beforeAll(async () => {
    rig = await WholeAgent.start({ switches: { tor1: { ports: 6 } } });
  });
  afterAll(() => rig.stop());

  it('never mixes, never lies, always converges, and saves nothing half done', async () => {
    const sim = rig.sim();
    let revision = 1;
    const wrong: string[] = [];
    sim.faults.onLine(({ line, prompt }) => {
      for (const [port, [before, after]] of Object.entries(WANTED)) {
        const now = carries(sim, port);
        if (!within(now, before) && !within(now, after) && now !== '4000u' && revision > 1)
          wrong.push(`${port} carries ${now} after ${prompt}${line}`);
      }
    });
    rig.onResult = (_publisher, result) => {
      for (const [name, is] of Object.entries(result.attachments)) {
        if (is.state !== 'applied' || is.readBack === null) continue;
        const { nativeVLAN } = (result.revision ?? 0) % 2 === 1 ? OLD[name as 'a'].switchport : NEW[name as 'a'].switchport;
        if (is.readBack.nativeVLAN !== nativeVLAN) wrong.push(`${name} applied at ${JSON.stringify(is.readBack)}`);
      }
    };
    await rig.publish('ironic', revision, OLD);
    await rig.settled('ironic', revision);
    await rig.saved();
    let reached = true;
    for (let n = 1; reached && n < 80; n++) {
      let hit = false;
      const off = sim.faults.on({ nth: n }, action);
      const count = sim.faults.lines.length;
      const unwatch = sim.faults.onLine(() => {
        if (sim.faults.lines.length - count === n) hit = true;
      });
      revision++;
      const wanted = revision % 2 === 0 ? NEW : OLD;
      await rig.publish('ironic', revision, wanted);
      const first = await rig.settled('ironic', revision);
      // A line that was refused may stay refused for a while; told so, and tried again.
      for (const is of Object.values(first.attachments)) if (is.state !== 'applied') expect(is.state).toBe('failed');
      await rig.until(`revision ${revision} applied after ${_} at line ${n}`, () => rig.result('ironic')?.state === 'applied');
      await rig.saved();
      for (const [port, both] of Object.entries(WANTED)) expect(carries(sim, port)).toBe(both[revision % 2 === 0 ? 1 : 0]);
      reached = hit || sim.faults.lines.length - count >= n;
      off();
      unwatch();
      if (sim.faults.lines.length - count < n) reached = false;
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});
