import { pbkdf2Sync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutbox } from '../../agent/mqtt/outbox.ts';
import { MAX_PACKET_BYTES } from '../../agent/mqtt/packet-limit.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import { BASE, harness, peer, stopAll, until } from '../agent/mqtt/support.ts';
import { Mosquitto, Wire } from '../support/mosquitto.ts';
import { describeWithParts } from '../support/parts.ts';

const dynamicSecurity = findPlugin();
let broker: Mosquitto;
const wires: Wire[] = [];
const url = () => `mqtt://127.0.0.1:${broker.port}`;

async function wire(): Promise<Wire> {
  const made = await Wire.to(broker.port);
  wires.push(made);
  return made;
}

/** Publishes until the agent has seen one: its subscription is then there for sure. */
async function subscribed(agent: ReturnType<typeof harness>): Promise<void> {
  const controller = await peer(url());
  await until('a subscription', () => {
    controller.publish(`${BASE}/command`, 'probe', { qos: 1 });
    return agent.received.length > 0;
  });
  controller.end();
  await new Promise((resolve) => setTimeout(resolve, 50));
  agent.received.length = 0;
}

beforeEach(() => {
  broker = new Mosquitto();
});
afterEach(async () => {
  await stopAll();
  for (const made of wires.splice(0)) made.close();
  await broker.remove();
});

