import { afterAll, beforeAll, expect, it } from 'vitest';
import { LabAgent } from '../lab/agent.ts';
import { neverAsked, readSwitch, storedState, wantedSwitch } from '../lab/expectations.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { chooser, randomAttachments } from '../lab/random-intents.ts';
import { Truth } from '../lab/truth.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

const KILLS = 200;
const SEED = 20_260_101;

describeWithParts('an agent that is killed', LAB_PARTS, () => {
  let lab: Lab;
  let agent: LabAgent;
  let truth: Truth;

  beforeAll(async () => {
    lab = await startLab({ ports: 4 });
    await lab.reset();
    agent = await new LabAgent(lab).start();
    truth = await Truth.start(lab, agent);
  });

  afterAll(async () => {
    await truth?.stop();
    await agent?.stop();
    await lab?.stop();
  });

  it(`${KILLS} times, loses no document, lies never and ends with exactly what is wanted`, {
    timeout: 600_000,
  }, async () => {
    const choose = chooser(SEED);
    const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
    const newest = () => agent.published.at(-1);
    /** What the agent has said of the newest document. */
    const said = () => agent.results().findLast((r) => r.document.revision === newest()?.revision)?.document;
    await agent.apply(randomAttachments(choose, lab.switchPorts));
    const begun = Date.now();

    // How long a start with one change to make takes here; the moments of the kills go by it.
    await agent.kill();
    const revision = await agent.publish(randomAttachments(choose, lab.switchPorts));
    const launched = Date.now();
    agent.launch();
    await agent.result(revision, (r) => r.state === 'applied');
    const whole = Date.now() - launched;

    const hit = { starting: 0, changing: 0, done: 0 };
    for (let kill = 1; kill <= KILLS; kill++) {
      if (kill % 10 === 0) {
        const last = newest();
        await agent.result(last?.revision ?? 0, (r) => r.state === 'applied', 'ironic', 60_000);
        expect(await readSwitch(lab), `after ${kill} kills`).toEqual(wantedSwitch(lab, last?.attachments ?? {}));
      }
      // By turns: a document for an agent that works, or one that is there (or comes) while the agent starts.
      const working = kill % 10 === 0;
      const from = Date.now();
      const published = choose(4) === 0 ? null : agent.publish(randomAttachments(choose, lab.switchPorts));
      if (working) await published;
      const moment = working ? choose(whole / 4) : choose(whole * 1.2);
      await pause(Math.max(0, (working ? Date.now() : from) + moment - Date.now()));
      const reached = agent.process?.stdout ?? '';
      await agent.kill();
      if (!reached.includes('"msg":"started"')) hit.starting++;
      else if (said()?.state === 'applied') hit.done++;
      else hit.changing++;
      const told = agent.results().at(-1)?.document.revision ?? 0;
      expect(storedState(agent).publishers['ironic']?.accepted?.revision ?? -1).toBeGreaterThanOrEqual(told ?? 0);
      agent.launch();
      await published;
    }

    const last = newest();
    await agent.result(last?.revision ?? 0, (r) => r.state === 'applied', 'ironic', 60_000);
    expect(await readSwitch(lab)).toEqual(wantedSwitch(lab, last?.attachments ?? {}));
    const { lies, claims } = await truth.verdict();
    expect(lies).toEqual([]);
    expect(await neverAsked(truth, agent, begun)).toEqual([]);
    // The moments are only as good as what they hit.
    expect(claims).toBeGreaterThan(100);
    expect(hit.starting).toBeGreaterThan(20);
    expect(hit.changing).toBeGreaterThan(20);
  });
});
