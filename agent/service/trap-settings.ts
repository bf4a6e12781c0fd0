import type { TrapCredentials } from '../../drivers/transport/snmp-traps.ts';
import type { Credentials } from '../config/credentials.ts';
import type { Config } from '../config/schema.ts';
import type { TrapSettings } from './trap-desk.ts';

/** Where to listen for notifications, and whose are believed, by the configuration; null: nowhere. Pure. */
export function trapSettings(config: Config, credentials: Credentials): TrapSettings | null {
  if (config.traps === undefined) return null;
  const switches = Object.entries(config.switches).flatMap(([name, { host, snmp }]) => {
    const secrets = credentials.switches[name]?.snmp;
    if (snmp === undefined || secrets === undefined) return [];
    const given: TrapCredentials =
      snmp.version === '2c'
        ? { version: '2c', community: secrets.community?.reveal() ?? '' }
        : {
            version: '3',
            user: snmp.user ?? '',
            authProtocol: snmp.authProtocol,
            authPassword: secrets.authPassword?.reveal() ?? '',
            privProtocol: snmp.privProtocol,
            privPassword: secrets.privPassword?.reveal() ?? '',
          };
    return [{ name, hosts: snmp.trapHosts ?? [host], credentials: given }];
  });
  return { listen: config.traps.listen, switches };
}
