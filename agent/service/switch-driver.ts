import type { Driver } from '../../drivers/driver.ts';
import { mixed } from '../../drivers/mixed/index.ts';
import { findDriver } from '../../drivers/registry.ts';
import { snmp } from '../../drivers/snmp/index.ts';
import { SNMP_DRIVER } from '../config/rules-snmp.ts';
import type { SwitchConfig } from '../config/schema.ts';

/** The driver that a switch is configured for. Throws DriverLookupError. */
export function switchDriver({ driver, read }: Pick<SwitchConfig, 'driver' | 'read'>): Driver {
  const found = findDriver(driver);
  return read === 'snmp' && driver !== SNMP_DRIVER ? mixed(found, snmp.open) : found;
}
