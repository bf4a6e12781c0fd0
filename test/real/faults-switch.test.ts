import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { LabAgent, on } from '../lab/agent.ts';
import { neverAsked, readSwitch, wantedSwitch } from '../lab/expectations.ts';
import { type Block, type Daemon, type Lab, startLab } from '../lab/lab.ts';
import { chooser, randomAttachments } from '../lab/random-intents.ts';
import { Truth } from '../lab/truth.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

const CUTS = 30;

describeWithParts('a switch that fails', LAB_PARTS, () => {
  let lab: Lab;
  let agent: LabAgent;
  let truth: Truth;
  const choose = chooser(23);
  const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

  beforeAll(async () => {
    lab = await startLab({ ports: 4 });
    await lab.reset();
    agent = await new LabAgent(lab, { tor: { commandTimeout: 3, connectTimeout: 2 } }).start();
    truth = await Truth.start(lab, agent);
  });

  afterAll(async () => {
    await truth?.stop();
    await agent?.stop();
    await lab?.stop();
  });

  let begun = 0;
  beforeEach(() => {
    begun = Date.now();
  });
  afterEach(async () => {
    for (const daemon of ['ovs-vswitchd', 'ovsdb-server'] as const) await lab.resume(daemon);
    await lab.unblockSwitch();
    expect((await truth.verdict()).lies).toEqual([]);
    expect(await neverAsked(truth, agent, begun)).toEqual([]);
  });

  const converged = async () => {
    const last = agent.published.at(-1);
    await agent.result(last?.revision ?? 0, (r) => r.state === 'applied', 'ironic', 60_000);
    expect(await readSwitch(lab)).toEqual(wantedSwitch(lab, last?.attachments ?? {}));
  };
  /** Says nothing but that the switch cannot be reached, whatever the attachment. */
  const unreachable = (revision: number) =>
    agent.result(
      revision,
      (r) =>
        Object.values(r.attachments).every((a) => ['SwitchUnreachable', 'AwaitingSwitch'].includes(a.reason)) &&
        r.reason === 'SwitchUnreachable',
    );

  it(`loses ${CUTS} SSH sessions in the middle of changes and converges`, async () => {
    await agent.apply(randomAttachments(choose, lab.switchPorts));
    let pending = 0;
    for (let i = 1; i <= CUTS; i++) {
      const revision = await agent.publish(randomAttachments(choose, lab.switchPorts));
      await pause(choose(120));
      // By turns: the commands on the switch go on alone, or end in their middle too. A session may just be in the making.
      while ((await lab.cutSsh({ commands: i % 2 === 0 })) === 0) await pause(20);
      if (!agent.results().some((r) => r.document.revision === revision && r.document.state === 'applied')) pending++;
      await agent.result(revision, (r) => r.state === 'applied');
      if (i % 5 === 0) await converged();
    }
    expect(pending).toBeGreaterThan(CUTS / 4);
  });

  it.each<Block>(['silent', 'answers', 'wire'])(
    'is out of reach (%s) while intents come, change and go',
    async (how) => {
      await agent.apply({
        stays: on('swp1', { mode: 'access', nativeVLAN: 100 }),
        changes: on('swp2', { mode: 'access', nativeVLAN: 100, mtu: 4000 }),
        goes: on('swp3', { mode: 'trunk', allowedVLANs: [200, 201] }, { description: 'gone soon' }),
      });
      await lab.blockSwitch(how);
      const first = await agent.publish({
        stays: on('swp1', { mode: 'access', nativeVLAN: 100 }),
        changes: on('swp2', { mode: 'access', nativeVLAN: 300 }),
        comes: on('swp4', { mode: 'access', nativeVLAN: 100 }),
      });
      const told = await unreachable(first);
      expect(told.counts).toMatchObject({ applied: 0, pending: 3, withdrawing: 1 });
      expect(told.attachments['goes']).toMatchObject({ state: 'withdrawing', reason: 'SwitchUnreachable' });
      // A withdrawal is accepted at once, also now.
      const second = await agent.publish({ changes: on('swp2', { mode: 'access', nativeVLAN: 301 }) });
      const gone = await unreachable(second);
      expect(gone.counts).toMatchObject({ applied: 0, pending: 1, withdrawing: 3 });
      // Until the agent notices, what it does not touch holds as it was read; what is new, or known to be out of reach, does not.
      const all = agent.results();
      const noticed = all.findIndex((r) => r.document.revision === first && r.document.reason === 'SwitchUnreachable');
      for (const { document } of all.slice(noticed))
        for (const attachment of Object.values(document.attachments)) expect(attachment.state).not.toBe('applied');
      expect((await agent.cli('port', 'swp2')).stdout).toMatch(/reach/i);
      await lab.unblockSwitch();
      await converged();
    },
  );

  it.each<Daemon>(['ovs-vswitchd', 'ovsdb-server'])(
    'hangs (%s): nothing is called applied until frames follow',
    async (daemon) => {
      const at = (nativeVLAN: number) => ({
        a: on('swp1', { mode: 'access', nativeVLAN }),
        b: on('swp2', { mode: 'access', nativeVLAN: 100 }),
        c: on('swp3', { mode: 'access', nativeVLAN: 200 }),
      });
      const heard = async () => {
        const { h2, h3 } = await lab.hear({ from: 'h1', to: ['h2', 'h3'] });
        return [h2?.frames, h3?.frames];
      };
      await agent.apply(at(100));
      expect(await heard()).toEqual([3, 0]);
      await lab.hang(daemon);
      const hung = Date.now();
      const revision = await agent.publish(at(200));
      await agent.result(revision, (r) => r.attachments['a']?.reason === 'SwitchUnreachable');
      // Longer than every deadline of the agent and of its commands.
      await pause(7000);
      const spoken = agent.results().filter((r) => r.document.revision === revision);
      expect(spoken.map((r) => r.document.attachments['a']?.state)).not.toContain('applied');
      await lab.resume(daemon);
      const resumed = Date.now();
      const result = await agent.result(revision, (r) => r.state === 'applied', 'ironic', 60_000);
      expect(Date.parse(result.updatedAt)).toBeGreaterThanOrEqual(Math.max(hung, resumed) - 1000);
      expect(await heard()).toEqual([0, 3]);
      await converged();

      // The wish returns to what it was while a change that was sent may still be waiting in the daemon.
      await lab.hang(daemon);
      const away = await agent.publish(at(100));
      await agent.result(away, (r) => r.attachments['a']?.reason === 'SwitchUnreachable');
      await agent.publish(at(200));
      await pause(1000);
      await lab.resume(daemon);
      await converged();
      await pause(3000);
      expect(await heard()).toEqual([0, 3]);
    },
  );
});
