import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AgentDocument } from '../../agent/model/report.ts';
import { LabAgent, on } from '../lab/agent.ts';
import { readSwitch, storedState, switchBecomes, wantedSwitch } from '../lab/expectations.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { chooser, randomAttachments } from '../lab/random-intents.ts';
import { Truth } from '../lab/truth.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

describeWithParts('a broker that fails', LAB_PARTS, () => {
  let lab: Lab;
  let agent: LabAgent;
  let truth: Truth;
  const choose = chooser(11);

  beforeAll(async () => {
    lab = await startLab({ ports: 3 });
    await lab.reset();
    agent = await new LabAgent(lab).start();
    truth = await Truth.start(lab, agent);
  });

  afterAll(async () => {
    await truth?.stop();
    await agent?.stop();
    await lab?.stop();
  });

  beforeEach(async () => {
    expect((await truth.verdict()).lies).toEqual([]);
  });

  /** Documents on the agent's own topic that came after a moment. */
  const births = (since: number) =>
    agent.viewer
      .all()
      .filter((m) => m.at >= since && m.topic === `${agent.base}/agent` && m.payload !== '')
      .map((m) => JSON.parse(m.payload) as AgentDocument);
  const online = (since: number) =>
    agent.viewer.next(
      'a birth after the fault',
      (m) => m.at >= since && m.topic === `${agent.base}/agent` && m.payload.includes('"state":"online"'),
      60_000,
    );
  /** Connections that lasted only moments are made again ever more slowly; a new start forgets that. */
  const freshLink = async () => {
    await agent.kill();
    const since = Date.now();
    await agent.start();
    await online(since);
  };
  const converged = async () => {
    const last = agent.published.at(-1);
    const result = await agent.result(last?.revision ?? 0, (r) => r.state === 'applied', 'ironic', 60_000);
    expect(await readSwitch(lab)).toEqual(wantedSwitch(lab, last?.attachments ?? {}));
    return result;
  };

  it('is killed around documents: what was said to be accepted stays in force, and the newest comes into force', async () => {
    for (let i = 0; i < 4; i++) {
      // mosquitto acknowledges before it has written to its disk: what it loses, nobody can ask of the agent.
      const published = agent.publish(randomAttachments(choose, lab.switchPorts)).catch(() => null);
      await new Promise((done) => setTimeout(done, choose(200)));
      await lab.stopBroker({ kill: true });
      await published;
      const told = agent.results().at(-1)?.document.revision ?? 0;
      expect(storedState(agent).publishers['ironic']?.accepted?.revision ?? -1).toBeGreaterThanOrEqual(told ?? 0);
      await lab.startBroker();
    }
    await agent.publish(randomAttachments(choose, lab.switchPorts));
    await converged();
  });

  it('hands on what was published while the agent was away, and gets the result', async () => {
    await agent.kill();
    for (let i = 0; i < 3; i++) await agent.publish(randomAttachments(choose, lab.switchPorts));
    await agent.viewer.next('the will', (m) => m.topic === `${agent.base}/agent` && m.payload.includes('"offline"'));
    const since = Date.now();
    await agent.start();
    await online(since);
    await converged();
    const incarnations = births(0).map((b) => b.incarnation);
    expect(incarnations).toEqual([...incarnations].sort((a, b) => a - b));
  });

  it('is away: the agent keeps the switch as it must be, and tells people on the spot', async () => {
    await freshLink();
    const last = agent.published.at(-1);
    await lab.stopBroker();
    await truth.excuse(
      'swp1',
      () => lab.ovs(['set', 'port', 'swp1', 'vlan_mode=access', 'tag=7', 'trunks=[]']),
      () => switchBecomes(lab, last?.attachments ?? {}),
    );
    const status = JSON.parse((await agent.cli('status', '--json')).stdout) as {
      broker: { connected: boolean; message: string };
      switches: { outOfSync: number }[];
    };
    expect(status.broker.connected).toBe(false);
    expect(status.broker.message).not.toBe('');
    expect(status.switches[0]?.outOfSync).toBe(0);
    const since = Date.now();
    await lab.startBroker();
    await online(since);
  });

  it('loses everything: that is no opinion, nothing is withdrawn, and everything is reported anew', async () => {
    await freshLink();
    // Every port in use, so that a withdrawal would show.
    const attachments = Object.fromEntries(
      lab.switchPorts.map((port, i) => [port, on(port, { mode: 'access', nativeVLAN: 300 + i })]),
    );
    const { revision } = await agent.apply(attachments);
    const started = truth.changes.length;
    const since = Date.now();
    await lab.restartBroker({ kill: true, wipe: true });
    await online(since);
    // Somebody who comes only now finds what the agent says, and no intent.
    const newcomer = await lab.watch({ user: 'viewer', topics: [`${agent.base}/#`] });
    const found = await newcomer.next('the result', (m) => m.topic === `${agent.base}/result/ironic`);
    expect(JSON.parse(found.payload)).toMatchObject({
      revision,
      state: 'applied',
      counts: { applied: 3, withdrawing: 0 },
    });
    for (const topic of ['agent', 'switch/tor/ports', 'switch/tor/neighbors'])
      await newcomer.next(topic, (m) => m.topic === `${agent.base}/${topic}` && m.payload !== '');
    expect(newcomer.all().filter((m) => m.topic.includes('/intent/'))).toEqual([]);
    await newcomer.stop();
    expect(await readSwitch(lab)).toEqual(wantedSwitch(lab, attachments));

    // An empty retained message, which removes one, is no opinion either; nor does a new start make one of the silence.
    await lab.publish({ user: 'ironic', topic: `${agent.base}/intent/ironic`, retain: true });
    await agent.kill();
    const again = Date.now();
    await agent.start();
    await online(again);
    await agent.viewer.next(
      'the result',
      (m) => m.at >= again && m.topic === `${agent.base}/result/ironic` && m.payload.includes('"state":"applied"'),
    );
    expect(await readSwitch(lab)).toEqual(wantedSwitch(lab, attachments));
    expect(truth.changes.slice(started), 'changes of the switch').toEqual([]);

    // The publisher that lost its count reads it from the result; an older one changes nothing.
    const old = { revision: (revision ?? 0) - 1, attachments: {} };
    await lab.publish({ user: 'ironic', topic: `${agent.base}/intent/ironic`, payload: old, retain: true });
    const refused = await agent.result(revision ?? 0, (r) => r.reason === 'StaleRevision');
    expect(refused).toMatchObject({ state: 'rejected', rejectedRevision: old.revision, counts: { applied: 3 } });
    await agent.apply({});
    expect(await readSwitch(lab)).toEqual(wantedSwitch(lab, {}));
  });
});
