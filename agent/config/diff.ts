import type { Credentials, SwitchCredentials } from './credentials.ts';
import type { Config, SwitchConfig } from './schema.ts';
import { Secret } from './secret.ts';

/** What a new configuration means for a running agent. */
export interface ConfigDiff {
  /** Nothing at all is different. */
  readonly same: boolean;
  /** The connection to the broker must be made anew. */
  readonly mqtt: boolean;
  readonly switches: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    /** Their session must be closed and opened anew: address, driver or login changed. */
    readonly connection: readonly string[];
    /** Their session stays; ports, timing or options of the agent changed. */
    readonly policyOnly: readonly string[];
  };
  /** Anything else that planning depends on (mode, networks, publishers ...). */
  readonly policy: boolean;
  /** Keys that changed and only take effect after a restart. */
  readonly restartRequired: readonly string[];
}

/** A configuration with what its files hold. */
export interface ConfigState {
  readonly config: Config;
  readonly credentials: Credentials;
}

/** Keys of a switch that its session depends on; its credentials count as well. */
const CONNECTION = [
  'driver',
  'host',
  'port',
  'username',
  'algorithms',
  'connectTimeout',
  'commandTimeout',
  'options',
  'parkingVlan',
  'snmp',
  'read',
] as const;
const RESTART = ['rack', 'stateDir', 'runtimeDir'] as const;
const SEPARATE = new Set<keyof Config>(['mqtt', 'switches', ...RESTART]);

/** Compares two configurations, so that sessions which did not change are kept. Pure. */
export function diffConfig(before: ConfigState, after: ConfigState): ConfigDiff {
  const restartRequired = RESTART.filter((key) => before.config[key] !== after.config[key]);
  const mqtt = !same(before.config.mqtt, after.config.mqtt) || !same(before.credentials.mqtt, after.credentials.mqtt);
  const old = before.config.switches;
  const now = after.config.switches;
  const both = Object.keys(now).filter((name) => Object.hasOwn(old, name));
  const connection = both.filter((name) => !sameSession(before, after, name));
  const switches = {
    added: Object.keys(now).filter((name) => !Object.hasOwn(old, name)),
    removed: Object.keys(old).filter((name) => !Object.hasOwn(now, name)),
    connection,
    policyOnly: both.filter((name) => !connection.includes(name) && !same(old[name], now[name])),
  };
  const policy = !same(rest(before.config), rest(after.config));
  const changed = Object.values(switches).some((names) => names.length > 0);
  return {
    same: !mqtt && !policy && !changed && restartRequired.length === 0,
    mqtt,
    switches,
    policy,
    restartRequired,
  };
}

function sameSession(before: ConfigState, after: ConfigState, name: string): boolean {
  const old = session(before.config.switches[name], before.credentials.switches[name]);
  return same(old, session(after.config.switches[name], after.credentials.switches[name]));
}

function session(settings: SwitchConfig | undefined, credentials: SwitchCredentials | undefined): unknown {
  // Whether the first key seen may be trusted matters only when no key is given.
  const trust = settings?.trustOnFirstUse === true && (credentials?.hostKeys ?? []).length === 0;
  return [...CONNECTION.map((key) => settings?.[key]), trust, { ...credentials }];
}

function rest(config: Config): unknown {
  return Object.entries(config).filter(([key]) => !SEPARATE.has(key as keyof Config));
}

/** Deep equality of plain values and secrets; the order of keys does not matter, that of lists does. */
function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (a instanceof Secret || b instanceof Secret) return a instanceof Secret && b instanceof Secret && a.equals(b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]));
}
