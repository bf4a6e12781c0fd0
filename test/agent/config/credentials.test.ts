import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { credentialFolders, loadCredentials } from '../../../agent/config/credentials.ts';
import { privateKeyProblem } from '../../../agent/config/key-text.ts';
import { formatProblem } from '../../../agent/config/problem.ts';
import { readConfiguration } from '../../../agent/config/read.ts';
import { Secret } from '../../../agent/config/secret.ts';
import { configOf, GOOD, memoryFiles, tools } from './support.ts';

const LOGIN = 'passwordFile: tor1.pw\n    trustOnFirstUse: true';
const withLogin = (login = LOGIN) => GOOD.replace('    username: pk\n', `    username: pk\n    ${login}\n`);
const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const CERT = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

async function read(text: string, files: Parameters<typeof memoryFiles>[0], folders: readonly string[] = ['/etc/pk']) {
  const credentials = await loadCredentials(configOf(text), memoryFiles(files), folders);
  return { ...credentials, lines: credentials.problems.map((p) => `${p.severity} ${p.path.join('.')}: ${p.message}`) };
}

describe('a secret', () => {
  test('shows itself only when asked', () => {
    const secret = new Secret('hunter2');
    const all = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }, { depth: 9, showHidden: true }),
      `${[secret]}`,
    ];
    for (const text of all) {
      expect(text).toContain('[secret]');
      expect(text).not.toContain('hunter2');
    }
    expect(secret.reveal()).toBe('hunter2');
    expect(secret.equals(new Secret('hunter2'))).toBe(true);
    expect(secret.equals(new Secret('x'))).toBe(false);
    expect(Object.keys(secret)).toEqual([]);
  });
});

describe('a password file', () => {
  test.each([
    ['hunter2\n', 'hunter2'],
    ['hunter2\r\n', 'hunter2'],
    ['hunter2', 'hunter2'],
    [' with blanks \n', ' with blanks '],
  ])('%j holds %j', async (text, expected) => {
    const { switches, lines, files } = await read(withLogin(), { '/etc/pk/tor1.pw': text });
    expect(lines).toEqual([]);
    expect(switches['tor1']?.password?.reveal()).toBe(expected);
    expect(files).toEqual(['/etc/pk/tor1.pw']);
  });

  test.each([
    [{}, 'there is no file /etc/pk/tor1.pw; create it, or correct the path'],
    [{ '/etc/pk/tor1.pw': '\n' }, '/etc/pk/tor1.pw is empty'],
    [{ '/etc/pk/tor1.pw': 'a\nb\n' }, '/etc/pk/tor1.pw has more than one line'],
    [{ '/etc/pk/tor1.pw': 'x'.repeat(70_000) }, '/etc/pk/tor1.pw is larger than 65536 bytes'],
    [{ '/etc/pk/tor1.pw': { text: '', error: 'EACCES' } }, '/etc/pk/tor1.pw may not be read by this user'],
    [{ '/etc/pk/tor1.pw': { text: '', error: 'EISDIR' } }, '/etc/pk/tor1.pw is a folder; name the file in it'],
    [{ '/etc/pk/tor1.pw': { text: '', error: 'EINVAL' } }, '/etc/pk/tor1.pw is not a regular file'],
    [{ '/etc/pk/tor1.pw': { text: '', error: 'EIO' } }, '/etc/pk/tor1.pw cannot be read (EIO)'],
  ])('%j', async (files, expected) => {
    const result = await read(withLogin(), files);
    expect(result.lines).toHaveLength(1);
    expect(result.lines[0]).toContain(`error switches.tor1.passwordFile: ${expected}`);
    expect(result.switches['tor1']?.password).toBeNull();
  });

  test.each([
    [
      0o644,
      0,
      'warning switches.tor1.passwordFile: /etc/pk/tor1.pw has mode 0644: every local user has access; run: chmod o= /etc/pk/tor1.pw',
    ],
    [
      0o640,
      50,
      'warning switches.tor1.passwordFile: /etc/pk/tor1.pw has mode 0640: group 50 has access; run: chmod g= /etc/pk/tor1.pw',
    ],
    [0o640, 0, null],
    [0o640, 1000, null],
    [0o400, 50, null],
  ])('of mode %o and group %i', async (mode, gid, expected) => {
    const { lines } = await read(withLogin(), { '/etc/pk/tor1.pw': { text: 'x', mode, gid } });
    expect(lines).toEqual(expected === null ? [] : [expected]);
  });

  test('is looked for in the credentials folder first, then beside the configuration', async () => {
    const folders = credentialFolders('/etc/pk/portkeeper.yaml', { CREDENTIALS_DIRECTORY: '/run/cred' });
    expect(folders).toEqual(['/run/cred', '/etc/pk']);
    expect(credentialFolders('/etc/pk/portkeeper.yaml', {})).toEqual(['/etc/pk']);
    const both = await read(withLogin(), { '/run/cred/tor1.pw': 'one', '/etc/pk/tor1.pw': 'two' }, folders);
    expect(both.switches['tor1']?.password?.reveal()).toBe('one');
    const second = await read(withLogin(), { '/etc/pk/tor1.pw': 'two' }, folders);
    expect(second.switches['tor1']?.password?.reveal()).toBe('two');
    expect(second.files).toEqual(['/run/cred/tor1.pw', '/etc/pk/tor1.pw']);
    const absolute = await read(withLogin(LOGIN.replace('tor1.pw', '/x/pw')), { '/x/pw': 'three' }, folders);
    expect(absolute.switches['tor1']?.password?.reveal()).toBe('three');
    const home = await read(withLogin(LOGIN.replace('tor1.pw', '~/pw')), {}, folders);
    expect(home.lines[0]).toContain('"~" is not understood here');
  });
});

