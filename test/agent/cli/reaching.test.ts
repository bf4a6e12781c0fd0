import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createNetServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectError } from '../../../agent/cli/client.ts';
import { systemClock } from '../../../drivers/model/clock.ts';
import { bundle, runBundle } from '../../support/bundle.ts';
import { cli } from '../../support/cli-run.ts';
import { http, type RunningApi, runApi } from '../../support/local-api.ts';

const READING = ['status', 'ports', 'port swp1', 'neighbors', 'intents', 'plan', 'events', 'events -f'];
const ACTING = ['refresh', 'reconcile', 'accept tor1'];

let dir: string;
const run = (line: string, socket = dir) => cli([...line.split(' '), '--socket', socket]);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pk-reach-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Something that is not the agent, on both sockets. */
async function impostor(answer: (server: Server) => void): Promise<() => Promise<void>> {
  const servers = ['status.sock', 'control.sock'].map((name) => {
    const server = createServer();
    answer(server);
    server.listen(join(dir, name));
    return server;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  return async () => {
    for (const server of servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };
}

/** Three lines: what failed, why, what to type. */
const DOCTOR = /^portkeeper: .+\n {2}why: {2}.+\n {2}type: .+\n$/;

describe('when the agent cannot be reached', () => {
  it.each([...READING, ...ACTING])('%s: no folder', async (line) => {
    const outcome = await run(line, join(dir, 'none'));
    expect(outcome).toMatchObject({ exit: 69, out: '' });
    expect(outcome.err).toMatch(DOCTOR);
    expect(outcome.err).toContain('there is no folder');
    expect(outcome.err).toContain('sudo systemctl start portkeeper');
  });

  it.each([...READING, ...ACTING])('%s: no socket', async (line) => {
    const outcome = await run(line);
    expect(outcome).toMatchObject({ exit: 69, out: '' });
    expect(outcome.err).toMatch(DOCTOR);
    expect(outcome.err).toContain('the agent is stopped, or still starting');
  });

  it.each([...READING, ...ACTING])('%s: nobody listens', async (line) => {
    const { link } = await import('node:fs/promises');
    const server = createNetServer();
    await new Promise<void>((resolve) => server.listen(join(dir, 'live'), resolve));
    await link(join(dir, 'live'), join(dir, 'status.sock'));
    await link(join(dir, 'live'), join(dir, 'control.sock'));
    await new Promise((resolve) => server.close(resolve));
    const outcome = await run(line);
    expect(outcome).toMatchObject({ exit: 69, out: '' });
    expect(outcome.err).toMatch(DOCTOR);
    expect(outcome.err).toContain('nobody listens');
  });

  it.each([
    [
      'another program',
      (server: Server) => server.on('request', (_, r) => r.end('hello')),
      'it is not a Portkeeper agent',
    ],
    [
      'another version',
      (server: Server) =>
        server.on('request', (_, r) => {
          r.setHeader('portkeeper-api', '2');
          r.end('{}');
        }),
      'it speaks version 2 of the local API',
    ],
    [
      'an answer that is cut off',
      (server: Server) =>
        server.on('request', (_, r) => {
          r.setHeader('portkeeper-api', '1');
          r.end('{"rack":');
        }),
      'does not speak JSON',
    ],
    [
      'a connection that is closed',
      (server: Server) => server.on('request', (q) => q.socket.destroy()),
      'closed the connection',
    ],
  ])('%s', async (_, answer, words) => {
    const stop = await impostor(answer);
    for (const line of ['status', 'refresh']) {
      const outcome = await run(line);
      expect(outcome).toMatchObject({ exit: 69, out: '' });
      expect(outcome.err).toMatch(DOCTOR);
      expect(outcome.err).toContain(words);
    }
    await stop();
  });

  it('gives up on an agent that takes the connection and says nothing', async () => {
    const sockets: Socket[] = [];
    const server = createNetServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(join(dir, 'status.sock'), resolve));
    const outcome = await run('status');
    expect(outcome.exit).toBe(69);
    expect(outcome.err).toContain('does not answer');
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('says what is wrong with a file that is no socket', async () => {
    await writeFile(join(dir, 'status.sock'), '');
    expect((await run('status')).exit).toBe(69);
    expect((await run('status', join(dir, 'status.sock'))).err).toMatch(DOCTOR);
  });

  it('names the group for the control socket, and only a user name that is one', () => {
    const io = { stdout() {}, stderr() {}, stdin: async () => '', isTty: false, columns: 80, clock: systemClock };
    const denied = Object.assign(new Error('connect EACCES'), { code: 'EACCES' });
    const of = (user: string) => connectError(denied, '/run/portkeeper/control.sock', { ...io, env: { USER: user } });
    expect(of('ann')).toMatchObject({ exit: 77, why: expect.stringContaining('portkeeper-admin') });
    expect(of('ann').type).toContain('sudo usermod -aG portkeeper-admin ann');
    expect(of('$(reboot)').type).toContain('YOUR-USER');
  });
});

describe('the program as a process', () => {
  let api: RunningApi;
  let file: string;
  let open: string;
  let uid: number | undefined;

  beforeAll(async () => {
    const made = await bundle(`
      import { runCli } from './agent/cli/main.ts';
      import { systemClock } from './drivers/model/clock.ts';
      void runCli(process.argv.slice(2), {
        stdout: (text) => process.stdout.write(text),
        stderr: (text) => process.stderr.write(text),
        stdin: async () => '',
        env: process.env,
        isTty: false,
        columns: 80,
        clock: systemClock,
      }).then((exit) => { process.exitCode = exit; });
    `);
    // Where another user may read it.
    open = await mkdtemp(join(tmpdir(), 'pk-open-'));
    await chmod(open, 0o755);
    file = join(open, 'portkeeper.cjs');
    await cp(made.file, file);
    await chmod(file, 0o644);
    api = await runApi();
    await chmod(api.dir, 0o755);
    // Root may do everything: as root, the process runs as nobody.
    uid = process.getuid?.() === 0 ? 65_534 : undefined;
    if (uid === undefined) await chmod(join(api.dir, 'control.sock'), 0);
  });
  afterAll(async () => {
    await api.close();
    await rm(open, { recursive: true, force: true });
  });

  it('reads as any user and may not act: exit 77 and the way to the right', async () => {
    const env = { PORTKEEPER_RUNTIME_DIR: api.dir, USER: 'technician' };
    const status = await runBundle(file, ['status', '--json'], { env, ...(uid === undefined ? {} : { uid }) });
    expect(JSON.parse(status.out)).toEqual((await http(join(api.dir, 'status.sock'), '/v1/status')).json);
    for (const line of ACTING) {
      const outcome = await runBundle(file, line.split(' '), { env, ...(uid === undefined ? {} : { uid }) });
      expect(outcome).toMatchObject({ exit: 77, out: '' });
      expect(outcome.err).toMatch(DOCTOR);
      expect(outcome.err).toContain('sudo usermod -aG portkeeper-admin technician');
    }
    expect(api.control.asked).toEqual([]);
  });

  it('may not enter the folder: exit 77', async () => {
    const shut = join(open, 'shut');
    await mkdir(shut, { mode: 0 });
    const outcome = await runBundle(file, ['status', '--socket', shut], uid === undefined ? {} : { uid });
    expect(outcome.exit).toBe(77);
    expect(outcome.err).toMatch(DOCTOR);
    await chmod(shut, 0o700);
  });
});
