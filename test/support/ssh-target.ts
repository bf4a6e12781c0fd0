import type { SwitchTarget } from '../../drivers/driver.ts';

interface Reachable {
  readonly address: { readonly host: string; readonly port: number };
  readonly hostKeyFingerprint: string;
}

/** How to reach a fake switch, as its first user. */
export function sshTarget(device: Reachable, options: SwitchTarget['options'] = {}): SwitchTarget {
  const { host, port } = device.address;
  return {
    name: 'tor',
    host,
    port,
    username: 'admin',
    password: 'sim-password',
    privateKey: null,
    passphrase: null,
    enablePassword: null,
    verifyHostKey: (fingerprint) => fingerprint === device.hostKeyFingerprint,
    algorithms: 'modern',
    connectTimeoutMs: 10_000,
    commandTimeoutMs: 10_000,
    options,
  };
}
