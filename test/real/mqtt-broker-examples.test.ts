import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { peer, stopAll, until } from '../agent/mqtt/support.ts';
import { freePort, Mosquitto } from '../support/mosquitto.ts';
import { describeWithParts } from '../support/parts.ts';

const USERS = ['rack-a1', 'ironic', 'tenant-a', 'viewer'] as const;
type User = (typeof USERS)[number];
const TOP = 'portkeeper/v1';
const RACK = `${TOP}/rack-a1`;

/** Who may write where; everything not named here is refused. */
const WRITE: Readonly<Record<string, readonly User[]>> = {
  [`${RACK}/intent/ironic`]: ['ironic'],
  [`${RACK}/intent/tenant-a`]: ['tenant-a'],
  [`${RACK}/intent/viewer`]: [],
  [`${RACK}/intent/rack-a1`]: [],
  [`${RACK}/command`]: ['ironic'],
  [`${RACK}/agent`]: ['rack-a1'],
  [`${RACK}/result/ironic`]: ['rack-a1'],
  [`${RACK}/switch/tor1/ports`]: ['rack-a1'],
  [`${RACK}/switch/tor1/neighbors`]: ['rack-a1'],
  [`${RACK}/event`]: ['rack-a1'],
  [`${RACK}/response/ironic/1`]: ['rack-a1'],
  [`${TOP}/rack-b2/agent`]: [],
  [`${TOP}/rack-b2/intent/tenant-a`]: [],
  [`${TOP}/rack-b2/intent/ironic`]: ['ironic'],
};

/** Who gets to see it. */
const READ: Readonly<Record<string, readonly User[]>> = {
  [`${RACK}/intent/ironic`]: ['rack-a1', 'ironic', 'viewer'],
  [`${RACK}/intent/tenant-a`]: ['rack-a1', 'tenant-a', 'viewer'],
  [`${RACK}/result/ironic`]: ['ironic', 'viewer'],
  [`${RACK}/result/tenant-a`]: ['tenant-a', 'viewer'],
  [`${RACK}/agent`]: ['ironic', 'tenant-a', 'viewer'],
  [`${RACK}/switch/tor1/ports`]: ['ironic', 'viewer'],
  [`${RACK}/response/ironic/1`]: ['ironic', 'viewer'],
};

describeWithParts('the example configuration of mosquitto', ['mosquitto'], () => {
  const broker = new Mosquitto();
  let ca = '';
  const as = (user: User, clientId = `${user}-${Math.random()}`) =>
    peer(`mqtts://localhost:${broker.port}`, { username: user, password: `${user}-pw`, ca, clientId });

  beforeAll(async () => {
    broker.port = await freePort();
    ca = readFileSync(broker.authority('ca'), 'utf8');
    broker.certificate('ca', 'server', 'serverAuth', 'DNS:localhost');
    const example = (name: string) => readFileSync(join(import.meta.dirname, '../../config/broker', name), 'utf8');
    const paths: Readonly<Record<string, string>> = {
      'listener 8883': `user ${userInfo().username}\nlistener ${broker.port} 127.0.0.1`,
      '/etc/mosquitto/certs': broker.dir,
      '/etc/mosquitto/portkeeper.passwd': broker.passwords(
        'passwd',
        Object.fromEntries(USERS.map((u) => [u, `${u}-pw`])),
      ),
      '/etc/mosquitto/portkeeper.acl': broker.write('acl', example('mosquitto.acl')),
      '/var/lib/mosquitto/': `${broker.dir}/`,
    };
    let text = example('mosquitto.conf');
    for (const [from, to] of Object.entries(paths)) {
      expect(text).toContain(from);
      text = text.replaceAll(from, to);
    }
    await broker.startWith(text);
  });
  afterAll(async () => {
    await stopAll();
    await broker.remove();
  });

  it.each(USERS)('lets %s publish exactly what is its own', async (user) => {
    const client = await as(user);
    const allowed: string[] = [];
    for (const topic of Object.keys(WRITE)) {
      await client.publishAsync(topic, '', { qos: 1 }).then(
        () => allowed.push(topic),
        () => {},
      );
    }
    expect(allowed).toEqual(Object.keys(WRITE).filter((topic) => WRITE[topic]?.includes(user)));
  });

  it('shows to each what is for it', async () => {
    const readers = await Promise.all(USERS.map((user) => as(user)));
    await Promise.all(readers.map((reader) => reader.subscribeAsync(`${TOP}/#`, { qos: 1 })));
    const writers = {
      'rack-a1': await as('rack-a1'),
      ironic: await as('ironic'),
      'tenant-a': await as('tenant-a'),
      viewer: await as('viewer'),
    };
    for (const topic of Object.keys(READ)) {
      const [writer = 'rack-a1'] = WRITE[topic] ?? [];
      await writers[writer].publishAsync(topic, 'x', { qos: 1 });
    }
    await until('the viewer to see all', () => (readers[3]?.messages.length ?? 0) === Object.keys(READ).length);
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const [index, user] of USERS.entries()) {
      const seen = readers[index]?.messages.map((message) => message.topic);
      expect(seen, user).toEqual(Object.keys(READ).filter((topic) => READ[topic]?.includes(user)));
    }
  });

  it('keeps strangers out', async () => {
    const url = `mqtts://localhost:${broker.port}`;
    await expect(peer(url, { ca })).rejects.toThrow(/[Nn]ot authorized/);
    await expect(peer(url, { ca, username: 'ironic', password: 'wrong' })).rejects.toThrow(/[Nn]ot authorized|[Bb]ad/);
    await expect(peer(url, { username: 'ironic', password: 'ironic-pw' })).rejects.toThrow(/certificate/);
  });
});
