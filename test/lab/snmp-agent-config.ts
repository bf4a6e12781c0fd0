import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SnmpLogin } from './lab.ts';

/** The agent's configuration for the lab's switch over SNMP alone; polls come so seldom that only notifications count. */
export function snmpLabConfig(login: SnmpLogin, trapPort: number): Record<string, unknown> {
  const ssh = Object.fromEntries(['port', 'username', 'privateKeyFile', 'hostKeys'].map((key) => [key, undefined]));
  return {
    tor: { ...ssh, driver: 'snmp', pollInterval: 600, options: { save: 'immediate' }, snmp: { user: login.user } },
    traps: { listen: `0.0.0.0:${trapPort}` },
  };
}

/** Puts the passwords where that configuration looks for them. */
export function writeSnmpSecrets(folder: string, login: SnmpLogin): void {
  writeFileSync(join(folder, 'tor.auth'), login.authPassword, { mode: 0o600 });
  writeFileSync(join(folder, 'tor.priv'), login.privPassword, { mode: 0o600 });
}