describe('keys and certificates', () => {
  test.each([
    [PEM, false, null],
    [RSA.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(), false, null],
    [
      RSA.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
      false,
      'passphrase',
    ],
    [
      RSA.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
      true,
      null,
    ],
    ['ssh-ed25519 AAAAC3 me@host', false, 'public key'],
    ['PuTTY-User-Key-File-3: x', false, 'puttygen'],
    [PEM.slice(0, 60), false, 'cut off'],
    ['hello', false, 'not a private key'],
    [opensshKey('none'), false, null],
    [opensshKey('aes256-ctr'), false, 'passphrase'],
    [opensshKey('aes256-ctr'), true, null],
  ])('key %#', (text, passphrase, expected) => {
    const problem = privateKeyProblem(text.trim(), passphrase);
    if (expected === null) expect(problem).toBeNull();
    else expect(problem).toContain(expected);
  });

  test('for the broker are read and checked', async () => {
    const text = withLogin().replace(
      '  url: mqtts://broker\n',
      '  url: mqtts://broker\n  caFile: ca\n  certFile: cert\n  keyFile: key\n',
    );
    const files = {
      '/etc/pk/tor1.pw': 'x',
      '/etc/pk/ca': { text: CERT, mode: 0o644 },
      '/etc/pk/cert': CERT,
      '/etc/pk/key': PEM,
    };
    const good = await read(text, files);
    expect(good.lines).toEqual([]);
    expect(good.mqtt.ca).toContain('BEGIN CERTIFICATE');
    expect(good.mqtt.key?.reveal()).toContain('PRIVATE KEY');
    const bad = await read(text, { ...files, '/etc/pk/ca': 'x', '/etc/pk/cert': `${CERT}${PEM}`, '/etc/pk/key': CERT });
    expect(bad.lines).toEqual([
      'error mqtt.caFile: /etc/pk/ca holds no certificate in PEM form',
      'error mqtt.certFile: /etc/pk/cert holds a private key; it must hold the certificate only',
      'error mqtt.keyFile: /etc/pk/key is not a private key in PEM or OpenSSH form',
    ]);
    expect(JSON.stringify(bad)).not.toContain('MIIB');
  });
});

