import { generateKeyPairSync } from 'node:crypto';
import type { AuthContext, AuthenticationType } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import type { SwitchTarget } from '../../../drivers/driver.ts';
import { systemClock } from '../../../drivers/model/clock.ts';
import { answerPrompts, explainSshError, LoginSequence } from '../../../drivers/transport/login.ts';
import { connectSsh } from '../../../drivers/transport/ssh.ts';
import { failure, newKey, TestServer, targetOf, until } from './ssh-fixture.ts';

const PASSWORD = 'opensesame';
let server: TestServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function start(authenticate: (context: AuthContext) => void): Promise<TestServer> {
  server = await TestServer.start({ authenticate });
  return server;
}

const login = async (authenticate: (context: AuthContext) => void, overrides: Partial<SwitchTarget> = {}) => {
  const { port } = await start(authenticate);
  const connection = await connectSsh(targetOf(port, overrides), systemClock);
  expect(connection.alive).toBe(true);
  await connection.close();
};

const refusal = async (authenticate: (context: AuthContext) => void, overrides: Partial<SwitchTarget> = {}) => {
  const { port, sockets } = await start(authenticate);
  const error = await failure(connectSsh(targetOf(port, overrides), systemClock));
  expect(`${error.message} ${error.command} ${error.answer} ${error.stack}`).not.toContain(PASSWORD);
  await until(() => sockets.size === 0);
  return error;
};

/** Takes one method with the right secret, and says so. */
const takes =
  (method: AuthenticationType, others: AuthenticationType[] = []) =>
  (context: AuthContext) => {
    if (context.method === 'password' && method === 'password' && context.password === PASSWORD)
      return context.accept();
    if (context.method === 'publickey' && method === 'publickey') return context.accept();
    if (context.method === 'keyboard-interactive' && method === 'keyboard-interactive')
      return context.prompt([{ prompt: 'Password: ', echo: false }], (answers) =>
        answers[0] === PASSWORD ? context.accept() : context.reject([method]),
      );
    if (context.method === 'none' && method === 'none') return context.accept();
    context.reject([method, ...others]);
  };

describe('a login', () => {
  it('without any secret', () => login(takes('none')));
  it('by password', () => login(takes('password')));
  it('by keyboard-interactive', () => login(takes('keyboard-interactive')));
  it('by key', () => login(takes('publickey'), { privateKey: newKey().private, password: null }));
  it('by a key with a passphrase', () =>
    login(takes('publickey'), { privateKey: newKey('horse battery').private, passphrase: 'horse battery' }));
  it('by an RSA key in PEM', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return login(takes('publickey'), { privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() });
  });

  it('tries only what the switch takes, each once', async () => {
    await login(takes('password', ['publickey']), { privateKey: newKey().private });
    // The key is offered without a signature, and refused.
    expect(server?.attempts).toEqual(['none', 'publickey', 'password']);
    await server?.close();
    await login(takes('password'), { privateKey: newKey().private });
    expect(server?.attempts).toEqual(['none', 'password']);
  });

  it('in two steps, in the order that the switch wants', async () => {
    let step = 0;
    const twoSteps = (context: AuthContext) => {
      if (step === 0 && context.method === 'password') {
        step = 1;
        context.reject(['publickey'], true);
      } else if (step === 1 && context.method === 'publickey') context.accept();
      else context.reject(step === 0 ? ['password'] : ['publickey']);
    };
    await login(twoSteps, { privateKey: newKey().private });
  });
});

