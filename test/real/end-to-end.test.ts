import { afterAll, beforeAll, expect, it } from 'vitest';
import { LabAgent, on } from '../lab/agent.ts';
import { hostsReachAsIntended, trunksCarryWhatTheyAllow } from '../lab/frame-scenarios.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

describeWithParts('from an intent to frames, on a real switch', LAB_PARTS, () => {
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

  it('makes two hosts reach each other exactly when the intents say so', () => hostsReachAsIntended(lab, agent));

  it('lets a tagged host see exactly its allowed VLANs', () => trunksCarryWhatTheyAllow(lab, agent));

  it('sets MTU, description and admin state, and puts them back on withdrawal', async () => {
    await agent.apply({
      a: on(
        'swp1',
        { mode: 'access', nativeVLAN: 100, mtu: 9000 },
        { description: 'worker-1 eno1', adminState: 'down' },
      ),
    });
    expect(await lab.must('tor', ['ip', '-o', 'link', 'show', 'swp1'])).toMatch(/mtu 9000 .*state DOWN/);
    expect(await lab.ovs(['get', 'port', 'swp1', 'external_ids'])).toContain('worker-1 eno1');
    const gone = await agent.apply({});
    expect(gone).toMatchObject({ state: 'applied', attachments: {} });
    expect(await lab.must('tor', ['ip', '-o', 'link', 'show', 'swp1'])).toMatch(/mtu 1500 .*state UP/);
    expect(await lab.vlansOf('swp1')).toBe('access 4000 []');
  });

  it('returns every withdrawn port to idle, where no host hears another', async () => {
    await agent.apply({});
    for (const port of lab.switchPorts) expect(await lab.vlansOf(port)).toBe('access 4000 []');
  });

  it('repairs what somebody changed by hand', async () => {
    await agent.apply({ a: on('swp1', { mode: 'access', nativeVLAN: 100 }) });
    await lab.ovs(['set', 'port', 'swp1', 'vlan_mode=trunk', 'tag=[]', 'trunks=[]']);
    await agent.viewer.next(
      'the drift event',
      (m) => m.topic.endsWith('/event') && m.payload.includes('"kind":"drift"'),
    );
    const deadline = Date.now() + 10_000;
    while ((await lab.vlansOf('swp1')) !== 'access 100 []' && Date.now() < deadline)
      await lab.must('tor', ['sleep', '0.1']);
    expect(await lab.vlansOf('swp1')).toBe('access 100 []');
  });

  it('reports neighbours, and a pulled cable', async () => {
    const neighbors = await agent.viewer.next(
      'the neighbours of all hosts',
      (m) =>
        m.topic.endsWith('/switch/tor/neighbors') &&
        (JSON.parse(m.payload) as { neighbors: unknown[] }).neighbors.length === 4,
      40_000,
    );
    const rows = (
      JSON.parse(neighbors.payload) as { neighbors: { port: string; systemName: string; portId: { value: string } }[] }
    ).neighbors;
    expect(rows.map((n) => `${n.port} ${n.systemName} ${n.portId.value}`).sort()).toEqual(
      lab.hosts.map((h, i) => `swp${i + 1} ${h} ${lab.macOf(h)}`),
    );
    await lab.cut('swp4');
    await agent.viewer.next(
      'link-down',
      (m) =>
        m.topic.endsWith('/event') && m.payload.includes('"kind":"link-down"') && m.payload.includes('"port":"swp4"'),
    );
    await lab.plug('swp4');
    await agent.viewer.next(
      'link-up',
      (m) =>
        m.topic.endsWith('/event') && m.payload.includes('"kind":"link-up"') && m.payload.includes('"port":"swp4"'),
    );
  });

  it('answers people on the spot', async () => {
    await agent.apply({ a: on('swp1', { mode: 'access', nativeVLAN: 100 }) });
    const status = await agent.cli('status');
    expect(status).toMatchObject({ code: 0, stderr: '' });
    const port = await agent.cli('port', 'swp1');
    expect(port.stdout).toContain('ironic');
    expect(port.stdout).toContain('100');
    const json = JSON.parse((await agent.cli('ports', '--json')).stdout) as unknown;
    expect(JSON.stringify(json)).toContain('"swp1"');
    for (const line of `${status.stdout}${port.stdout}`.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});
