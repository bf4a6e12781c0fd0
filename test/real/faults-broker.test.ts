import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AgentDocument } from '../../agent/model/report.ts';
import { LabAgent, on } from '../lab/agent.ts';
import { readSwitch, wantedSwitch } from '../lab/expectations.ts';
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
  const converged = async () => {
    const last = agent.published.at(-1);
    const result = await agent.result(last?.revision ?? 0, (r) => r.state === 'applied', 'ironic', 60_000);
    expect(await readSwitch(lab)).toEqual(wantedSwitch(lab, last?.attachments ?? {}));
    return result;
  };

  it('is killed ten times around documents: every one that it acknowledged comes into force', async () => {
    for (let i = 0; i < 10; i++) {
      const published = agent.publish(randomAttachments(choose, lab.switchPorts)).catch((error: unknown) => error);
      await new Promise((done) => setTimeout(done, choose(150)));
      await lab.stopBroker({ kill: true });
      const accepted = typeof (await published) === 'number';
      await lab.startBroker();
      // What mosquitto had not written to its disk is gone with it: only a document that was handed on can be asked for.
      if (!accepted) await agent.publish(randomAttachments(choose, lab.switchPorts));
      else if (!agent.results().some((r) => r.document.revision === agent.published.at(-1)?.revision))
        await agent.publish(randomAttachments(choose, lab.switchPorts));
    }
    await converged();
  });
});
