import type { SwitchCredentials } from '../config/credentials.ts';
import type { SwitchConfig } from '../config/schema.ts';

/** Who an SNMP session is, or a notification must be, by version; the configuration has checked that the secrets are there. Pure. */
export function snmpLogin(config: NonNullable<SwitchConfig['snmp']>, secrets: SwitchCredentials['snmp']) {
  if (config.version === '2c') return { version: '2c', community: secrets.community?.reveal() ?? '' } as const;
  return {
    version: '3',
    user: config.user ?? '',
    authProtocol: config.authProtocol,
    authPassword: secrets.authPassword?.reveal() ?? '',
    privProtocol: config.privProtocol,
    privPassword: secrets.privPassword?.reveal() ?? '',
  } as const;
}
