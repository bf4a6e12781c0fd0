import { type Issue, issue } from './problem.ts';
import type { SwitchConfig } from './schema.ts';

/** Rules on how the agent logs in at one switch. */
export function credentialIssues(settings: SwitchConfig, at: readonly PropertyKey[]): Issue[] {
  const found: Issue[] = [];
  if (settings.passphraseFile !== undefined && settings.privateKeyFile === undefined) {
    found.push(issue('warning', [...at, 'passphraseFile'], 'has no effect without privateKeyFile'));
  }
  return found;
}

/** Rules on how the agent knows that it talks to the right switch. */
export function hostKeyIssues(settings: SwitchConfig, at: readonly PropertyKey[]): Issue[] {
  if (settings.hostKeys?.length === 0) {
    const message = `the list is empty, so that no host key would be accepted; ${fingerprintHelp(settings)}`;
    return [issue('error', [...at, 'hostKeys'], message)];
  }
  if (settings.trustOnFirstUse && (settings.hostKeys !== undefined || settings.knownHostsFile !== undefined)) {
    return [issue('warning', [...at, 'trustOnFirstUse'], 'has no effect, since host keys are given')];
  }
  return [];
}

/** The command that shows the fingerprint of a switch's host key. Host and port come from the checked configuration. */
export function fingerprintHelp(settings: Pick<SwitchConfig, 'host' | 'port'>): string {
  const port = settings.port === 22 ? '' : `-p ${settings.port} `;
  return `to see the fingerprint: ssh-keyscan ${port}${settings.host} | ssh-keygen -lf - (and compare it with the switch's console)`;
}
