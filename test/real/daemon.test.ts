import { mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResponseDocument } from '../../agent/model/command.ts';
import type { AgentDocument } from '../../agent/model/report.ts';
import { LabAgent, on } from '../lab/agent.ts';
import type { Message, Watch } from '../lab/broker.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

describeWithParts('the contract on a real broker', LAB_PARTS, () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await startLab({ ports: 4 });
  });

  afterAll(async () => {
    await lab?.stop();
  });

  for (const protocol of ['5', '3.1.1'] as const) {
    it(`answers requests over MQTT ${protocol}`, async () => {
      const agent = await new LabAgent(lab, { mqtt: { protocol, clientId: `agent-${protocol}` } }).start();
      const answers = await lab.watch({ user: 'ironic', topics: [`${agent.base}/response/ironic/#`], protocol });
      try {
        const revision = await agent.publish({ a: on('swp1', { mode: 'access', nativeVLAN: 100 }) });
        await agent.result(revision);
        const ask = requester(lab, agent, answers, protocol);
        expect(await ask({ command: 'ping' })).toMatchObject({ ok: true, command: 'ping', message: 'pong' });
        expect(await ask({ command: 'refresh' })).toMatchObject({ ok: true });
        expect(await ask({ command: 'reconcile', switch: 'tor' })).toMatchObject({ ok: true });
        expect(await ask({ command: 'reconcile', switch: 'nowhere' })).toMatchObject({ ok: false });
        const document = {
          revision: 99,
          attachments: {
            a: on('swp1', { mode: 'access', nativeVLAN: 200 }),
            b: on('swp9', { mode: 'access', nativeVLAN: 1 }),
          },
        };
        const plan = await ask({ command: 'plan', publisher: 'ironic', document });
        expect(plan.plan?.changes).toMatchObject([
          {
            switch: 'tor',
            port: 'swp1',
            for: 'ironic/a',
            differences: [{ field: 'native VLAN', from: '100', to: '200' }],
          },
        ]);
        expect(plan.plan?.changes[0]?.commands.join(' ')).toContain('tag=200');
        expect(plan.plan?.refused).toMatchObject([{ attachment: 'ironic/b', reason: 'PortUnknown' }]);
        expect(await lab.vlansOf('swp1')).toBe('access 100 []');
        const bad = await ask({
          command: 'plan',
          publisher: 'ironic',
          document: { revision: 1, attachments: { a: { port: { switchId: 'tor', portId: 'x;y' }, network: 'x' } } },
        });
        expect(bad).toMatchObject({ ok: false, reason: 'Malformed', errors: [{ path: 'attachments.a.port.portId' }] });
        expect(await ask({ command: 'dance' })).toMatchObject({ ok: false, reason: 'Malformed' });
        expect((await agent.result(revision)).revision).toBe(revision);
      } finally {
        await answers.stop();
        await agent.stop();
      }
    });

    it(`says online and offline with a growing incarnation over MQTT ${protocol}`, async () => {
      const agent = await new LabAgent(lab, { mqtt: { protocol, clientId: `agent-${protocol}-2` } }).start();
      const state = (document: AgentDocument) => document.state;
      const seen = (fits: (d: AgentDocument) => boolean) =>
        agent.viewer
          .next(
            'the agent document',
            (m) =>
              m.topic === `${agent.base}/agent` && m.payload !== '' && fits(JSON.parse(m.payload) as AgentDocument),
          )
          .then((m) => JSON.parse(m.payload) as AgentDocument);
      const first = await seen((d) => state(d) === 'online' && d.switches['tor']?.reachability === 'reachable');
      await agent.kill();
      const will = await seen((d) => state(d) === 'offline' && d.incarnation === first.incarnation);
      expect(will).toMatchObject({ switches: {}, mode: null });
      await agent.start();
      const second = await seen((d) => state(d) === 'online' && d.incarnation > first.incarnation);
      expect(second.startedAt).not.toBeNull();
      await agent.process?.end('SIGTERM');
      await seen((d) => state(d) === 'offline' && d.incarnation >= second.incarnation);
      await agent.stop();
    });
  }

  it('logs in with a client certificate, and confines a publisher to its own topic', async () => {
    const { certificateUrl, certificates } = lab.broker;
    const agent = await new LabAgent(lab, {
      mqtt: {
        url: certificateUrl,
        username: undefined,
        passwordFile: undefined,
        clientId: 'agent-cert',
        certFile: certificates.agent.certFile,
        keyFile: certificates.agent.keyFile,
      },
    }).start();
    expect((await agent.apply({ a: on('swp2', { mode: 'access', nativeVLAN: 120 }) })).state).toBe('applied');
    const foreign = await lab.publish({
      user: 'tenant',
      topic: `${agent.base}/intent/ironic`,
      payload: { revision: 1000, attachments: {} },
      retain: true,
    });
    expect(foreign.accepted).toBe(false);
    expect(await lab.vlansOf('swp2')).toBe('access 120 []');
    await agent.stop();
  });

  it('takes a changed configuration in place, and keeps the old one when the new is not valid', async () => {
    const agent = await new LabAgent(lab).start();
    const { revision } = await agent.apply({ a: on('swp1', { mode: 'access', nativeVLAN: 100 }) });
    const sessions = async () =>
      (await lab.must('tor', ['sh', '-c', `pgrep -x -u ${lab.switchTarget.user} sshd | sort | tr '\\n' ' '`])).trim();
    const before = await sessions();
    agent.configure({ publishers: { ironic: { vlans: [200] } } });
    agent.process?.kill('SIGHUP');
    const refused = await agent.viewer.next(
      'the refusal by the new policy',
      (m) => m.topic.endsWith('/result/ironic') && m.payload.includes('"VlanNotAllowed"'),
    );
    expect(refused.payload).toContain('rejected');
    writeFileSync(agent.configFile, `${readFileSync(agent.configFile, 'utf8')}\nmanegedPorts: [swp1]\n`);
    const health = await agent.viewer.next(
      'the health item',
      (m) => m.topic.endsWith('/agent') && m.payload.includes('"code":"config"'),
      20_000,
    );
    expect(health.payload).toContain('manegedPorts');
    agent.configure({});
    await agent.viewer.next(
      'applied again',
      (m) =>
        m.topic.endsWith('/result/ironic') &&
        m.payload.includes(`"revision":${revision},"state":"applied"`) &&
        agent.viewer.all().indexOf(m) > agent.viewer.all().indexOf(refused),
      20_000,
    );
    expect(await sessions()).toBe(before);
    expect(await lab.vlansOf('swp1')).toBe('access 100 []');
    await agent.stop();
  });

  it('notices a secret that is swapped by symlink, as a container platform does it', async () => {
    const agent = new LabAgent(lab);
    const mount = join(agent.folder, 'secret');
    const put = (version: string, password: string) => {
      mkdirSync(join(mount, version), { recursive: true, mode: 0o700 });
      writeFileSync(join(mount, version, 'password'), password, { mode: 0o600 });
      symlinkSync(version, join(mount, '..data.new'));
      renameSync(join(mount, '..data.new'), join(mount, '..data'));
    };
    put('..1', 'wrong-password');
    symlinkSync('..data/password', join(mount, 'password'));
    agent.configure({ tor: { privateKeyFile: undefined, passwordFile: join(mount, 'password') } });
    await agent.start();
    await agent.viewer.next(
      'the refused login',
      (m) => m.topic.endsWith('/agent') && m.payload.includes('refused the login'),
      20_000,
    );
    put('..2', lab.switchTarget.password);
    await agent.viewer.next(
      'the switch being reachable',
      (m) => m.topic.endsWith('/agent') && m.payload.includes('"reachability":"reachable"'),
      30_000,
    );
    const log = agent.process?.stdout ?? '';
    expect(log).not.toContain(lab.switchTarget.password);
    expect(log).not.toContain('wrong-password');
    unlinkSync(join(mount, 'password'));
    await agent.stop();
  });
});

function requester(lab: Lab, agent: LabAgent, answers: Watch, protocol: '5' | '3.1.1') {
  let count = 0;
  return async (command: Record<string, unknown>): Promise<ResponseDocument> => {
    const id = `q${++count}`;
    const topic = `${agent.base}/response/ironic/${id}`;
    const payload =
      protocol === '5' ? { ...command, requestId: id } : { ...command, requestId: id, responseTopic: topic };
    const more = protocol === '5' ? { responseTopic: topic, correlationData: `c${count}` } : {};
    await lab.publish({ user: 'ironic', topic: `${agent.base}/command`, payload, protocol, ...more });
    const message: Message = await answers.next(`the answer to ${JSON.stringify(command)}`, (m) => m.topic === topic);
    if (protocol === '5') expect(JSON.stringify(message.properties)).toContain(`c${count}`);
    const response = JSON.parse(message.payload) as ResponseDocument;
    expect(response.requestId).toBe(id);
    return response;
  };
}
