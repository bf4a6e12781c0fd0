import { type Issue, issue } from './problem.ts';
import type { Config, SwitchConfig } from './schema.ts';

/** The driver that speaks SNMP. */
export const SNMP_DRIVER = 'snmp';
/** Keys that only mean something to a driver over SSH. */
const SSH_KEYS = [
  'username',
  'passwordFile',
  'privateKeyFile',
  'passphraseFile',
  'enablePasswordFile',
  'hostKeys',
  'knownHostsFile',
] as const;

/** Rules on SNMP at one switch, and on what a driver over SSH needs instead. */
export function snmpIssues(settings: SwitchConfig, mode: Config['mode'], at: readonly PropertyKey[]): Issue[] {
  const { snmp, driver } = settings;
  const own = driver === SNMP_DRIVER ? 'snmp' : 'ssh';
  const found: Issue[] = [];
  if (own === 'ssh' && settings.username === undefined)
    found.push(issue('error', [...at, 'username'], 'is missing: the driver logs in over SSH'));
  if (settings.write !== undefined && settings.write !== own)
    found.push(issue('error', [...at, 'write'], `the driver ${driver} writes over ${own.toUpperCase()}`));
  if (own === 'snmp' && settings.read === 'ssh')
    found.push(issue('error', [...at, 'read'], 'the driver snmp reads over SNMP'));
  const wanted = own === 'snmp' || settings.read === 'snmp';
  if (snmp === undefined) {
    if (wanted) found.push(issue('error', at, 'snmp is missing: its version and credentials are needed'));
    return found;
  }
  if (!wanted)
    found.push(
      issue('error', [...at, 'snmp'], `has no effect with the driver ${driver}; set read: snmp, or leave it out`),
    );
  if (own === 'snmp')
    for (const key of SSH_KEYS)
      if (settings[key] !== undefined) found.push(issue('warning', [...at, key], 'has no effect with the driver snmp'));
  const other =
    snmp.version === '3'
      ? (['communityFile', 'writeCommunityFile'] as const)
      : (['user', 'authPasswordFile', 'privPasswordFile', 'context'] as const);
  for (const key of other)
    if (snmp[key] !== undefined)
      found.push(issue('warning', [...at, 'snmp', key], `has no effect with version ${snmp.version}`));
  if (snmp.version === '3' && snmp.user === undefined)
    found.push(issue('error', [...at, 'snmp'], 'user is missing: version 3 needs one'));
  if (snmp.version === '2c' && mode === 'manage' && own === 'snmp')
    found.push(
      issue(
        'warning',
        [...at, 'snmp', 'version'],
        'with version 2c, anybody on the path to the switch can read the community and write to the switch; use version 3',
      ),
    );
  return found;
}
