import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { knownHostKeys } from '../../../agent/config/known-hosts.ts';

const key = (n: number) => Buffer.alloc(51, n).toString('base64');
const print = (n: number) =>
  `SHA256:${createHash('sha256').update(Buffer.alloc(51, n)).digest('base64').replace(/=+$/, '')}`;
const salt = Buffer.alloc(20, 7);
const hashed = (name: string) =>
  `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;

test.each([
  [`sw1 ssh-ed25519 ${key(1)} comment here`, [1]],
  [`sw1,192.0.2.1 ssh-ed25519 ${key(1)}\nsw1 ssh-rsa ${key(2)}\r\n`, [1, 2]],
  [`other ssh-ed25519 ${key(1)}`, []],
  [`SW1 ssh-ed25519 ${key(1)}`, [1]],
  [`s?1 ssh-ed25519 ${key(1)}`, [1]],
  [`*.net,!sw1,sw* ssh-ed25519 ${key(1)}`, []],
  [`s*1 ssh-ed25519 ${key(1)}`, [1]],
  [`${hashed('sw1')} ssh-ed25519 ${key(1)}`, [1]],
  [`${hashed('sw2')} ssh-ed25519 ${key(1)}`, []],
  [`# sw1 ssh-ed25519 ${key(1)}\n\n  \n`, []],
  [`@cert-authority sw1 ssh-ed25519 ${key(1)}`, []],
  [`sw1 ssh-ed25519 ${key(1)}\n@revoked * ssh-ed25519 ${key(1)}`, []],
  [`sw1 ssh-ed25519 ${key(1)}\nsw1 ssh-ed25519 ${key(1)}`, [1]],
  [`[sw1]:22 ssh-ed25519 ${key(1)}`, []],
  ['sw1 ssh-ed25519 AAAA\nsw1 ssh-ed25519\nsw1\n|1|x sh x', []],
])('%s', (text, expected) => {
  expect(knownHostKeys(text, 'sw1', 22)).toEqual(expected.map(print));
});

test('another port has a name of its own', () => {
  const text = `sw1 ssh-ed25519 ${key(1)}\n[sw1]:2222 ssh-ed25519 ${key(2)}\n${hashed('[sw1]:2222')} ssh-rsa ${key(3)}`;
  expect(knownHostKeys(text, 'sw1', 2222)).toEqual([print(2), print(3)]);
});

test('a pattern made to be slow is not', () => {
  const line = `${'*a'.repeat(200)}b ssh-ed25519 ${key(1)}\n`;
  const started = process.cpuUsage().user;
  expect(knownHostKeys(line.repeat(1000), 'a'.repeat(250), 22)).toEqual([]);
  expect(process.cpuUsage().user - started).toBeLessThan(5_000_000);
});