describe('what is used without being named', () => {
  test('a password or key by the name of the switch, and known_hosts', async () => {
    const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIPeNfCkGyBlJZIrgNNVQOAGxEFtFRKh9hoCCzvkMhZyF';
    const files = {
      '/etc/pk/tor1.password': 'pw\n',
      '/etc/pk/tor1.key': PEM,
      '/etc/pk/known_hosts': `192.0.2.1 ssh-ed25519 ${key}\n`,
    };
    const found = await read(GOOD, files);
    expect(found.lines).toEqual([]);
    expect(found.switches['tor1']?.password?.reveal()).toBe('pw');
    expect(found.switches['tor1']?.privateKey?.reveal()).toContain('PRIVATE KEY');
    expect(found.switches['tor1']?.hostKeys).toEqual([expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/)]);
    expect([...found.byConvention.keys()]).toEqual([
      'switches.tor1.privateKeyFile',
      'switches.tor1.passwordFile',
      'switches.tor1.knownHostsFile',
    ]);
  });

  test('nothing of it is used when something is named', async () => {
    const files = { '/etc/pk/tor1.pw': 'a', '/etc/pk/tor1.key': 'bad', '/etc/pk/known_hosts': 'bad' };
    const found = await read(withLogin(), files);
    expect(found.lines).toEqual([]);
    expect(found.switches['tor1']).toMatchObject({ privateKey: null, hostKeys: [] });
  });

  test('with nothing there, both are asked for', async () => {
    const { lines, files } = await read(GOOD, {});
    expect(lines).toEqual([
      expect.stringMatching(/^error switches\.tor1: no way to log in: .*tor1\.password or tor1\.key into \/etc\/pk/),
      expect.stringMatching(
        /^error switches\.tor1: no way to know the switch: .*ssh-keyscan 192\.0\.2\.1 \| ssh-keygen -lf -/,
      ),
    ]);
    expect(files).toEqual(['/etc/pk/tor1.key', '/etc/pk/tor1.password', '/etc/pk/known_hosts']);
  });

  test('a known_hosts file without this host', async () => {
    const { lines } = await read(withLogin('passwordFile: tor1.pw\n    knownHostsFile: kh'), {
      '/etc/pk/tor1.pw': 'x',
      '/etc/pk/kh': 'other ssh-rsa AAAA',
    });
    expect(lines).toEqual([expect.stringContaining('switches.tor1.knownHostsFile: has no key for 192.0.2.1')]);
  });
});

describe('a configuration as a whole', () => {
  const at = (files: Parameters<typeof memoryFiles>[0], missingFiles?: 'warning') =>
    readConfiguration('/etc/pk/p.yaml', {
      ...tools,
      fs: memoryFiles(files),
      env: {},
      ...(missingFiles ? { missingFiles } : {}),
    });

  test('is ready with its files, which are to be watched', async () => {
    const result = await at({ '/etc/pk/p.yaml': withLogin(), '/etc/pk/tor1.pw': 'x' });
    expect(result.ok).toBe(true);
    expect(result.files).toEqual(['/etc/pk/p.yaml', '/etc/pk/tor1.pw']);
  });

  test('places the problems of its files', async () => {
    const result = await at({ '/etc/pk/p.yaml': withLogin() });
    if (result.ok) throw new Error('accepted');
    expect(result.problems.map(formatProblem)).toEqual([
      '/etc/pk/p.yaml:10:19: switches.tor1.passwordFile: there is no file /etc/pk/tor1.pw; create it, or correct the path',
    ]);
    expect(result).toMatchObject({ unreadable: false, files: ['/etc/pk/p.yaml', '/etc/pk/tor1.pw'] });
    const elsewhere = await at({ '/etc/pk/p.yaml': withLogin() }, 'warning');
    expect(elsewhere.ok && elsewhere.warnings.map((problem) => problem.severity)).toEqual(['warning']);
  });

  test.each([
    ['ENOENT', 'there is no such file'],
    ['EACCES', 'may not be read by this user'],
    ['EISDIR', 'is a folder'],
    ['EIO', 'cannot be read (EIO)'],
  ])('that cannot be read (%s)', async (error, message) => {
    const result = await at(error === 'ENOENT' ? {} : { '/etc/pk/p.yaml': { text: '', error } });
    expect(result).toMatchObject({ ok: false, unreadable: true, files: ['/etc/pk/p.yaml'] });
    expect(result.ok || result.problems.map(formatProblem)).toEqual([`/etc/pk/p.yaml: ${message}`]);
  });
});

/** The outside of a key in OpenSSH form with the cipher given. */
function opensshKey(cipher: string): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(cipher.length);
  const body = Buffer.concat([Buffer.from('openssh-key-v1\0'), length, Buffer.from(cipher), Buffer.alloc(80)]);
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;
}
