import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Socket } from 'node:net';
import ssh2, { type ClientChannel, type ConnectConfig } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import {
  fingerprintOf,
  generateHostKey,
  generateUserKey,
  type SimSwitch,
  type SimSwitchOptions,
  startSimSwitch,
} from './index.ts';

const running: SimSwitch[] = [];
const clients: ssh2.Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const sim of running.splice(0)) await sim.stop();
});

async function start(options: SimSwitchOptions = {}): Promise<SimSwitch> {
  const sim = await startSimSwitch(options);
  running.push(sim);
  return sim;
}

/** Logs in; rejects with the client's first error. */
function connect(sim: SimSwitch, config: ConnectConfig = {}): Promise<ssh2.Client> {
  const client = new ssh2.Client();
  clients.push(client);
  return new Promise((resolve, reject) => {
    client.on('ready', () => resolve(client));
    client.on('error', reject);
    client.on('close', () => reject(new Error('closed')));
    const login = 'password' in config || 'privateKey' in config ? {} : { password: 'sim-password' };
    client.connect({ ...sim.address, username: 'admin', ...login, ...config });
  });
}

function openShell(client: ssh2.Client): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.shell({ term: 'vt100' }, (error, channel) => (error ? reject(error) : resolve(channel)));
  });
}

/** Resolves with all that came once it ends in `end`. */
function until(channel: ClientChannel, end: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (bytes: Buffer) => {
      text += bytes.toString('utf8');
      if (!text.endsWith(end)) return;
      channel.off('data', take);
      resolve(text);
    };
    channel.on('data', take);
    channel.once('close', () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
  });
}

async function ask(channel: ClientChannel, line: string, end: string): Promise<string> {
  const answer = until(channel, end);
  channel.write(`${line}\n`);
  return answer;
}

/** A shell at its first prompt. */
async function shell(sim: SimSwitch): Promise<ClientChannel> {
  const channel = await openShell(await connect(sim));
  await until(channel, '#');
  return channel;
}