describeWithParts('MQTT on a real mosquitto', ['mosquitto'], () => {
  describe.each(['5', '3.1.1'] as const)('MQTT %s', (protocol) => {
    const config = { protocol };

    it('keeps the session while the agent is away; what was published meanwhile arrives', async () => {
      await broker.start();
      const first = harness({ url: url(), config });
      await subscribed(first);
      await first.link.stop();
      const controller = await peer(url(), { protocol });
      await controller.publishAsync(`${BASE}/command`, 'during the outage', { qos: 1 });
      await controller.publishAsync(`${BASE}/intent/a`, 'retained', { qos: 1, retain: true });
      const second = harness({ url: url(), config });
      await until('both', () => new Set(second.received.map((r) => r.text)).size === 2);
      expect(second.happened).toEqual(['connected 1 present']);
      expect(second.received[0]).toMatchObject({ text: 'during the outage', retain: false });
    });

    it('sends no PUBACK before the message is handled: an agent that dies in between gets it again', async () => {
      await broker.start();
      let started = false;
      const first = harness({
        url: url(),
        config,
        receive: (message) => {
          if (message.payload.toString() !== 'precious') return Promise.resolve();
          started = true;
          return new Promise(() => {});
        },
      });
      await subscribed(first);
      const controller = await peer(url(), { protocol });
      await controller.publishAsync(`${BASE}/intent/a`, 'precious', { qos: 1 });
      await until('being handled', () => started);
      const acknowledged = () => broker.log.split('Received PUBACK from portkeeper-rack-1').length;
      const before = acknowledged();
      const stopping = performance.now();
      await first.link.stop({ topic: `${BASE}/agent`, payload: '' });
      expect(performance.now() - stopping).toBeLessThan(6_000);
      expect(acknowledged()).toBe(before);
      const second = harness({ url: url(), config });
      await until('again', () => second.received.length === 1);
      expect(second.received[0]).toMatchObject({ text: 'precious', duplicate: true });
    });

    it('does not acknowledge what could not be stored, and gets it again by itself', async () => {
      await broker.start();
      let failures = 3;
      const agent = harness({
        url: url(),
        config,
        receive: async (message) => {
          if (message.payload.toString() === 'precious' && failures-- > 0) throw new Error('no space left');
        },
      });
      await subscribed(agent);
      const controller = await peer(url(), { protocol });
      for (const text of ['before', 'precious', 'after']) {
        await controller.publishAsync(`${BASE}/intent/a`, text, { qos: 1 });
      }
      await until(
        'all',
        () => agent.received.some((r) => r.text === 'after') && agent.received.some((r) => r.text === 'precious'),
      );
      const order = agent.received.map((r) => r.text);
      expect(order.indexOf('precious')).toBeLessThan(order.indexOf('after'));
      expect(agent.happened.filter((h) => h.includes('no space left'))).toHaveLength(3);
    });

    it('gives birth and will the incarnation of their connection', async () => {
      await broker.start();
      const line = await wire();
      const viewer = await peer(url());
      await viewer.subscribeAsync(`${BASE}/agent`, { qos: 1 });
      const willDelay = protocol === '5' ? 1 : 0;
      const agent = harness({ url: line.url, config: { protocol, willDelay }, incarnation: 40 });
      await until('connected', () => agent.link.connected);
      expect(
        await agent.link.publish(`${BASE}/agent`, '{"state":"online","incarnation":41}', { qos: 1, retain: true }),
      ).toBe(true);
      const cutAt = performance.now();
      line.cut(true);
      await until('the will', () => viewer.messages.some((m) => m.text === '{"state":"offline","incarnation":41}'));
      if (protocol === '5') expect(performance.now() - cutAt).toBeGreaterThan(900);
      line.mend();
      await until('connected again', () => agent.link.connected);
      const [, , now] = /connected (\d+) (present|new)/.exec(agent.happened.at(-1) ?? '') ?? [];
      expect(now).toBe('present');
      expect(agent.incarnations.at(-1)).toBeGreaterThan(41);
      await agent.link.stop({ topic: `${BASE}/agent`, payload: 'goodbye' });
      await until('the farewell', () => viewer.messages.at(-1)?.text === 'goodbye');
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(viewer.messages.at(-1)?.text).toBe('goodbye');
    });

    it('comes back after the broker was killed; documents and events that were not confirmed follow', async () => {
      await broker.start();
      const agent = harness({ url: url(), config });
      const outbox = createOutbox({
        publish: agent.link.publish,
        birthTopic: `${BASE}/agent`,
        clock: systemClock,
        log: () => {},
      });
      await subscribed(agent);
      await broker.stop('SIGKILL');
      await until('noticed', () => !agent.link.connected);
      broker.wipe();
      outbox.setRetained(`${BASE}/result/a`, { revision: 1 });
      outbox.setRetained(`${BASE}/agent`, { state: 'online' });
      outbox.event(`${BASE}/event`, { sequence: 1 });
      await broker.start();
      const viewer = await peer(url());
      await viewer.subscribeAsync(`${BASE}/#`, { qos: 1 });
      await until('connected again', () => agent.link.connected);
      outbox.onConnected();
      await until('everything', () => viewer.messages.length >= 3);
      expect(viewer.messages.map((m) => m.topic.slice(BASE.length))).toEqual(['/agent', '/result/a', '/event']);
      expect(agent.happened.at(-1)).toMatch(/^connected \d+ new$/);
      await until('nothing waits', () => outbox.stats.unconfirmed === 0 && outbox.stats.events === 0);
      await viewer.publishAsync(`${BASE}/intent/a`, 'subscribed again', { qos: 1 });
      await until('the new intent', () => agent.received.some((r) => r.text === 'subscribed again'));
    });

    it('goes on trying with a bad password until it is corrected', async () => {
      const passwords = broker.passwords('passwd', { agent: 'right-one' });
      await broker.start(['allow_anonymous false', `password_file ${passwords}`]);
      const agent = harness({
        url: url(),
        config: { protocol, username: 'agent' },
        credentials: { password: 'wr0ng-one' },
      });
      await until('refused', () =>
        /(refuses the login|does not authorise the connection) as user "agent"/.test(agent.link.status.message),
      );
      await until('several attempts', () => agent.incarnations.length >= 4);
      broker.passwords('passwd', { agent: 'wr0ng-one' });
      broker.reload();
      await until('connected', () => agent.link.connected);
      expect(agent.lines.join('\n')).not.toContain('wr0ng-one');
    });

    it('publishes hundreds of messages at once without breaking the limits of the broker', async () => {
      await broker.start(['allow_anonymous true', 'max_inflight_messages 3']);
      const agent = harness({ url: url(), config });
      await until('connected', () => agent.link.connected);
      const all = Array.from({ length: 400 }, (_, n) =>
        agent.link.publish(`${BASE}/event`, `${n}`, { qos: 1, retain: false }),
      );
      expect((await Promise.all(all)).every(Boolean)).toBe(true);
      expect(agent.happened).toEqual(['connected 1 new']);
    });

    it('receives a burst of intents in order, handled one at a time', async () => {
      await broker.start();
      let running = 0;
      let most = 0;
      const agent = harness({
        url: url(),
        config,
        receive: async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 2));
          running--;
        },
      });
      await subscribed(agent);
      const controller = await peer(url(), { protocol });
      for (let n = 0; n < 300; n++) controller.publish(`${BASE}/intent/a`, `${n}`, { qos: 1, retain: true });
      await until('all', () => agent.received.length >= 300);
      expect(agent.received.map((r) => r.text)).toEqual(Array.from({ length: 300 }, (_, n) => `${n}`));
      expect(most).toBe(1);
    });

    it('is not hurt by payloads of any size', async () => {
      await broker.start();
      const agent = harness({ url: url(), config });
      await subscribed(agent);
      const controller = await peer(url(), { protocol });
      await controller.publishAsync(`${BASE}/intent/a`, Buffer.alloc(MAX_PACKET_BYTES + 100_000, 0x20), {
        qos: 1,
        retain: true,
      });
      await controller.publishAsync(`${BASE}/intent/b`, Buffer.alloc(2_000_000, 0x20), { qos: 1, retain: true });
      await controller.publishAsync(`${BASE}/intent/c`, 'small', { qos: 1 });
      await until('the small one', () => agent.received.some((r) => r.text === 'small'));
      expect(agent.received.find((r) => r.topic.endsWith('/b'))?.text).toHaveLength(2_000_000);
      expect(agent.happened).toHaveLength(1);
      await agent.link.stop();
      const again = harness({ url: url(), config });
      await until('the retained one', () => again.received.some((r) => r.topic.endsWith('/b') && r.retain));
      expect(again.happened).toEqual(['connected 1 present']);
    });

    it('backs off when another client takes its place, and says so', async () => {
      await broker.start();
      const agent = harness({ url: url(), config });
      await until('connected', () => agent.link.connected);
      await peer(url(), { protocol, clientId: 'portkeeper-rack-1' });
      await until('thrown out', () => !agent.link.connected || agent.happened.length > 1);
      // Mosquitto 2.0.11 closes without the DISCONNECT that MQTT 5 asks for.
      const reason = agent.happened.find((h) => h.startsWith('disconnected')) ?? '';
      expect(reason).toMatch(/another client (took over|may be using) the client ID "portkeeper-rack-1"/);
    });
  });

  it('says what the broker does not let it publish (MQTT 5)', async () => {
    const acl = broker.write('acl', `topic read ${BASE}/#\ntopic write ${BASE}/event\n`);
    await broker.start(['allow_anonymous true', `acl_file ${acl}`]);
    const agent = harness({ url: url() });
    await until('connected', () => agent.link.connected);
    expect(await agent.link.publish(`${BASE}/agent`, 'x', { qos: 1, retain: true })).toBe(false);
    expect(agent.link.status.message).toContain(
      `refuses messages on ${BASE}/agent; allow them for client "portkeeper-rack-1"`,
    );
    expect(await agent.link.publish(`${BASE}/event`, 'x', { qos: 1, retain: false })).toBe(true);
    broker.write('acl', 'topic readwrite #\n');
    broker.reload();
    await until('allowed', () => broker.log.includes('Reloading config'));
    expect(await agent.link.publish(`${BASE}/agent`, 'x', { qos: 1, retain: true })).toBe(true);
    expect(agent.link.status.message).not.toContain('refuses');
  });

  it('hands on response topic and correlation data, and gives them back (MQTT 5)', async () => {
    await broker.start();
    const agent = harness({ url: url() });
    await subscribed(agent);
    const controller = await peer(url());
    await controller.publishAsync(`${BASE}/command`, '{}', {
      qos: 1,
      properties: { responseTopic: 'answers/1', correlationData: Buffer.from([0, 255]) },
    });
    await until('the request', () => agent.received.length === 1);
    expect(agent.received[0]?.message).toMatchObject({
      responseTopic: 'answers/1',
      correlationData: Buffer.from([0, 255]),
    });
    let correlation: Buffer | undefined;
    controller.on('message', (_topic, _payload, packet) => {
      correlation = packet.properties?.correlationData;
    });
    await controller.subscribeAsync('answers/#', { qos: 1 });
    await agent.link.publish('answers/1', 'done', {
      qos: 1,
      retain: false,
      correlationData: Buffer.from([0, 255]),
      messageExpirySeconds: 60,
    });
    await until('the answer', () => correlation !== undefined);
    expect(correlation).toEqual(Buffer.from([0, 255]));
  });

  it('is not reported offline when it is back within the will delay (MQTT 5)', async () => {
    await broker.start();
    const line = await wire();
    const viewer = await peer(url());
    await viewer.subscribeAsync(`${BASE}/agent`, { qos: 1 });
    const agent = harness({ url: line.url, config: { willDelay: 2 } });
    await until('connected', () => agent.link.connected);
    line.cut();
    await until('connected again', () => agent.happened.length >= 3);
    await new Promise((resolve) => setTimeout(resolve, 3500));
    expect(viewer.messages).toEqual([]);
  });

  it.runIf(dynamicSecurity !== null)(
    'notices a refused subscription, says so and subscribes when it is allowed',
    async () => {
      const rules = broker.write('dynsec.json', dynamicRules(false));
      const settings = ['allow_anonymous false', `plugin ${dynamicSecurity}`, `plugin_opt_config_file ${rules}`];
      await broker.start(settings);
      const login = { config: { username: 'agent' }, credentials: { password: 'agent-pw' } };
      const agent = harness({ url: url(), ...login });
      await until(
        'noticed',
        () => agent.link.status.message.includes('refuses the subscription'),
        () => agent.link.status,
      );
      expect(agent.link.status.message).toContain(`subscription to ${BASE}/intent/+; allow it for user "agent"`);
      expect(agent.link.connected).toBe(true);
      await broker.stop();
      broker.write('dynsec.json', dynamicRules(true));
      await broker.start(settings);
      await until(
        'connected again',
        () => agent.link.connected && !agent.link.status.message.includes('refuses'),
        () => agent.link.status,
      );
    },
  );

  describe('TLS', () => {
    const pem = (name: string) => readFileSync(broker.file(name), 'utf8');
    const secure = (host = 'localhost') => `mqtts://${host}:${broker.port}`;
    const tls = ['allow_anonymous true', 'tls_version tlsv1.2'];

    function certificates(): string[] {
      broker.authority('ca');
      broker.authority('stranger');
      broker.certificate('ca', 'server', 'serverAuth', 'DNS:localhost,DNS:broker.example,IP:127.0.0.1');
      broker.certificate('ca', 'agent', 'clientAuth', 'DNS:agent');
      return [
        ...tls,
        `cafile ${broker.file('ca.crt')}`,
        `certfile ${broker.file('server.crt')}`,
        `keyfile ${broker.file('server.key')}`,
      ];
    }

    it('accepts only a certificate of its CA and for the right name', async () => {
      await broker.start(certificates());
      const good = harness({ url: secure(), credentials: { ca: pem('ca.crt') } });
      const byAddress = harness({
        url: secure('127.0.0.1'),
        config: { clientId: 'b' },
        credentials: { ca: pem('ca.crt') },
      });
      const renamed = harness({
        url: secure('127.0.0.1'),
        config: { clientId: 'c', serverName: 'broker.example', protocol: '3.1.1' },
        credentials: { ca: pem('ca.crt') },
      });
      for (const one of [good, byAddress, renamed])
        await until(
          'connected',
          () => one.link.connected,
          () => one.link.status,
        );

      const wrongCa = harness({ url: secure(), config: { clientId: 'd' }, credentials: { ca: pem('stranger.crt') } });
      const noCa = harness({ url: secure(), config: { clientId: 'e' } });
      for (const one of [wrongCa, noCa]) {
        await until(
          'refused',
          () => one.link.status.message.includes('not signed by a trusted CA'),
          () => one.link.status,
        );
        expect(one.link.status.message).toContain('mqtt.caFile');
      }
      const wrongName = harness({
        url: secure(),
        config: { clientId: 'f', serverName: 'other.example' },
        credentials: { ca: pem('ca.crt') },
      });
      await until(
        'refused',
        () => wrongName.link.status.message.includes('is for another name'),
        () => wrongName.link.status,
      );
      const plain = harness({ url: url(), config: { clientId: 'g' } });
      await until(
        'refused',
        () => plain.link.status.message.includes('mqtts://'),
        () => plain.link.status,
      );
      expect([wrongCa, noCa, wrongName, plain].flatMap((one) => one.happened)).toEqual([]);
    });

    it('shows its own certificate where the broker asks for one', async () => {
      await broker.start([...certificates(), 'require_certificate true', 'use_identity_as_username true']);
      const { ca, cert, key } = { ca: pem('ca.crt'), cert: pem('agent.crt'), key: pem('agent.key') };
      const good = harness({ url: secure(), credentials: { ca, cert, key } });
      await until(
        'connected',
        () => good.link.connected,
        () => good.link.status,
      );
      const without = harness({ url: secure(), config: { clientId: 'b' }, credentials: { ca } });
      await until(
        'refused',
        () => without.link.status.message.includes('mqtt.certFile'),
        () => without.link.status,
      );
      const mismatch = harness({
        url: secure(),
        config: { clientId: 'c' },
        credentials: { ca, cert, key: pem('ca.key') },
      });
      await until(
        'refused',
        () => mismatch.link.status.message.includes('the key must belong to the certificate'),
        () => mismatch.link.status,
      );
      expect(mismatch.link.status.message).not.toContain('BEGIN');
    });
  });
});

/** Rules for mosquitto's plugin: unlike its access file, it can refuse a subscription. */
function dynamicRules(everything: boolean): string {
  const salt = Buffer.from('12 byte salt');
  const allow = (acltype: string, topic: string) => ({ acltype, topic, allow: true });
  return JSON.stringify({
    defaultACLAccess: { publishClientSend: true, publishClientReceive: true, subscribe: false, unsubscribe: true },
    clients: [
      {
        username: 'agent',
        password: pbkdf2Sync('agent-pw', salt, 101, 64, 'sha512').toString('base64'),
        salt: salt.toString('base64'),
        iterations: 101,
        roles: [{ rolename: 'agent' }],
      },
    ],
    roles: [
      {
        rolename: 'agent',
        acls: [
          allow('subscribeLiteral', `${BASE}/command`),
          ...(everything ? [allow('subscribeLiteral', `${BASE}/intent/+`)] : []),
        ],
      },
    ],
  });
}

function findPlugin(): string | null {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib').map((name) => `/usr/lib/${name}`) : [];
  return (
    [...folders, '/usr/lib']
      .map((folder) => `${folder}/mosquitto_dynamic_security.so`)
      .find((path) => existsSync(path)) ?? null
  );
}
