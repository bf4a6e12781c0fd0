import { type Issue, issue } from './problem.ts';
import type { Config, SwitchConfig } from './schema.ts';

/** The driver that speaks SNMP. */
const SNMP_DRIVER = 'snmp';
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
  const { snmp } = settings;
  if (settings.driver !== SNMP_DRIVER) {
    const found: Issue[] = [];
    if (settings.username === undefined)
      found.push(issue('error', [...at, 'username'], 'is missing: the driver logs in over SSH'));
    if (snmp !== undefined)
      found.push(issue('error', [...at, 'snmp'], `has no effect with the driver ${settings.driver}; leave it out`));
    return found;
  }
  if (snmp === undefined) return [issue('error', at, 'snmp is missing: the driver needs its version and credentials')];
  const found: Issue[] = SSH_KEYS.filter((key) => settings[key] !== undefined).map((key) =>
    issue('warning', [...at, key], 'has no effect with the driver snmp'),
  );
  const other =
    snmp.version === '3'
      ? (['communityFile', 'writeCommunityFile'] as const)
      : (['user', 'authPasswordFile', 'privPasswordFile', 'context'] as const);
  for (const key of other)
    if (snmp[key] !== undefined)
      found.push(issue('warning', [...at, 'snmp', key], `has no effect with version ${snmp.version}`));
  if (snmp.version === '3' && snmp.user === undefined)
    found.push(issue('error', [...at, 'snmp'], 'user is missing: version 3 needs one'));
  if (snmp.version === '2c' && mode === 'manage')
    found.push(
      issue(
        'warning',
        [...at, 'snmp', 'version'],
        'with version 2c, anybody on the path to the switch can read the community and write to the switch; use version 3',
      ),
    );
  return found;
}
