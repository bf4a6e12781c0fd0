import type { ServerChannel } from 'ssh2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Clock, systemClock } from '../../../drivers/model/clock.ts';
import { connectSsh } from '../../../drivers/transport/ssh.ts';
import { TestClock } from '../../support/test-clock.ts';
import { execServer, failure, TestServer, targetOf, until } from './ssh-fixture.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function start(run: Parameters<typeof execServer>[0], clock: Clock = systemClock) {
  const server = await execServer(run);
  const connection = await connectSsh(targetOf(server.port), clock);
  undo.push(() => server.close());
  const ended = vi.fn();
  connection.onClose(ended);
  return { server, connection, ended };
}

function finish(channel: ServerChannel, code: number): void {
  channel.exit(code);
  channel.end();
}

describe('exec', () => {
  it('gives output, error output and exit code', async () => {
    const { connection } = await start((command, channel) => {
      channel.write(`ran ${command}\n`);
      channel.stderr.write('müde\n');
      finish(channel, 3);
    });
    const result = await connection.exec('ls -l');
    expect(result).toEqual({ stdout: 'ran ls -l\n', stderr: 'müde\n', code: 3, signal: null });
  });

  it('gives the signal that ended the command', async () => {
    const { connection } = await start((_command, channel) => {
      channel.exit('KILL');
      channel.end();
    });
    expect(await connection.exec('x')).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  it('sends the input and its end', async () => {
    const { connection } = await start((_command, channel) => {
      const input: Buffer[] = [];
      channel.on('data', (chunk: Buffer) => input.push(chunk));
      channel.on('end', () => {
        channel.write(`${Buffer.concat(input).length}`);
        finish(channel, 0);
      });
    });
    const input = 'x'.repeat(3_000_000);
    expect((await connection.exec('wc', { input })).stdout).toBe('3000000');
    expect((await connection.exec('wc')).stdout).toBe('0');
  });

  it('gives 1 MiB whole, characters that are cut by packets too', async () => {
    const big = 'äöü€😀'.repeat(75_000);
    const { connection } = await start((_command, channel) => {
      channel.write(big);
      finish(channel, 0);
    });
    const { stdout } = await connection.exec('x');
    expect(stdout === big).toBe(true);
  });

  it('takes bytes that are no text', async () => {
    const { connection } = await start((_command, channel) => {
      channel.write(Buffer.from([0xff, 0xfe, 0x00, 0x41]));
      finish(channel, 0);
    });
    expect((await connection.exec('x')).stdout).toBe('\ufffd\ufffd\0A');
  });

  it('runs 20 commands at the same time', async () => {
    const { connection } = await start((command, channel) => {
      channel.write(command);
      finish(channel, Number(command));
    });
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => connection.exec(String(i))));
    expect(results.map((r) => [r.stdout, r.code])).toEqual(results.map((_, i) => [String(i), i]));
  });

  it('does not take more output than allowed, stdout and stderr together', async () => {
    const { connection } = await start((command, channel) => {
      channel.write('x'.repeat(60_000));
      channel.stderr.write('y'.repeat(40_000));
      if (command !== 'go on') finish(channel, 0);
    });
    expect((await connection.exec('x', { maxBytes: 100_000 })).stdout).toHaveLength(60_000);
    const error = await failure(connection.exec('go on', { maxBytes: 99_999 }));
    expect([error.kind, error.command]).toEqual(['parse', 'go on']);
    expect((await connection.exec('x')).code).toBe(0);
  });

  it('ends at its deadline, and the connection stays when the far side closes the channel', async () => {
    const clock = new TestClock();
    const ran = vi.fn();
    const { connection, ended } = await start((command, channel) => {
      ran();
      if (command === 'hang') return;
      finish(channel, 0);
    }, clock);
    const hanging = failure(connection.exec('hang', { timeoutMs: 5000 }));
    await until(() => ran.mock.calls.length === 1);
    await clock.advance(5000);
    expect([(await hanging).kind, (await hanging).message]).toEqual([
      'timeout',
      expect.stringContaining('did not answer within 5 s'),
    ]);
    expect((await connection.exec('x')).code).toBe(0);
    await clock.advance(60_000);
    expect(connection.alive).toBe(true);
    expect(ended).not.toHaveBeenCalled();
  });

  it('drops a far side that does not even close the channel', async () => {
    const clock = new TestClock();
    let stop = () => {};
    const { connection, ended } = await start((_command, _channel, socket) => {
      stop = () => socket.pause();
      stop();
    }, clock);
    const hanging = failure(connection.exec('hang', { timeoutMs: 5000 }));
    const other = failure(connection.exec('other', { timeoutMs: 50_000 }));
    await clock.advance(5000);
    expect((await hanging).kind).toBe('timeout');
    await clock.advance(2000);
    expect((await other).kind).toBe('unreachable');
    expect(ended.mock.calls).toEqual([[await other]]);
    expect(connection.alive).toBe(false);
  });

  it.each([
    [
      'is cut',
      (channel: ServerChannel, socket: { destroy(): unknown }) => channel.write('half', () => socket.destroy()),
    ],
    ['is reset', (_channel: ServerChannel, socket: { resetAndDestroy(): unknown }) => void socket.resetAndDestroy()],
    ['ends', (_channel: ServerChannel, socket: { end(): unknown }) => void socket.end()],
  ])('fails when the connection %s in the middle', async (_name, cut) => {
    const { connection, ended } = await start((_command, channel, socket) => {
      cut(channel, socket);
    });
    const error = await failure(connection.exec('x'));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toMatch(/^the SSH connection to 127\.0\.0\.1 port \d+ was lost/);
    expect(ended.mock.calls).toEqual([[error]]);
    expect(connection.alive).toBe(false);
    expect((await failure(connection.exec('x'))).kind).toBe('unreachable');
    expect((await failure(connection.shell())).kind).toBe('unreachable');
    await connection.close();
  });

  it('fails when the switch opens no channel, and the connection stays', async () => {
    const server = await TestServer.start();
    undo.push(() => server.close());
    const connection = await connectSsh(targetOf(server.port), systemClock);
    const error = await failure(connection.exec('x'));
    expect([error.kind, error.message]).toEqual(['unreachable', expect.stringContaining('opens no channel')]);
    expect((await failure(connection.shell())).kind).toBe('unreachable');
    expect(connection.alive).toBe(true);
  });

  it('fails when the switch knows no exec', async () => {
    const server = await TestServer.start({
      onSession: (session) => session.on('exec', (_accept, reject) => reject()),
    });
    undo.push(() => server.close());
    const connection = await connectSsh(targetOf(server.port), systemClock);
    expect((await failure(connection.exec('x'))).message).toContain('opens no channel');
  });
});

describe('close', () => {
  it('fails what is under way, tells once, and may be called again', async () => {
    const { server, connection, ended } = await start(() => {});
    const hanging = failure(connection.exec('hang'));
    await Promise.all([connection.close(), connection.close()]);
    await connection.close();
    expect([(await hanging).kind, (await hanging).message]).toEqual([
      'unreachable',
      expect.stringContaining('was closed'),
    ]);
    expect(ended.mock.calls).toEqual([[null]]);
    expect(connection.alive).toBe(false);
    const late = vi.fn();
    connection.onClose(late);
    expect(late.mock.calls).toEqual([[null]]);
    await until(() => server.sockets.size === 0);
    expect((await failure(connection.exec('x'))).message).toContain('is closed');
  });

  it('does not wait for a far side that does not hang up', async () => {
    const clock = new TestClock();
    const { server, connection } = await start(() => {}, clock);
    for (const socket of server.sockets) socket.pause();
    const closing = connection.close();
    await clock.advance(1000);
    await closing;
    for (const socket of server.sockets) socket.resume();
    await until(() => server.sockets.size === 0);
  });
});