describe('a refused login', () => {
  it('costs one try with the key and one with the password, so that no account is locked', async () => {
    const error = await refusal((context) => context.reject(['password', 'keyboard-interactive', 'publickey']), {
      privateKey: newKey().private,
    });
    expect(error.kind).toBe('auth');
    expect(error.message).toContain('portkeeper');
    expect(error.message).toContain('password, keyboard-interactive, publickey');
    expect(server?.attempts).toEqual(['none', 'publickey', 'password']);
  });

  it('by a wrong password, asked for by keyboard-interactive', async () => {
    const error = await refusal((context) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Password: ', echo: false }], () => context.reject(['keyboard-interactive']));
    });
    expect(error.kind).toBe('auth');
    expect(server?.attempts).toEqual(['none', 'keyboard-interactive']);
  });

  it('by a demand for a new password, in either way, is for a person', async () => {
    const byPassword = await refusal((context) => {
      if (context.method === 'password') context.requestChange('Your password has expired', () => context.reject());
      else context.reject(['password']);
    });
    expect([byPassword.kind, byPassword.message]).toEqual(['auth', expect.stringContaining('log in by hand once')]);
    await server?.close();
    const byKeyboard = await refusal((context) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Enter new password: ', echo: false }], () => context.reject());
    });
    expect([byKeyboard.kind, byKeyboard.message]).toEqual(['auth', expect.stringContaining('Enter new password:')]);
  });

  it.each<[string, Partial<SwitchTarget>]>([
    ['a wrong passphrase', { privateKey: newKey('right one').private, passphrase: 'wrong one' }],
    ['no passphrase', { privateKey: newKey('right one').private }],
    ['a damaged key', { privateKey: newKey().private.replace(/(.{150}).{8}/s, '$1') }],
    ['a key cut in half', { privateKey: newKey().private.slice(0, 150) }],
    ['no key at all', { privateKey: 'hello' }],
    ['a public key', { privateKey: newKey().public }],
  ])('by %s, before anything is sent', async (_name, overrides) => {
    const error = await refusal((context) => context.accept(), overrides);
    expect(error.kind).toBe('auth');
    expect(error.message).toContain('private key');
    expect(error.message).not.toContain(overrides.passphrase ?? 'BEGIN');
    expect(server?.attempts).toEqual([]);
  });
});

describe('answerPrompts', () => {
  it.each<[string, { prompt: string; echo?: boolean }[], string[] | null]>([
    ['nothing', [], []],
    ['a hidden password', [{ prompt: 'Password: ', echo: false }], ['pw']],
    ['a hidden question in another language', [{ prompt: 'Kennwort:', echo: false }], ['pw']],
    ['a password that is shown', [{ prompt: 'Password:', echo: true }], ['pw']],
    ['another question that is shown', [{ prompt: 'Favourite colour?', echo: true }], null],
    ['two questions', [{ prompt: 'Password:' }, { prompt: 'OTP:' }], null],
    ['a new password', [{ prompt: 'New password:', echo: false }], null],
    ['an expired password', [{ prompt: 'Password expired. Current password:', echo: false }], null],
  ])('%s', (_name, prompts, answer) => {
    expect(answerPrompts(prompts, 'pw')).toEqual(answer);
    expect(answerPrompts(prompts, null)).toEqual(prompts.length === 0 ? [] : null);
  });
});

describe('LoginSequence', () => {
  it('ends when nothing is left that the switch takes', () => {
    const sequence = new LoginSequence({ password: 'x', privateKey: null });
    expect(sequence.next(null)).toBe('none');
    expect(sequence.next(['publickey'])).toBe(false);
    expect(sequence.next(['publickey'])).toBe(false);
  });
});

describe('explainSshError', () => {
  const explain = (error: object) =>
    explainSshError(Object.assign(new Error('x'), error), { host: 'sw1', port: 22, username: 'u' }, null);

  it.each([
    [{ code: 'ENOTFOUND' }, 'unreachable', 'does not resolve'],
    [{ code: 'EHOSTUNREACH' }, 'unreachable', 'no way to the host'],
    [{ code: 'ECONNRESET' }, 'unreachable', 'cut the connection'],
    [{ message: 'Too many authentication failures', code: 2 }, 'auth', 'refused the login of u'],
    [{ message: 'Handshake failed: no matching cipher' }, 'unreachable', 'algorithms: legacy'],
    [{ message: 'evil\x1b[2J\ntext' }, 'unreachable', 'evil\ufffd[2J\ufffdtext'],
  ])('%j', (error, kind, text) => {
    const explained = explain(error);
    expect(explained.kind).toBe(kind);
    expect(explained.message).toContain(text);
    expect(explained.message).toContain('sw1 port 22');
  });
});
