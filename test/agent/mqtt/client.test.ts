import { createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningBroker, startBroker } from '../../../agent/demo/broker.ts';
import { MAX_PACKET_BYTES } from '../../../agent/mqtt/packet-limit.ts';
import { TestClock } from '../../support/test-clock.ts';
import { BASE, type HarnessOptions, harness, peer, stopAll, until } from './support.ts';

const cleanUps: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  await stopAll();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function broker(options: Parameters<typeof startBroker>[0] = {}): Promise<RunningBroker> {
  const running = await startBroker(options);
  cleanUps.push(() => running.stop());
  return running;
}

/** A server that is no proper broker. */
async function server(talk: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const listening: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    talk(socket);
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    listening.close();
  });
  const address = listening.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `mqtt://127.0.0.1:${address.port}`;
}

/** Lets time pass until the link has stopped. */
async function stopWith(clock: TestClock, stopped: Promise<void>): Promise<void> {
  await clock.advance(10_000);
  await stopped;
}

const old = (url: string, more: Partial<HarnessOptions> = {}): HarnessOptions => ({
  url,
  ...more,
  config: { protocol: '3.1.1', ...more.config },
});

describe('link on the embedded broker (MQTT 3.1.1)', () => {
  it('receives intents and commands, retained or not, and publishes', async () => {
    const { url } = await broker();
    const controller = await peer(url, { protocol: '3.1.1' });
    await controller.publishAsync(`${BASE}/intent/a`, 'first', { qos: 1, retain: true });
    const agent = harness(old(url));
    await until('the retained intent', () => agent.received.length === 1);
    expect(agent.received[0]).toMatchObject({ topic: `${BASE}/intent/a`, text: 'first', retain: true });
    await controller.publishAsync(`${BASE}/command`, '{}', { qos: 1 });
    await controller.publishAsync(`${BASE}/event`, 'not for the agent', { qos: 1 });
    await until('the command', () => agent.received.length === 2);
    expect(agent.received[1]?.message).toMatchObject({ retain: false, responseTopic: null, correlationData: null });
    await controller.subscribeAsync(`${BASE}/agent`, { qos: 1 });
    expect(await agent.link.publish(`${BASE}/agent`, 'up', { qos: 1, retain: true })).toBe(true);
    await until('the birth', () => controller.messages.some((m) => m.text === 'up'));
    expect(agent.link.status).toMatchObject({ connected: true, message: `connected to ${url} (MQTT 3.1.1)` });
  });

  it('keeps the session over an outage of the agent', async () => {
    const { url } = await broker();
    const first = harness(old(url));
    await until('connected', () => first.link.connected);
    await until('subscribed', () => first.happened.length === 1);
    const controller = await peer(url, { protocol: '3.1.1' });
    await controller.publishAsync(`${BASE}/command`, 'seen', { qos: 1 });
    await until('subscribed for sure', () => first.received.length === 1);
    await first.link.stop({ topic: `${BASE}/agent`, payload: 'bye' });
    await controller.publishAsync(`${BASE}/command`, 'missed', { qos: 1 });
    const second = harness(old(url));
    await until('what was missed', () => second.received.length === 1);
    expect(second.received[0]).toMatchObject({ text: 'missed', retain: false });
    expect(second.happened).toEqual(['connected 1 present']);
    await controller.subscribeAsync(`${BASE}/agent`, { qos: 1 });
    await until('the farewell', () => controller.messages.some((m) => m.text === 'bye' && m.retain));
  });

  it('does not acknowledge what could not be stored; it comes again', async () => {
    const { url } = await broker();
    let broken = true;
    const agent = harness(
      old(url, {
        receive: async () => {
          if (broken) throw new Error('no space left');
        },
      }),
    );
    await until('connected', () => agent.link.connected);
    const controller = await peer(url, { protocol: '3.1.1' });
    await controller.publishAsync(`${BASE}/intent/a`, 'precious', { qos: 1 });
    await until('dropped', () => agent.happened.some((h) => h.includes('no space left')));
    broken = false;
    await until('again', () => agent.received.length === 1);
    expect(agent.received[0]).toMatchObject({ text: 'precious' });
  });

  it('reports a refused login, and a corrected one works', async () => {
    let secret = 'other';
    const { url } = await broker({ login: (user, password) => user === 'agent' && password === secret });
    const agent = harness(old(url, { config: { username: 'agent' }, credentials: { password: 's3cret-pw' } }));
    await until(
      'refused',
      () => agent.link.status.message.includes('refuses the login'),
      () => agent.link.status,
    );
    expect(agent.link.status.message).toContain('mqtt.passwordFile');
    await until('several attempts', () => agent.incarnations.length >= 3);
    secret = 's3cret-pw';
    await until('connected', () => agent.link.connected);
    expect([agent.lines, agent.link.status.message].flat().join('\n')).not.toContain('s3cret-pw');
  });

  it('notices a refused subscription and keeps the connection', async () => {
    const { url } = await broker({
      allow: (_user, action, topic) => action === 'publish' || topic.endsWith('/command'),
    });
    const agent = harness(old(url));
    await until(
      'noticed',
      () => agent.link.status.message.includes('refuses the subscription'),
      () => agent.link.status,
    );
    expect(agent.link.status.message).toContain(`${BASE}/intent/+;`);
    expect(agent.link.status.message).not.toContain(`${BASE}/command`);
    expect(agent.link.connected).toBe(true);
  });

  it('says that a broker does not speak MQTT 5', async () => {
    const { url } = await broker();
    const agent = harness({ url });
    await until(
      'refused',
      () => agent.link.status.message.includes('MQTT 5; set mqtt.protocol: "3.1.1"'),
      () => agent.link.status,
    );
  });

  it('answers a document of any size, and keeps the connection', async () => {
    const { url } = await broker();
    const agent = harness(old(url));
    await until('connected', () => agent.link.connected);
    const controller = await peer(url, { protocol: '3.1.1' });
    await controller.publishAsync(`${BASE}/intent/a`, Buffer.alloc(2 * MAX_PACKET_BYTES, 0x20), { qos: 1 });
    await controller.publishAsync(`${BASE}/intent/b`, 'small', { qos: 1 });
    await until('both', () => agent.received.length === 2);
    const size = agent.received[0]?.text.length ?? 0;
    expect(size).toBeGreaterThan(1_048_576);
    expect(size).toBeLessThanOrEqual(MAX_PACKET_BYTES);
    expect(agent.received[1]?.text).toBe('small');
    expect(agent.happened).toEqual(['connected 1 new']);
  });

  it('comes back after the broker was away, also at another time', async () => {
    const first = await startBroker();
    const agent = harness(old(first.url));
    await until('connected', () => agent.link.connected);
    await first.stop();
    await until('gone', () => !agent.link.connected);
    await until(
      'refused',
      () => agent.link.status.message.includes('nothing listens'),
      () => agent.link.status,
    );
    const again = await broker({ port: first.port });
    expect(again.url).toBe(first.url);
    await until('connected again', () => agent.link.connected);
    expect(agent.incarnations.length).toBeGreaterThan(2);
  });

  it('refuses to publish to what is no topic name, without losing the connection', async () => {
    const { url } = await broker();
    const agent = harness(old(url));
    await until('connected', () => agent.link.connected);
    for (const bad of ['', 'a/#', 'a\u0000b', 'x'.repeat(70_000)]) {
      expect(await agent.link.publish(bad, 'x', { qos: 1, retain: false })).toBe(false);
    }
    expect(
      await agent.link.publish('answers/1', 'x', { qos: 1, retain: false, correlationData: Buffer.from('c') }),
    ).toBe(true);
    expect(agent.happened).toEqual(['connected 1 new']);
  });
});

