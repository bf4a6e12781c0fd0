import { describe, it } from 'vitest';
import type { FaultAction, SwitchModel } from '../sim/index.ts';
import { access, carries, trunk, WholeAgent } from '../support/whole-agent.ts';

/** A fault at the n-th line after an intent, for every n, and again on the way back. */
const FAULTS: Record<string, FaultAction<SwitchModel>> = {
  ignore: { kind: 'ignore' },
  refuse: { kind: 'refuse', text: 'Command rejected: no hardware resources' },
  'refuse with a strange word': { kind: 'refuse', text: 'Bad luck' },
  'cut before': { kind: 'cut', when: 'before' },
  'cut after': { kind: 'cut', when: 'after' },
  'hang before': { kind: 'hang', executed: false },
  'hang after': { kind: 'hang', executed: true },
};

const OLD = { a: access('swp1', 100), b: trunk('swp2', 110, [111, 112]) };
const NEW = { a: trunk('swp1', 200, [201, 202]), b: trunk('swp2', 210, [211]) };
const WANTED: Record<string, [string, string]> = {
  swp1: ['100u', '200u 201t 202t'],
  swp2: ['110u 111t 112t', '210u 211t'],
};

/** VLAN IDs without regard to tags: a switch that drops a line may leave a part of the new VLANs tagged otherwise. */
const parts = (text: string) => new Set(text.match(/\d+/g) ?? []);
const within = (now: string, whole: string) => [...parts(now)].every((p) => parts(whole).has(p));

describe.concurrent('a switch with a fault at every line of a change never mixes, never lies, and always converges', () => {
  it.for(Object.entries(FAULTS))('%s', { timeout: 60_000 }, async ([what, action], { expect, onTestFinished }) => {
    // Half of them with VLANs that the agent has to make, half with VLANs that are there.
    const there = what.endsWith('after') || what === 'refuse' ? ['vlan 100-230', 'exit'] : [];
    const rig = await WholeAgent.start({
      switches: { tor1: { ports: 4, config: ['lldp run', 'vlan 4000', 'exit', ...there] } },
      switchConfig: { managedPorts: ['swp1-swp2'] },
      speed: 50,
    });
    onTestFinished(() => rig.stop());
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
        const { nativeVLAN } =
          (result.revision ?? 0) % 2 === 1 ? OLD[name as 'a'].switchport : NEW[name as 'a'].switchport;
        if (is.readBack.nativeVLAN !== nativeVLAN) wrong.push(`${name} applied at ${JSON.stringify(is.readBack)}`);
      }
    };
    await rig.publish('ironic', revision, OLD);
    await rig.settled('ironic', revision);
    await rig.saved();
    for (let n = 1; ; n++) {
      const before = sim.faults.lines.length;
      const off = sim.faults.on({ nth: n }, action);
      revision++;
      const wanted = revision % 2 === 0 ? NEW : OLD;
      await rig.publish('ironic', revision, wanted);
      const first = await rig.settled('ironic', revision);
      // What was refused may stay so for a while: that is said, and it is tried again.
      for (const is of Object.values(first.attachments)) expect(['applied', 'failed']).toContain(is.state);
      await rig.until(
        `revision ${revision} after "${what}" at line ${n}`,
        () => rig.result('ironic')?.state === 'applied',
      );
      await rig.saved();
      for (const [port, both] of Object.entries(WANTED))
        expect(carries(sim, port)).toBe(both[revision % 2 === 0 ? 1 : 0]);
      off();
      if (sim.faults.lines.length - before < n) break;
    }
    expect(wrong).toEqual([]);
    expect(sim.faults.listenerErrors).toEqual([]);
  });
});