describe('the switch over SSH', () => {
  it('takes a configuration line by line and keeps it', async () => {
    const sim = await start({ config: ['vlan 10'], motd: '' });
    const channel = await shell(sim);
    await ask(channel, 'configure terminal', '(config)#');
    await ask(channel, 'interface swp1', '(config-if)#');
    expect(await ask(channel, 'switchport access vlan 10', '(config-if)#')).toBe(
      'switchport access vlan 10\r\ntor1(config-if)#',
    );
    expect(sim.model.carried('swp1').untagged).toBe(10);
    expect(sim.sessions.map(({ user, line }) => [user, line])).toEqual([['admin', 0]]);
    await ask(channel, 'end', 'tor1#');
    const closed = once(channel, 'close');
    channel.write('exit\n');
    await closed;
    expect(sim.faults.lines.map(({ line }) => line)).toEqual([
      'configure terminal',
      'interface swp1',
      'switchport access vlan 10',
      'end',
      'exit',
    ]);
  });

  it('shows its host key with the fingerprint it claims', async () => {
    const sim = await start();
    let seen = '';
    await connect(sim, {
      hostVerifier: (key: Buffer) => {
        seen = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
        return true;
      },
    });
    expect(seen).toBe(sim.hostKeyFingerprint);
    sim.replace();
    expect(sim.hostKeyFingerprint).not.toBe(seen);
    await connect(sim);
  });

  it('lets in by password, by key and by keyboard-interactive, and nobody else', async () => {
    const keys = generateUserKey();
    const sim = await start({
      users: [
        { name: 'admin', password: 'right', privilege: 15, methods: ['password'] },
        { name: 'robot', password: null, publicKey: keys.public, privilege: 15 },
        { name: 'old', password: 'right', privilege: 1, methods: ['keyboard-interactive'] },
      ],
    });
    await connect(sim, { password: 'right' });
    await expect(connect(sim, { password: 'wrong' })).rejects.toMatchObject({ level: 'client-authentication' });
    await connect(sim, { username: 'robot', privateKey: keys.private });
    const stranger = generateUserKey().private;
    await expect(connect(sim, { username: 'robot', privateKey: stranger })).rejects.toThrow();
    await expect(connect(sim, { username: 'nobody', password: 'right' })).rejects.toThrow();
    const client = new ssh2.Client();
    clients.push(client);
    client.on('keyboard-interactive', (_name, _words, _language, _prompts, finish) => finish(['right']));
    client.connect({ ...sim.address, username: 'old', tryKeyboard: true });
    await once(client, 'ready');
    expect(await until(await openShell(client), '>')).toContain('tor1>');
  });

  it('answers one show command on an exec channel', async () => {
    const sim = await start();
    const client = await connect(sim);
    const channel = await new Promise<ClientChannel>((resolve, reject) => {
      client.exec('show interfaces status', (error, made) => (error ? reject(error) : resolve(made)));
    });
    let text = '';
    channel.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8');
    });
    await once(channel, 'close');
    expect(text).toContain('swp8 ');
    expect(text).not.toMatch(/--More--|tor1#/);
  });

  it('refuses connections when all vty lines are taken', async () => {
    const sim = await start({ vtyLines: 2 });
    sim.faults.busyLines = 1;
    const first = await connect(sim);
    await expect(connect(sim)).rejects.toThrow();
    first.end();
    await once(first, 'close');
    await expect.poll(() => sim.connections).toBe(0);
    await connect(sim);
  });

  it('sends the banner before login', async () => {
    const sim = await start({ banner: 'Keep out #' });
    const client = new ssh2.Client();
    clients.push(client);
    const banner = once(client, 'banner');
    client.connect({ ...sim.address, username: 'admin', password: 'sim-password' });
    expect((await banner)[0]).toContain('Keep out #');
  });

  it('speaks only old algorithms when it is old', async () => {
    const sim = await start({ algorithms: 'legacy' });
    await expect(connect(sim)).rejects.toThrow(/no matching/i);
    await connect(sim, {
      algorithms: {
        kex: { append: ['diffie-hellman-group14-sha1'], prepend: [], remove: [] },
        cipher: { append: ['aes128-cbc'], prepend: [], remove: [] },
      },
    });
  });

  it('a cut in the middle of an answer sends what came before it', async () => {
    const sim = await start();
    const channel = await shell(sim);
    sim.faults.on({ match: 'show vlan brief' }, { kind: 'cut', when: 'answer', bytes: 30 });
    let text = '';
    channel.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8');
    });
    const closed = once(channel, 'close');
    channel.write('show vlan brief\n');
    await closed;
    expect(text).toBe('show vlan brief\r\n\r\nVLAN Name                   ');
  });

  it('a reload cuts the sessions, and the switch comes back without what was not saved', async () => {
    const sim = await start({ bootMs: 50, config: ['vlan 10'] });
    const channel = await shell(sim);
    await ask(channel, 'configure terminal', '(config)#');
    await ask(channel, 'interface swp1', '(config-if)#');
    await ask(channel, 'switchport access vlan 10', '(config-if)#');
    await ask(channel, 'end', 'tor1#');
    const closed = once(channel, 'close');
    channel.write('reload\n');
    await until(channel, '[yes/no]: ');
    await ask(channel, 'no', '[confirm]');
    channel.write('\n');
    await closed;
    await expect(connect(sim)).rejects.toThrow();
    await expect
      .poll(
        () =>
          connect(sim).then(
            () => 'in',
            () => 'out',
          ),
        { timeout: 10_000 },
      )
      .toBe('in');
    expect(sim.model.port('swp1').accessVlan).toBe(1);
  });

  it('switched off it refuses, silent it never answers, and it comes back', async () => {
    const sim = await start();
    const channel = await shell(sim);
    const closed = once(channel, 'close');
    sim.setReachability('off');
    await closed;
    await expect(connect(sim)).rejects.toThrow();
    sim.setReachability('silent');
    await expect(connect(sim, { readyTimeout: 100 })).rejects.toThrow(/timed out/i);
    sim.setReachability('on');
    await connect(sim);
  });

  it('survives a client that talks nonsense', async () => {
    const sim = await start();
    const socket = new Socket();
    socket.on('error', () => {});
    socket.connect(sim.address.port, sim.address.host);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(1000));
    socket.resume();
    await closed;
    await connect(sim);
  });

  it('makes only keys that can be read', () => {
    const fingerprints = Array.from({ length: 600 }, () => fingerprintOf(generateHostKey()));
    expect(new Set(fingerprints).size).toBe(600);
  });

  it('keeps a given host key', async () => {
    const hostKey = generateHostKey();
    const [one, two] = [await start({ hostKey }), await start({ hostKey })];
    expect(one.hostKeyFingerprint).toBe(two.hostKeyFingerprint);
    expect(one.address.port).not.toBe(two.address.port);
  });
});
