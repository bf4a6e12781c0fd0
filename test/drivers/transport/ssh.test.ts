import { once } from 'node:events';
import { createServer, Socket as NetSocket, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DriverError } from '../../../drivers/errors.ts';
import { systemClock } from '../../../drivers/model/clock.ts';
import type { SshConnection } from '../../../drivers/transport/connection.ts';
import { connectSsh } from '../../../drivers/transport/ssh.ts';
import { TestClock } from '../../support/test-clock.ts';
import { execServer, failure, fingerprintOf, newKey, TestServer, targetOf, until } from './ssh-fixture.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function started(server: Promise<TestServer>): Promise<TestServer> {
  const made = await server;
  undo.push(() => made.close());
  return made;
}

async function connected(server: TestServer, clock = systemClock): Promise<SshConnection> {
  const connection = await connectSsh(targetOf(server.port), clock);
  undo.push(() => (clock === systemClock ? connection.close() : undefined));
  return connection;
}

/** A TCP listener that speaks no SSH. */
async function listener(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('the host key', () => {
  it('that is not accepted ends the login, before any secret is sent, and is named', async () => {
    const server = await started(TestServer.start());
    const error = await failure(connectSsh(targetOf(server.port, { verifyHostKey: () => false }), systemClock));
    expect(error.kind).toBe('host-key');
    expect(error.message).toContain(fingerprintOf(server.hostKey));
    expect(server.attempts).toEqual([]);
    await until(() => server.sockets.size === 0);
  });

  it('is checked by its fingerprint, which may take time', async () => {
    const server = await started(TestServer.start());
    const verifyHostKey = vi.fn(async () => true);
    const connection = await connectSsh(targetOf(server.port, { verifyHostKey }), systemClock);
    expect(verifyHostKey.mock.calls).toEqual([[fingerprintOf(server.hostKey)]]);
    await connection.close();
  });

  it.each([
    ['refuses later', async () => false, 'host-key'],
    ['rejects', () => Promise.reject(new Error('disk full')), 'unreachable'],
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
      'unreachable',
    ],
  ])('is not accepted when the check %s', async (_name, verifyHostKey, kind) => {
    const server = await started(TestServer.start());
    const error = await failure(connectSsh(targetOf(server.port, { verifyHostKey }), systemClock));
    expect(error.kind).toBe(kind);
    if (kind === 'unreachable') expect(error.message).toContain('disk full');
    expect(server.attempts).toEqual([]);
    await until(() => server.sockets.size === 0);
  });

  it('whose check never ends is a timeout, and nothing happens when it ends too late', async () => {
    const server = await started(TestServer.start());
    const clock = new TestClock();
    let decide = (_ok: boolean) => {};
    const asked = vi.fn();
    const verifyHostKey = () =>
      new Promise<boolean>((resolve) => {
        decide = resolve;
        asked();
      });
    const login = failure(connectSsh(targetOf(server.port, { verifyHostKey }), clock));
    await until(() => asked.mock.calls.length > 0);
    await clock.advance(10_000);
    expect((await login).kind).toBe('timeout');
    decide(true);
    await until(() => server.sockets.size === 0);
    expect(server.attempts).toEqual([]);
  });
});

describe('the network', () => {
  it('a port that refuses', async () => {
    const port = await listener(() => {});
    await undo.pop()?.();
    const error = await failure(connectSsh(targetOf(port), systemClock));
    expect([error.kind, error.message]).toEqual([
      'unreachable',
      `127.0.0.1 port ${port} refuses the connection: no SSH server listens there`,
    ]);
  });

  it('a port that takes the connection and says nothing ends at the deadline, with nothing left open', async () => {
    let taken: Socket | null = null;
    const port = await listener((socket) => {
      taken = socket;
    });
    const clock = new TestClock();
    const login = failure(connectSsh(targetOf(port), clock));
    await until(() => taken !== null);
    const ended = once(taken as unknown as Socket, 'close');
    (taken as unknown as Socket).resume();
    await clock.advance(9_999);
    await clock.advance(1);
    expect((await login).kind).toBe('timeout');
    await ended;
  });

  it.each([
    ['hangs up at once', (socket: Socket) => void socket.destroy()],
    ['hangs up after its greeting', (socket: Socket) => void socket.end('SSH-2.0-x\r\n')],
    ['speaks HTTP', (socket: Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['speaks garbage', (socket: Socket) => void socket.end(`SSH-2.0-x\r\n${'\xff\x00'.repeat(5000)}`)],
  ])('a server that %s', async (_name, onSocket) => {
    const error = await failure(connectSsh(targetOf(await listener(onSocket)), systemClock));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toMatch(/^(127\.0\.0\.1|the SSH connection to 127\.0\.0\.1) port \d+ /);
  });

  it('does not hold back small packets', async () => {
    const spy = vi.spyOn(NetSocket.prototype, 'setNoDelay');
    undo.push(() => spy.mockRestore());
    const server = await started(TestServer.start());
    await connected(server);
    const ours = spy.mock.contexts.filter((socket) => (socket as Socket).remotePort === server.port);
    expect(ours).toHaveLength(1);
    expect(spy.mock.calls[spy.mock.contexts.indexOf(ours[0] as Socket)]).toEqual([true]);
  });
});

describe('algorithms', () => {
  const old = { kex: ['diffie-hellman-group14-sha1'], cipher: ['aes128-cbc'], hmac: ['hmac-sha1'] } as const;
  const algorithms = { kex: [...old.kex], cipher: [...old.cipher], hmac: [...old.hmac] };

  it('of an old switch are taken with "legacy"', async () => {
    const server = await started(TestServer.start({ algorithms }));
    const connection = await connectSsh(targetOf(server.port, { algorithms: 'legacy' }), systemClock);
    expect(connection.alive).toBe(true);
    await connection.close();
  });

  it('of an old switch are refused by default, with a hint', async () => {
    const server = await started(TestServer.start({ algorithms }));
    const error = await failure(connectSsh(targetOf(server.port), systemClock));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain('algorithms: legacy');
  });

  it('of a modern switch are preferred with "legacy", too', async () => {
    const server = await started(TestServer.start());
    const connection = await connectSsh(targetOf(server.port, { algorithms: 'legacy' }), systemClock);
    expect(connection.alive).toBe(true);
    await connection.close();
  });
});

describe('keepalive', () => {
  it('notices a server that does not answer any more, and fails what is under way', async () => {
    const server = await started(execServer(() => {}));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    undo.push(() => vi.useRealTimers());
    const connection = await connected(server);
    const ended = new Promise<DriverError | null>((resolve) => connection.onClose(resolve));
    const hanging = failure(connection.exec('hang'));
    await until(() => server.sockets.size > 0);
    for (const socket of server.sockets) socket.pause();
    for (let i = 0; i < 4; i++) await vi.advanceTimersByTimeAsync(10_000);
    const error = await ended;
    expect(error).toBeInstanceOf(DriverError);
    expect(error?.message).toMatch(/was lost: Keepalive timeout/);
    expect((await hanging).kind).toBe('unreachable');
    expect(connection.alive).toBe(false);
  });
});

it('makes keys that can be read', () => {
  expect(fingerprintOf(newKey().private)).toMatch(/^SHA256:[\w+/]{43}$/);
});
