import { afterAll, beforeAll, expect, it } from 'vitest';
import { LabAgent, on } from '../lab/agent.ts';
import { hostsReachAsIntended, trunksCarryWhatTheyAllow } from '../lab/frame-scenarios.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { snmpLabConfig, writeSnmpSecrets } from '../lab/snmp-agent-config.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

const TRAP_PORT = 9162;

/** The agent speaks SNMP alone with the switch; what is checked, is checked by frames and by the switch's own database. */
describeWithParts('from an intent to frames over SNMP', [...LAB_PARTS, 'snmpd', 'snmp'], () => {
  let lab: Lab;
  let agent: LabAgent;

  beforeAll(async () => {
    lab = await startLab({ ports: 4 });
    const login = await lab.startSnmp(TRAP_PORT);
    agent = new LabAgent(lab, snmpLabConfig(login, TRAP_PORT));
    writeSnmpSecrets(agent.folder, login);
    await agent.start();
  });
  afterAll(async () => {
    await agent?.stop();
    await lab?.stop();
  });

  it('makes two hosts reach each other exactly when the intents say so', () => hostsReachAsIntended(lab, agent));

  it('lets a tagged host see exactly its allowed VLANs', () => trunksCarryWhatTheyAllow(lab, agent));

  it('shuts a port and names it, and leaves every port in the idle network when all is withdrawn', async () => {
    const result = await agent.apply({
      a: on('swp1', { mode: 'access', nativeVLAN: 100 }, { adminState: 'down', description: 'worker-1 eno1' }),
    });
    expect(result.attachments['a']).toMatchObject({ state: 'applied' });
    expect(await lab.must('tor', ['ip', '-o', 'link', 'show', 'swp1'])).toMatch(/state DOWN/);
    expect((await agent.apply({})).state).toBe('applied');
    for (const port of lab.switchPorts) expect(await lab.vlansOf(port)).toBe('access 4000 []');
    expect(await lab.must('tor', ['ip', '-o', 'link', 'show', 'swp1'])).toMatch(/state UP/);
  });

  it('refuses an MTU before it touches the port', async () => {
    const result = await agent.apply({ a: on('swp1', { mode: 'access', nativeVLAN: 100, mtu: 9000 }) });
    expect(result.attachments['a']).toMatchObject({ state: 'rejected', reason: 'Unsupported' });
    expect(await lab.vlansOf('swp1')).toBe('access 4000 []');
  });

  it('hears of a pulled cable by its notification, long before the switch is read again', async () => {
    const event = (kind: string) =>
      agent.viewer.next(
        kind,
        (m) =>
          m.topic.endsWith('/event') && m.payload.includes(`"kind":"${kind}"`) && m.payload.includes('"port":"swp4"'),
        10_000,
      );
    await agent.cli('refresh');
    await lab.cut('swp4');
    await event('link-down');
    await lab.plug('swp4');
    await event('link-up');
  });

  it('says which table the VLANs are from', async () => {
    const ports = await agent.viewer.next(
      'the port table',
      (m) => m.topic.endsWith('/switch/tor/ports') && !m.payload.includes('"readAt":null'),
    );
    expect(JSON.parse(ports.payload)).toMatchObject({ readFrom: 'dot1qVlanStaticTable, configured' });
  });

  it('shows the neighbours', async () => {
    for (let i = 0; i < 60; i++) {
      await agent.cli('refresh');
      const { stdout } = await agent.cli('neighbors', '--json');
      if (lab.hosts.every((host) => stdout.includes(`"${host}"`))) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { stdout } = await agent.cli('neighbors');
    for (const host of lab.hosts) expect(stdout).toContain(host);
  });

  it('says so when the agent of the switch is away, and converges when it is back', async () => {
    await lab.must('tor', ['sh', '-c', 'kill -STOP $(cat /run/snmpd.pid)']);
    const revision = await agent.publish({ a: on('swp1', { mode: 'access', nativeVLAN: 500 }) });
    const pending = await agent.result(
      revision,
      (r) => r.attachments['a']?.reason === 'SwitchUnreachable',
      'ironic',
      40_000,
    );
    expect(pending.attachments['a']?.state).toBe('pending');
    await lab.must('tor', ['sh', '-c', 'kill -CONT $(cat /run/snmpd.pid)']);
    await agent.cli('reconcile');
    expect((await agent.result(revision, (r) => r.state === 'applied')).state).toBe('applied');
    expect(await lab.vlansOf('swp1')).toBe('access 500 []');
  });
});

/** Open vSwitch by SSH, watched over SNMP: the ports have the same names, and other numbers. */
describeWithParts('a switch that is written over SSH and watched over SNMP', [...LAB_PARTS, 'snmpd', 'snmp'], () => {
  let lab: Lab;
  let agent: LabAgent;

  beforeAll(async () => {
    lab = await startLab({ ports: 2 });
    const login = await lab.startSnmp();
    agent = new LabAgent(lab, { tor: { read: 'snmp', write: 'ssh', snmp: { user: login.user }, pollInterval: 1 } });
    writeSnmpSecrets(agent.folder, login);
    await agent.start();
  });
  afterAll(async () => {
    await agent?.stop();
    await lab?.stop();
  });

  it('is configured, and put right when somebody changes it', async () => {
    const result = await agent.apply({ a: on('swp1', { mode: 'trunk', nativeVLAN: 100, allowedVLANs: [200] }) });
    expect(result.state).toBe('applied');
    expect(await lab.vlansOf('swp1')).toBe('native-untagged 100 [100, 200]');
    await lab.ovs(['set', 'port', 'swp1', 'vlan_mode=access', 'tag=666', 'trunks=[]']);
    await agent.viewer.next('drift', (m) => m.topic.endsWith('/event') && m.payload.includes('"kind":"drift"'), 20_000);
    await agent.result(result.revision ?? 0, (r) => r.state === 'applied');
    for (let i = 0; i < 100 && (await lab.vlansOf('swp1')) !== 'native-untagged 100 [100, 200]'; i++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await lab.vlansOf('swp1')).toBe('native-untagged 100 [100, 200]');
  });

  it('shows the links that it sees', async () => {
    await lab.cut('swp2');
    await agent.viewer.next(
      'link-down',
      (m) =>
        m.topic.endsWith('/event') && m.payload.includes('"kind":"link-down"') && m.payload.includes('"port":"swp2"'),
      15_000,
    );
  });
});
