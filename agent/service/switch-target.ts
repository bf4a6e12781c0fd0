import type { SwitchTarget } from '../../drivers/driver.ts';
import type { SnmpTarget } from '../../drivers/snmp/session-types.ts';
import type { SwitchCredentials } from '../config/credentials.ts';
import { SNMP_DRIVER } from '../config/rules-snmp.ts';
import type { SwitchConfig } from '../config/schema.ts';
import { driverOptions } from '../pipeline/driver-options.ts';
import type { Refusal } from '../pipeline/fabric.ts';
import { snmpLogin } from './snmp-login.ts';

export interface HostKeyMemory {
  /** The key pinned on first use; null: none yet. */
  readonly pinned: string | null;
  /** Pins a key durably; rejects when it could not be written down. */
  readonly pin: (fingerprint: string) => Promise<void>;
}

/**
 * Where and how to reach a switch. The host key must be one of those configured; only with `trustOnFirstUse`, and when
 * none is configured, the first one seen is pinned. Says why when there is no way to tell the right switch from another.
 */
export function switchTarget(
  name: string,
  config: SwitchConfig,
  secrets: SwitchCredentials,
  memory: HostKeyMemory,
): SwitchTarget | Refusal {
  const known = secrets.hostKeys.map(bare);
  const snmp = config.snmp === undefined ? null : snmpTarget(config.host, config.snmp, secrets.snmp);
  if (config.driver !== SNMP_DRIVER && known.length === 0 && !config.trustOnFirstUse) {
    return {
      reason: 'SwitchUnreachable',
      message: `${name}: no host key is configured for ${config.host} port ${config.port}; set hostKeys or knownHostsFile`,
    };
  }
  return {
    name,
    host: config.host,
    port: config.port,
    username: config.username ?? '',
    password: secrets.password?.reveal() ?? null,
    privateKey: secrets.privateKey?.reveal() ?? null,
    passphrase: secrets.passphrase?.reveal() ?? null,
    enablePassword: secrets.enablePassword?.reveal() ?? null,
    verifyHostKey: async (fingerprint) => {
      if (known.length > 0) return known.includes(bare(fingerprint));
      if (memory.pinned !== null) return bare(memory.pinned) === bare(fingerprint);
      await memory.pin(fingerprint);
      return true;
    },
    algorithms: config.algorithms,
    connectTimeoutMs: config.connectTimeout * 1000,
    commandTimeoutMs: config.commandTimeout * 1000,
    snmp,
    options: driverOptions(config),
  };
}

function snmpTarget(
  host: string,
  config: NonNullable<SwitchConfig['snmp']>,
  secrets: SwitchCredentials['snmp'],
): SnmpTarget {
  const place = {
    host,
    port: config.port,
    timeoutMs: config.timeout * 1000,
    retries: config.retries,
    maxRepetitions: config.maxRepetitions,
  };
  const login = snmpLogin(config, secrets);
  return login.version === '2c'
    ? { ...place, ...login, writeCommunity: secrets.writeCommunity?.reveal() ?? null }
    : { ...place, ...login, context: config.context ?? '' };
}

/** OpenSSH prints fingerprints without padding. */
function bare(fingerprint: string): string {
  return fingerprint.replace(/=+$/, '');
}
