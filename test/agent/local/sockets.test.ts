import { chmod, link, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLocalApi } from '../../../agent/local/api.ts';
import { findGroup, listenOnDescriptor, listenOnPath } from '../../../agent/local/sockets.ts';
import { systemClock } from '../../../drivers/model/clock.ts';
import { bundle, runBundle } from '../../support/bundle.ts';
import { FakeControl, FakeReader } from '../../support/fake-reader.ts';
import { http } from '../../support/local-api.ts';

const quiet = { info() {}, warn() {}, error() {} };
let dir: string;

function start(runtimeDir: string) {
  return startLocalApi({
    reader: new FakeReader(),
    control: new FakeControl(),
    runtimeDir,
    log: quiet,
    clock: systemClock,
  });
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pk-sock-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Leaves a socket file behind that nobody listens on, as a killed process does. */
async function deadSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(`${path}.live`, resolve));
  await link(`${path}.live`, path);
  await new Promise((resolve) => server.close(resolve));
}

describe('startLocalApi', () => {
  it('makes the folder and two sockets with their modes, whatever the umask, and removes them at the end', async () => {
    const runtimeDir = join(dir, 'run');
    const before = process.umask(0o077);
    const api = await start(runtimeDir).finally(() => process.umask(before));
    expect((await stat(runtimeDir)).mode & 0o777).toBe(0o755);
    expect((await stat(join(runtimeDir, 'status.sock'))).mode & 0o777).toBe(0o666);
    expect((await stat(join(runtimeDir, 'control.sock'))).mode & 0o777).toBe(0o660);
    expect(await readdir(runtimeDir)).toEqual(['control.sock', 'status.sock']);
    await api.close();
    expect(await readdir(runtimeDir)).toEqual([]);
  });

  it('leaves the mode of a folder that is there alone', async () => {
    await chmod(dir, 0o711);
    await (await start(dir)).close();
    expect((await stat(dir)).mode & 0o777).toBe(0o711);
  });

  it('takes the place of a socket that nobody listens on', async () => {
    await deadSocket(join(dir, 'status.sock'));
    const api = await start(dir);
    expect((await http(join(dir, 'status.sock'), '/v1/health')).status).toBe(200);
    await api.close();
  });

  it('refuses to push a living agent aside, and leaves it as it is', async () => {
    const first = await start(dir);
    await expect(start(dir)).rejects.toMatchObject({
      code: 'in-use',
      message: expect.stringContaining(join(dir, 'status.sock')),
    });
    expect((await http(join(dir, 'control.sock'), '/v1/health')).status).toBe(200);
    await first.close();
  });

  it('undoes the first socket when the second cannot be made', async () => {
    await writeFile(join(dir, 'control.sock'), 'precious');
    await expect(start(dir)).rejects.toMatchObject({ code: 'not-a-socket' });
    expect(await readdir(dir)).toEqual(['control.sock']);
  });

  it('does not remove the socket of a successor', async () => {
    const first = await start(dir);
    await rm(join(dir, 'status.sock'));
    await rm(join(dir, 'control.sock'));
    const second = await start(dir);
    await first.close();
    expect((await http(join(dir, 'status.sock'), '/v1/health')).status).toBe(200);
    await second.close();
  });

  it('says so when the path is too long for a socket', async () => {
    const long = join(dir, 'x'.repeat(120));
    await expect(start(long)).rejects.toMatchObject({ code: 'path-too-long', message: expect.stringContaining('107') });
  });

  it('says so when a file is where the folder should be', async () => {
    await writeFile(join(dir, 'file'), '');
    await expect(start(join(dir, 'file'))).rejects.toThrow('cannot listen on');
  });
});

describe('listenOnDescriptor', () => {
  it('serves on a socket that was made before, and leaves its file at the end', async () => {
    const path = join(dir, 'given.sock');
    const giver = createServer();
    await new Promise<void>((resolve) => giver.listen(`${path}.made`, resolve));
    await link(`${path}.made`, path);
    const { fd } = (giver as unknown as { readonly _handle: { readonly fd: number } })._handle;
    const { file } = await bundle(`
      import { createServer } from 'node:http';
      import { listenOnDescriptor } from './agent/local/sockets.ts';
      const server = createServer((_, response) => {
        response.end('{"ok":true}', () => void bound.then((socket) => socket.close()));
      });
      const bound = listenOnDescriptor(server, 3);
    `);
    const child = runBundle(file, [], { fds: [fd] });
    // The process that made the socket accepts nothing itself.
    await new Promise((resolve) => giver.close(resolve));
    expect((await http(path, '/')).json).toEqual({ ok: true });
    expect(await child).toEqual({ exit: 0, out: '', err: '' });
    expect((await stat(path)).isSocket()).toBe(true);
  });

  it('fails clearly on a descriptor that is none', async () => {
    await expect(listenOnDescriptor(createHttpServer(), 987)).rejects.toMatchObject({ code: 'failed', path: 'fd 987' });
  });
});

describe('listenOnPath', () => {
  it('gives the socket to the group, or goes on with a warning when it may not', async () => {
    const path = join(dir, 'a.sock');
    const bound = await listenOnPath(createHttpServer(), { path, mode: 0o660, groupId: 54_321 });
    const { gid, mode } = await stat(path);
    expect(mode & 0o777).toBe(0o660);
    if (gid === 54_321) expect(bound.warning).toBeNull();
    else expect(bound.warning).toContain('54321');
    await bound.close();
  });
});

describe('findGroup', () => {
  it('reads /etc/group', () => {
    const groups = 'root:x:0:\nportkeeper-admin:x:991:ann,bob\nbad:x:oops:\n';
    expect(findGroup(groups, 'portkeeper-admin')).toBe(991);
    expect(findGroup(groups, 'root')).toBe(0);
    expect(findGroup(groups, 'bad')).toBeNull();
    expect(findGroup(groups, 'portkeeper')).toBeNull();
  });
});
