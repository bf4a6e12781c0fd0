import type { Credentials } from '../config/credentials.ts';
import type { Config } from '../config/schema.ts';
import { snmpLogin } from './snmp-login.ts';
import type { TrapSettings } from './trap-desk.ts';

/** Where to listen for notifications, and whose are believed, by the configuration; null: nowhere. Pure. */
export function trapSettings(config: Config, credentials: Credentials): TrapSettings | null {
  if (config.traps === undefined) return null;
  const switches = Object.entries(config.switches).flatMap(([name, { host, snmp }]) => {
    const secrets = credentials.switches[name]?.snmp;
    if (snmp === undefined || secrets === undefined) return [];
    return [{ name, hosts: snmp.trapHosts ?? [host], credentials: snmpLogin(snmp, secrets) }];
  });
  return { listen: config.traps.listen, switches };
}
