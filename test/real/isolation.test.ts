import { afterAll, beforeAll, expect, it } from 'vitest';
import { LabAgent, on } from '../lab/agent.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

const TRANSITIONS = 200;
const RED = 100;
const BLUE = 200;
const TAGGED = [300, 301] as const;

/** Deterministic choice, so that a failure can be run again. */
function chooser(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describeWithParts('isolation of tenants, by frames', LAB_PARTS, () => {
  let lab: Lab;
  let agent: LabAgent;

  beforeAll(async () => {
    lab = await startLab({ ports: 4 });
    agent = await new LabAgent(lab).start();
  });

  afterAll(async () => {
    await agent?.stop();
    await lab?.stop();
  });

  it(`never lets a frame cross between two tenants during ${TRANSITIONS} transitions`, {
    timeout: 600_000,
  }, async () => {
    const choose = chooser(7);
    // h1 and h2 belong to red for good, h3 and h4 to blue; what changes is how, and whether, each of them is attached.
    const shapes = (native: number, tags: readonly number[]) => [
      { mode: 'access', nativeVLAN: native },
      { mode: 'trunk', nativeVLAN: native, allowedVLANs: [...tags] },
      { mode: 'trunk', allowedVLANs: [native, ...tags] },
      { mode: 'hybrid', nativeVLAN: native, allowedVLANs: [...tags] },
      { mode: 'trunk', nativeVLAN: native, allowedVLANs: [] },
    ];
    const red = shapes(RED, [TAGGED[0]]);
    const blue = shapes(BLUE, [TAGGED[1]]);
    const start = Object.fromEntries(lab.switchPorts.map((port, i) => [port, on(port, (i < 2 ? red : blue)[0] ?? {})]));
    expect(await agent.apply(start)).toMatchObject({ state: 'applied' });
    const isolation = await lab.isolation({
      tenants: { h1: 'red', h2: 'red', h3: 'blue', h4: 'blue' },
      vids: [0, RED, BLUE, ...TAGGED],
      rate: 100,
    });
    let applied = 0;
    for (let i = 0; i < TRANSITIONS; i++) {
      const attachments: Record<string, unknown> = {};
      lab.switchPorts.forEach((port, index) => {
        const choices = index < 2 ? red : blue;
        // Two tenants in the idle network at once would hear each other there: it is one network. So they take turns.
        const mayIdle = index < 2 ? i < TRANSITIONS / 2 : i > TRANSITIONS / 2;
        const pick = choose(choices.length + (mayIdle ? 1 : 0));
        const extra = choose(4) === 0 ? { description: `step ${i}` } : {};
        if (pick < choices.length) attachments[port] = on(port, choices[pick] ?? {}, extra);
      });
      const result = await agent.apply(attachments);
      expect(result).toMatchObject({ state: 'applied' });
      applied++;
    }
    const { sent, heard, leaked, leaks, doubts } = await isolation.stop();
    expect(applied).toBe(TRANSITIONS);
    expect(doubts).toEqual([]);
    expect({ leaked, leaks: leaks.slice(0, 5) }).toEqual({ leaked: 0, leaks: [] });
    // The proof that a leak would have been heard: every host sent all the time, and heard its own tenant.
    for (const host of lab.hosts) expect(sent[host]).toBeGreaterThan(1000);
    expect(heard['h2']?.['red']).toBeGreaterThan(100);
    expect(heard['h4']?.['blue']).toBeGreaterThan(100);
  });

  it('hears a leak when there is one: the test itself can fail', async () => {
    await agent.apply({
      a: on('swp1', { mode: 'access', nativeVLAN: RED }),
      b: on('swp3', { mode: 'access', nativeVLAN: BLUE }),
    });
    const isolation = await lab.isolation({ tenants: { h1: 'red', h3: 'blue' }, vids: [0], rate: 200 });
    await agent.apply({
      a: on('swp1', { mode: 'access', nativeVLAN: RED }),
      b: on('swp3', { mode: 'access', nativeVLAN: RED }),
    });
    await lab.must('tor', ['sleep', '0.3']);
    const { leaked } = await isolation.stop();
    expect(leaked).toBeGreaterThan(0);
  });
});
