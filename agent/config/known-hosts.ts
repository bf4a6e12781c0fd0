import { createHash, createHmac } from 'node:crypto';

const MAX_LINES = 20_000;

/**
 * Fingerprints ("SHA256:...") of the keys that an OpenSSH known_hosts file has for a host (sshd(8), SSH_KNOWN_HOSTS FILE
 * FORMAT): plain, "[host]:port", patterns with * and ?, negated and hashed names. Revoked keys are left out everywhere;
 * certificate authorities are not used.
 */
export function knownHostKeys(text: string, host: string, port: number): string[] {
  const name = port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
  const keys = new Set<string>();
  const revoked = new Set<string>();
  for (const line of text.split('\n', MAX_LINES)) {
    const fields = line.trim().split(/\s+/);
    if (fields[0] === '' || fields[0]?.startsWith('#')) continue;
    const marker = fields[0]?.startsWith('@') ? fields.shift() : undefined;
    const [hosts, , key] = fields;
    if (hosts === undefined || key === undefined || marker === '@cert-authority' || !matches(hosts, name)) continue;
    const print = fingerprint(key);
    if (print !== null) (marker === '@revoked' ? revoked : keys).add(print);
  }
  return [...keys].filter((key) => !revoked.has(key));
}

function matches(hosts: string, name: string): boolean {
  let found = false;
  for (const pattern of hosts.split(',')) {
    if (pattern.startsWith('!')) {
      if (fits(pattern.slice(1), name)) return false;
    } else if (fits(pattern, name)) found = true;
  }
  return found;
}

function fits(pattern: string, name: string): boolean {
  const hashed = /^\|1\|([A-Za-z0-9+/=]+)\|([A-Za-z0-9+/=]+)$/.exec(pattern);
  if (hashed) {
    const salt = Buffer.from(hashed[1] ?? '', 'base64');
    return createHmac('sha1', salt).update(name).digest('base64') === hashed[2];
  }
  return wildcard(pattern.toLowerCase(), name);
}

/** "*" any text, "?" one character; linear in time but for the number of stars. */
function wildcard(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

function fingerprint(key: string): string | null {
  const raw = Buffer.from(key, 'base64');
  if (raw.length < 16) return null;
  return `SHA256:${createHash('sha256').update(raw).digest('base64').replace(/=+$/, '')}`;
}
