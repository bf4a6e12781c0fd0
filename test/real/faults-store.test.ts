import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { AgentDocument } from '../../agent/model/report.ts';
import { LabAgent, on } from '../lab/agent.ts';
import { switchBecomes } from '../lab/expectations.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { Truth } from '../lab/truth.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

/** Until nothing becomes free any more: a write that is under way while the disk fills gives back what it had taken. */
const FILL =
  'n=0; while [ $n -lt 5 ]; do if [ "$(df --output=avail DIR | tail -1)" -gt 0 ]; then n=0; cat /dev/zero >>DIR/fill; fi; n=$((n+1)); sleep 0.1; done';

describeWithParts('a state folder that cannot be written', LAB_PARTS, () => {
  let lab: Lab;
  let agent: LabAgent;
  let truth: Truth;

  beforeAll(async () => {
    lab = await startLab({ ports: 3 });
    await lab.reset();
    agent = new LabAgent(lab);
    // A small file system that only the daemon sees, and that goes with it.
    const mount = `mkdir -p ${agent.stateDir} && mount -t tmpfs -o size=256k,mode=0700 portkeeper-lab ${agent.stateDir}`;
    agent.wrapper = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', `${mount} && exec "$@"`, 'sh'];
    await agent.start();
    truth = await Truth.start(lab, agent);
  });

  afterAll(async () => {
    await truth?.stop();
    await agent?.stop();
    await lab?.stop();
  });

  afterEach(async () => {
    expect((await truth.verdict()).lies).toEqual([]);
  });

  /** Runs shell words where the daemon sees its state folder. */
  const inside = (script: string) =>
    lab.in('agent', ['nsenter', '-t', String(agent.process?.pid), '-m', 'sh', '-c', script]);
  const health = async () => {
    const { stdout } = await agent.cli('status', '--json');
    return (JSON.parse(stdout) as { agent: AgentDocument }).agent.health;
  };
  const eventually = async (what: string, holds: () => Promise<boolean>, ms = 30_000) => {
    for (const deadline = Date.now() + ms; !(await holds()); await lab.must('tor', ['sleep', '0.2']))
      if (Date.now() > deadline) throw new Error(`${what}: not within ${ms} ms`);
  };
  const cases: [string, string, string, RegExp][] = [
    ['is full', FILL, 'rm DIR/fill', /full|space/i],
    // The daemon has its lock file open, so the mount it uses cannot be changed; a second one on top of it can.
    ['is read-only', 'mount --bind DIR DIR && mount -o remount,bind,ro DIR', 'umount DIR', /read-only/i],
  ];
  it.each(cases)(
    '%s: nothing is acknowledged, what is in force is kept, and it goes on by itself',
    async (_, breaks, mends, words) => {
      const before = {
        a: on('swp1', { mode: 'access', nativeVLAN: 100 }),
        b: on('swp2', { mode: 'access', nativeVLAN: 101 }, { description: 'mine' }),
      };
      const { revision: old } = await agent.apply(before);
      const pid = agent.process?.pid;
      const done = await inside(breaks.replaceAll('DIR', agent.stateDir));
      expect(done.code, done.stderr).toBe(0);
      const broken = Date.now();
      const revision = await agent.publish({ a: on('swp1', { mode: 'access', nativeVLAN: 200 }) });
      await eventually('health says so', async () =>
        (await health()).some((h) => h.severity === 'error' && words.test(h.message)),
      );
      const bad = (await health()).find((h) => h.code === 'store');
      expect(bad?.message).toMatch(words);
      expect(bad?.fix).not.toBe('');

      // What is in force is kept, also against a hand on the switch.
      await truth.excuse(
        'swp1',
        () => lab.ovs(['set', 'port', 'swp1', 'vlan_mode=trunk', 'tag=[]', 'trunks=[]']),
        () => switchBecomes(lab, before),
      );
      expect(agent.results().some((r) => r.document.revision === revision)).toBe(false);
      expect(agent.results().at(-1)?.document.revision).toBe(old);
      // Whoever watches the broker can see it, too.
      await agent.viewer.next(
        'health on MQTT',
        (m) =>
          m.at > broken &&
          m.topic === `${agent.base}/agent` &&
          words.test(m.payload) &&
          m.payload.includes('"code":"store"'),
      );

      expect((await inside(mends.replaceAll('DIR', agent.stateDir))).code).toBe(0);
      const result = await agent.result(revision, (r) => r.state === 'applied', 'ironic', 90_000);
      expect(result.counts).toMatchObject({ applied: 1, withdrawing: 0 });
      await eventually('the health is good', async () => (await health()).length === 0);
      await switchBecomes(lab, { a: on('swp1', { mode: 'access', nativeVLAN: 200 }) });
      expect(agent.process?.pid).toBe(pid);
      expect(agent.process?.running).toBe(true);
    },
  );
});