describe('link on servers that misbehave', () => {
  it.each(['5', '3.1.1'] as const)('survives any bytes (MQTT %s)', async (protocol) => {
    const connack = protocol === '5' ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0];
    const bytes = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 64 }), 40);
    let connections = 0;
    const url = await server((socket) => {
      const noise = bytes[connections % bytes.length] ?? new Uint8Array();
      const greet = connections++ % 2 === 0;
      socket.once('data', () => {
        if (greet) socket.write(Buffer.from(connack));
        socket.write(noise);
        setTimeout(() => socket.end(), 20);
      });
    });
    const links = Array.from({ length: 10 }, () => harness({ url, config: { protocol } }));
    await until('many attempts', () => links.every((l) => l.incarnations.length >= 4));
    expect(links.every((l) => l.link.status.message.length > 0)).toBe(true);
  });

  it('says who took over, as MQTT 5 tells it, and waits', async () => {
    const url = await server((socket) =>
      socket.once('data', () => socket.write(Buffer.from([0x20, 3, 0, 0, 0, 0xe0, 2, 0x8e, 0]))),
    );
    const agent = harness({ url });
    await until('said', () => agent.happened.length === 2);
    expect(agent.happened[1]).toContain('another client took over the client ID "portkeeper-rack-1"');
    expect(agent.lines.join()).toContain('"retryInMs":30000');
  });

  it('says that it is no MQTT broker', async () => {
    const url = await server((socket) => socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')));
    const agent = harness({ url });
    await until(
      'said',
      () => agent.link.status.message.includes('check that it is an MQTT broker'),
      () => agent.link.status,
    );
  });

  it('gives up on a server that accepts and then says nothing', async () => {
    const clock = new TestClock();
    let asked = 0;
    const url = await server((socket) => socket.on('data', () => asked++));
    const agent = harness({ url, clock });
    await until('asked', () => asked === 1);
    await clock.advance(29_999);
    expect(agent.link.status.message).toContain('connecting to');
    await clock.advance(1);
    expect(agent.link.status.message).toContain('does not answer to MQTT');
    await clock.advance(1_000);
    await until('asked again', () => asked === 2);
    await stopWith(clock, agent.link.stop());
  });

  it('takes a broker that confirms nothing for dead', async () => {
    const clock = new TestClock();
    const url = await server((socket) => socket.once('data', () => socket.write(Buffer.from([0x20, 3, 0, 0, 0]))));
    const agent = harness({ url, clock });
    await until('connected', () => agent.link.connected);
    const published = agent.link.publish('t', 'x', { qos: 1, retain: false });
    await clock.advance(60_000);
    expect(await published).toBe(false);
    expect(agent.happened[1]).toContain('does not confirm');
    await stopWith(clock, agent.link.stop());
  });

  it('says that the connection was closed before an answer', async () => {
    const url = await server((socket) => socket.once('data', () => socket.end()));
    const agent = harness({ url });
    await until(
      'said',
      () => agent.link.status.message.includes('closed the connection before it answered'),
      () => agent.link.status,
    );
  });

  it('names a host that does not exist, and TLS that is none', async () => {
    const nowhere = harness({ url: 'mqtt://no-such-host.invalid' });
    await until('said', () =>
      /the name "no-such-host\.invalid" (is not known|cannot be looked up)/.test(nowhere.link.status.message),
    );
    const { url } = await broker();
    const tls = harness({ url: url.replace('mqtt:', 'mqtts:') });
    await until(
      'said',
      () => tls.link.status.message.includes('mqtts://127.0.0.1'),
      () => tls.link.status,
    );
  });

  it('says which file cannot be used', async () => {
    const agent = harness({ url: 'mqtts://127.0.0.1:1', credentials: { ca: 'no PEM', cert: 'no PEM', key: 'no PEM' } });
    await until(
      'said',
      () => agent.link.status.message.includes('must be PEM'),
      () => agent.link.status,
    );
    const address = harness({ url: 'mqtt://host:99999' });
    await until(
      'said',
      () => address.link.status.message.includes('mqtt.url "mqtt://host:99999" is not'),
      () => address.link.status,
    );
  });
});
