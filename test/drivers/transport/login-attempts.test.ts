import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AuthContext, KeyboardAuthContext } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../drivers/model/clock.ts';
import { connectSsh } from '../../../drivers/transport/ssh.ts';
import { failure, newKey, TestServer, targetOf, until } from './ssh-fixture.ts';

/** How often, and to whom, the secret is given: a switch locks an account after a few failed logins. */
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function started(authenticate: (context: AuthContext) => void): Promise<TestServer> {
  const server = await TestServer.start({ authenticate });
  undo.push(() => server.close());
  return server;
}

/** Asks one question after the other; `answered` gets each answer and says what becomes of the login. */
function asking(
  context: KeyboardAuthContext,
  questions: readonly string[],
  answered: (answers: string[]) => void,
): void {
  const [question, ...rest] = questions;
  const given: string[] = [];
  if (question === undefined) {
    answered(given);
    return;
  }
  context.prompt([{ prompt: question, echo: false }], (answers) => {
    given.push(...answers);
    asking(context, rest, (more) => answered([...given, ...more]));
  });
}

describe('a wrong password', () => {
  it('is tried once, though the switch takes it in two ways', async () => {
    const guesses: string[] = [];
    const server = await started((context) => {
      if (context.method === 'password') guesses.push(context.password);
      if (context.method !== 'keyboard-interactive') return context.reject(['password', 'keyboard-interactive']);
      asking(context, ['Password: '], (answers) => {
        guesses.push(...answers);
        context.reject(['password', 'keyboard-interactive']);
      });
    });
    const error = await failure(connectSsh(targetOf(server.port), systemClock));
    expect(error.kind).toBe('auth');
    expect(error.message).toContain('password, keyboard-interactive');
    expect(guesses).toEqual(['opensesame']);
  });

  it('is given once, though the switch asks again and again', async () => {
    const guesses: string[] = [];
    const ask = (context: KeyboardAuthContext): void =>
      asking(context, ['Password: '], (answers) => {
        guesses.push(...answers);
        ask(context);
      });
    const server = await started((context) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
      ask(context);
    });
    const error = await failure(connectSsh(targetOf(server.port), systemClock));
    expect(error.kind).toBe('auth');
    expect(guesses).toEqual(['opensesame']);
    await until(() => server.sockets.size === 0);
  });

  it('counts as such when the switch hangs up in answer to it', async () => {
    const server = await started((context) => {
      if (context.method === 'none') return context.reject(['password']);
      server.cutAll();
    });
    const error = await failure(connectSsh(targetOf(server.port), systemClock));
    expect(error.kind).toBe('auth');
    expect(error.message).toContain('password');
  });
});

describe('keyboard-interactive', () => {
  it.each(['Password: ', "portkeeper's Password:", 'Enter PASSWORD:'])('answers "%s"', async (question) => {
    const server = await started((context) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
      asking(context, [question], (answers) => (answers[0] === 'opensesame' ? context.accept() : context.reject()));
    });
    const connection = await connectSsh(targetOf(server.port), systemClock);
    await connection.close();
  });

  it.each(['Verification code: ', 'Enter PASSCODE:', 'One-time token: ', 'New password: ', 'Your PIN? ', ''])(
    'gives the password to no question like "%s"',
    async (question) => {
      const told: string[] = [];
      const server = await started((context) => {
        if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
        asking(context, [question], (answers) => told.push(...answers));
      });
      const error = await failure(connectSsh(targetOf(server.port), systemClock));
      expect(error.kind).toBe('auth');
      expect(told).toEqual([]);
      await until(() => server.sockets.size === 0);
    },
  );

  it('follows a password that was only the first step', async () => {
    const server = await started((context) => {
      if (context.method === 'password') return context.reject(['keyboard-interactive'], true);
      if (context.method !== 'keyboard-interactive') return context.reject(['password']);
      asking(context, ['Password: '], (answers) => (answers[0] === 'opensesame' ? context.accept() : context.reject()));
    });
    const connection = await connectSsh(targetOf(server.port), systemClock);
    await connection.close();
  });
});

it('a login with key and password uses both when the switch wants both', async () => {
  const key = newKey();
  const server = await started((context) => {
    if (context.method === 'publickey') {
      return context.signature === undefined ? context.accept() : context.reject(['password'], true);
    }
    if (context.method === 'password' && context.password === 'opensesame') return context.accept();
    context.reject(['publickey']);
  });
  const connection = await connectSsh(targetOf(server.port, { privateKey: key.private }), systemClock);
  await connection.close();
});

describe('a private key', () => {
  it.each([
    ['that is none', 'x'.repeat(100), null, /unknown kind/],
    ['that is the public half', newKey().public, null, /public half/],
    ['with a passphrase that is missing', newKey('sesame').private, null, /passphrase/],
    ['with a wrong passphrase', newKey('sesame').private, 'other', /passphrase/],
  ])('%s is explained, and the switch is not asked', async (_what, privateKey, passphrase, says) => {
    const server = await started((context) => context.accept());
    const error = await failure(connectSsh(targetOf(server.port, { privateKey, passphrase }), systemClock));
    expect(error.kind).toBe('auth');
    expect(error.message).toMatch(says);
    expect(`${error.message}${String(error.cause ?? '')}`).not.toContain(privateKey.slice(40, 80));
    expect(server.attempts).toEqual([]);
    await until(() => server.sockets.size === 0);
  });

  it('is not blamed for what the switch says of one', async () => {
    const fake = createServer((socket) => {
      socket.on('error', () => {});
      // SSH_MSG_DISCONNECT in the clear (RFC 4253, 6 and 11.1).
      const words = Buffer.from('no private key for you \x1b[31m');
      const body = Buffer.concat([Buffer.from([1, 0, 0, 0, 2]), lengthOf(words), words, lengthOf(Buffer.alloc(0))]);
      const padding = 8 - ((body.length + 5) % 8) + 8;
      const head = Buffer.alloc(5);
      head.writeUInt32BE(body.length + padding + 1);
      head[4] = padding;
      socket.write(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), head, body, Buffer.alloc(padding)]));
    });
    fake.listen(0, '127.0.0.1');
    await once(fake, 'listening');
    undo.push(() => fake.close());
    const { port } = fake.address() as { port: number };
    const error = await failure(connectSsh(targetOf(port), systemClock));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain('no private key for you');
    expect(error.message).not.toContain('\x1b');
  });
});

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}

it('a session that turns to garbage ends, though the far side keeps its end open', async () => {
  const server = await started((context) => context.accept());
  const ends: Socket[] = [];
  const relay = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: server.port, host: '127.0.0.1' });
    for (const socket of [near, far]) socket.on('error', () => {});
    near.on('data', (chunk) => far.write(chunk));
    far.on('data', (chunk) => near.write(chunk));
    ends.push(near, far);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  undo.push(() => {
    for (const socket of ends) socket.destroy();
    relay.close();
  });
  const { port } = relay.address() as { port: number };
  const connection = await connectSsh(targetOf(port), systemClock);
  const lost = new Promise((resolve) => connection.onClose(resolve));
  ends[0]?.write(Buffer.alloc(4096, 0x41));
  expect(await lost).toMatchObject({ kind: 'unreachable' });
  expect(connection.alive).toBe(false);
});
