import { afterAll, beforeAll, expect, it } from 'vitest';
import { LabAgent, on } from '../lab/agent.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { Truth } from '../lab/truth.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

describeWithParts('the truth monitor', LAB_PARTS, () => {
  let lab: Lab;
  let agent: LabAgent;
  let truth: Truth;

  beforeAll(async () => {
    lab = await startLab({ ports: 2 });
    // So seldom that a change past the agent stands for a while.
    agent = await new LabAgent(lab, { tor: { pollInterval: 3600 } }).start();
    truth = await Truth.start(lab, agent);
  });

  afterAll(async () => {
    await truth?.stop();
    await agent?.stop();
    await lab?.stop();
  });

  it('finds nothing while the agent is right', async () => {
    const wanted = { mode: 'trunk', nativeVLAN: 100, allowedVLANs: [200, '300-302'], mtu: 9000 };
    for (const nativeVLAN of [100, 200, 101]) {
      await agent.apply({
        a: on('swp1', { mode: 'access', nativeVLAN }, { description: `tenant ${nativeVLAN}` }),
        b: on('swp2', wanted, { adminState: nativeVLAN === 200 ? 'down' : 'up' }),
      });
      // What was said stands until the switch has been seen once more: a claim without a length is none.
      await truth.verdict();
    }
    await agent.apply({ a: { port: { switchId: 'tor', portId: 'swp1' }, network: 'inspection' } });
    const { lies, claims } = await truth.verdict();
    expect(lies).toEqual([]);
    expect(claims).toBeGreaterThanOrEqual(6);
    expect([...((await truth.everCarried(0)).get('swp1') ?? [])]).toEqual(
      expect.arrayContaining(['100u', '101u', '200u', '900u']),
    );
  });

  const changes: [string, string[]][] = [
    ['a VLAN', ['ovs-vsctl', 'set', 'port', 'swp1', 'tag=300']],
    ['a mode', ['ovs-vsctl', 'set', 'port', 'swp1', 'vlan_mode=trunk', 'tag=[]']],
    ['the admin state', ['ip', 'link', 'set', 'swp1', 'down']],
    ['the MTU', ['ovs-vsctl', 'set', 'interface', 'swp1', 'mtu_request=2000']],
    ['the description', ['ovs-vsctl', 'set', 'port', 'swp1', 'external_ids:description=x']],
  ];
  it.each(changes)('finds it when %s is not as the agent says', async (_, command) => {
    const wanted = { a: on('swp1', { mode: 'access', nativeVLAN: 100, mtu: 1600 }, { description: 'mine' }) };
    await agent.apply(wanted);
    const before = (await truth.verdict()).lies.length;
    const tamper = async () => {
      await lab.must('tor', command);
      await lab.must('tor', ['sleep', '0.3']);
    };
    await truth.excuse('swp1', tamper, () => agent.cli('reconcile'));
    const excused = await truth.verdict();
    expect(excused.lies.length).toBe(before);
    await tamper();
    const { lies } = await truth.verdict();
    await agent.cli('reconcile');
    const found = lies.slice(before);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toMatchObject({ attachment: 'ironic/a', port: 'swp1' });
    const last = found.at(-1);
    expect((last?.to ?? 0) - (last?.from ?? 0)).toBeGreaterThan(200);
  });
});
