import type { Driver } from '../../drivers/driver.ts';
import { type Issue, issue } from './problem.ts';
import { credentialIssues, hostKeyIssues } from './rules-login.ts';
import { mqttIssues } from './rules-mqtt.ts';
import { networkIssues } from './rules-networks.ts';
import { portIssues } from './rules-ports.ts';
import { publisherIssues } from './rules-publishers.ts';
import { snmpIssues } from './rules-snmp.ts';
import type { Config } from './schema.ts';

/** What the rules need to know of the drivers. */
export interface RuleTools {
  /** Finds a driver by name; throws an error with a message for people, optionally with `suggestions`. */
  readonly findDriver: (name: string) => Driver;
}

/** The rules between keys that a schema cannot express. Pure. */
export function checkRules(config: Config, tools: RuleTools): Issue[] {
  return [
    ...modeIssues(config),
    ...mqttIssues(config),
    ...networkIssues(config),
    ...switchIssues(config, tools),
    ...portIssues(config),
    ...publisherIssues(config),
    ...folderIssues(config),
  ];
}

function modeIssues(config: Config): Issue[] {
  if (config.mode !== 'observe') return [];
  return [issue('info', ['mode'], 'observe: the agent reports and plans, and writes nothing to any switch')];
}

function switchIssues(config: Config, tools: RuleTools): Issue[] {
  const found: Issue[] = [];
  const seen = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [name, settings] of Object.entries(config.switches)) {
    const at = ['switches', name];
    found.push(...driverIssues(settings.driver, settings.options, at, tools));
    found.push(...credentialIssues(settings, at), ...hostKeyIssues(settings, at));
    found.push(...snmpIssues(settings, config.mode, at));
    const twin = names.get(name.toLowerCase());
    if (twin !== undefined) found.push(issue('error', at, `differs from switch ${twin} only in upper and lower case`));
    names.set(name.toLowerCase(), name);
    const address = `${settings.host.toLowerCase()} ${settings.port}`;
    const whole = `${address} ${settings.driver} ${JSON.stringify(settings.options)}`;
    const same = seen.get(whole);
    const shared = seen.get(address);
    if (same !== undefined) {
      found.push(issue('error', [...at, 'host'], `the same switch as ${same}: same host, port, driver and options`));
    } else if (shared !== undefined) {
      found.push(
        issue(
          'warning',
          [...at, 'host'],
          `the same host and port as ${shared}; right only for two bridges on one machine`,
        ),
      );
    }
    seen.set(whole, same ?? name);
    seen.set(address, shared ?? name);
  }
  return found;
}

function driverIssues(
  name: string,
  options: Readonly<Record<string, unknown>>,
  at: readonly PropertyKey[],
  tools: RuleTools,
): Issue[] {
  let driver: Driver;
  try {
    driver = tools.findDriver(name);
  } catch (error) {
    const message = error instanceof Error ? error.message : `there is no driver of that name`;
    return [issue('error', [...at, 'driver'], message)];
  }
  const problems = driver.checkOptions(options);
  return problems.map((problem) => issue('error', [...at, 'options'], problem));
}

/** Longest path of a unix socket on Linux (unix(7): 108 bytes with the closing zero). */
const SOCKET_PATH = 107;

function folderIssues(config: Config): Issue[] {
  const found: Issue[] = [];
  for (const key of ['stateDir', 'runtimeDir'] as const) {
    if (!config[key].startsWith('/'))
      found.push(issue('error', [key], 'is not an absolute path', 'a path that begins with /'));
  }
  if (Buffer.byteLength(`${config.runtimeDir}/control.sock`) > SOCKET_PATH) {
    found.push(issue('error', ['runtimeDir'], 'is too long for a socket in it', 'at most 94 bytes'));
  }
  if (config.stateDir === config.runtimeDir) {
    found.push(issue('warning', ['runtimeDir'], 'is the same folder as stateDir; the state should be private'));
  }
  return found;
}
