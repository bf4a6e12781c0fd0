import { aristaEos } from './arista-eos/index.ts';
import type { Driver } from './driver.ts';
import { nearest } from './model/nearest.ts';
import { openVswitch } from './open-vswitch/index.ts';
import { sim } from './sim/index.ts';
import { snmp } from './snmp/index.ts';

/** Every driver there is. A new network operating system is one folder and one line here. */
const DRIVERS: readonly Driver[] = [aristaEos, openVswitch, sim, snmp];

/**
 * Device types of OpenStack networking-generic-switch (entry points `generic_switch.devices`), without their "netmiko_",
 * and the driver that each stands for, so that switch configurations carry over.
 */
const DEVICE_TYPES: Readonly<Record<string, string>> = {
  arista_eos: 'arista-eos',
  aruba_aoscx: 'aruba-aoscx',
  brocade_fastiron: 'brocade-fastiron',
  cisco_ios: 'cisco-ios',
  cisco_nxos: 'cisco-nxos',
  cisco_s300: 'cisco-s300',
  cumulus: 'cumulus-nclu',
  cumulus_nvue: 'cumulus-nvue',
  dell_enterprise_sonic: 'dell-sonic',
  dell_force10: 'dell-os9',
  dell_os10: 'dell-os10',
  dell_powerconnect: 'dell-powerconnect',
  hp_comware: 'hpe-comware',
  hpe_comware: 'hpe-comware',
  huawei: 'huawei-vrp',
  huawei_vrpv8: 'huawei-vrp',
  juniper: 'juniper-junos',
  juniper_junos: 'juniper-junos',
  mellanox_mlnxos: 'nvidia-onyx',
  nokia_srl: 'nokia-srl',
  ovs_linux: 'open-vswitch',
  pluribus: 'pluribus-netvisor',
  ruijie: 'ruijie-rgos',
  sonic: 'sonic',
  supermicro_smis: 'supermicro-smis',
};

/**
 * No driver of that name. `code` is `DriverNotSupported` for an operating system that is known but has no driver yet, and
 * `DriverUnknown` for a name that means nothing here.
 */
export class DriverLookupError extends Error {
  override readonly name = 'DriverLookupError';
  readonly code: 'DriverUnknown' | 'DriverNotSupported';
  /** Names that may have been meant, best first. */
  readonly suggestions: readonly string[];

  constructor(code: DriverLookupError['code'], message: string, suggestions: readonly string[] = []) {
    super(message);
    this.code = code;
    this.suggestions = suggestions;
  }
}

/** All drivers, by name. */
export function listDrivers(): readonly Driver[] {
  return [...DRIVERS].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The driver of that name, or of that networking-generic-switch device type ("netmiko_" may be left out). There is no
 * default. Throws {@link DriverLookupError}.
 */
export function findDriver(name: string): Driver {
  const type = name.startsWith('netmiko_') ? name.slice('netmiko_'.length) : name;
  const meant = Object.hasOwn(DEVICE_TYPES, type) ? DEVICE_TYPES[type] : undefined;
  const driver = DRIVERS.find((d) => d.name === (meant ?? name));
  if (driver) return driver;
  const shown = `"${name.slice(0, 64).replace(/[^\x20-\x7e]/g, '?')}"`;
  const supported = listDrivers()
    .map((d) => d.name)
    .join(', ');
  if (meant !== undefined || Object.values(DEVICE_TYPES).includes(name)) {
    const called = meant === undefined ? shown : `${shown} (${meant})`;
    throw new DriverLookupError(
      'DriverNotSupported',
      `${called} is not supported yet; there are drivers for ${supported}`,
    );
  }
  const suggestions = nearest(name, [
    ...DRIVERS.map((d) => d.name),
    ...Object.keys(DEVICE_TYPES),
    ...Object.values(DEVICE_TYPES),
  ]);
  const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(' or ')}?` : '.';
  throw new DriverLookupError('DriverUnknown', `there is no driver ${shown}${hint} Drivers: ${supported}`, suggestions);
}
