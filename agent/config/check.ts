import type { Driver } from '../../drivers/driver.ts';
import { networkName } from '../model/intent.ts';
import { formatPath } from '../model/path.ts';
import { explainIssues, valueAt } from './explain.ts';
import { byPlace, type Issue, type Problem, placed } from './problem.ts';
import { checkRules } from './rules.ts';
import { type Config, configSchema } from './schema.ts';
import type { YamlText } from './yaml-text.ts';

/** Where a value comes from. */
export type Source = { readonly from: 'file'; readonly line: number } | { readonly from: 'default' };

/** A configuration that can be used. */
export interface LoadedConfig {
  readonly ok: true;
  readonly config: Config;
  /** Severity `warning` and `info`, in file order. */
  readonly warnings: readonly Problem[];
  /** By path of every value that is not a mapping ("mqtt.url"). */
  readonly sources: ReadonlyMap<string, Source>;
  /** Gives an issue that was found later (credentials) its place in this file. */
  locate(found: Issue): Problem;
}

export interface RefusedConfig {
  readonly ok: false;
  /** Every problem, errors and warnings, in file order. */
  readonly problems: readonly Problem[];
}

export interface CheckTools {
  /** Finds a driver by name; throws an error with a message for people. */
  readonly findDriver: (name: string) => Driver;
}

/** Checks what a configuration file says: its shape, then the rules between its keys. */
export function checkYaml(yaml: YamlText, file: string, tools: CheckTools): LoadedConfig | RefusedConfig {
  const locate = (found: Issue): Problem => {
    const { line, column } = yaml.place(found.path, found.atKey);
    return placed(found, file, line, column);
  };
  const syntax = yaml.problems.map((found) => placed(found, file, found.place.line, found.place.column));
  if (yaml.value === undefined) return { ok: false, problems: syntax };
  if (typeof yaml.value !== 'object' || yaml.value === null || Array.isArray(yaml.value)) {
    const shape: Issue = {
      severity: 'error',
      path: [],
      message: 'the file must be a mapping that begins with "rack: NAME"',
    };
    return { ok: false, problems: syntax.length > 0 ? syntax : [locate(shape)] };
  }
  const { config, issues } = checkShape(yaml.value);
  const found = config ? [...issues, ...checkRules(config, tools)] : issues;
  const likely =
    issues.length === 0 || !config ? found : found.filter((one) => issues.includes(one) || !shadowed(one, issues));
  const errors = likely.some((one) => one.severity === 'error');
  const broken = new Set(syntax.map((problem) => problem.line));
  // What is missing, or wrong in a broken line, may only be a consequence of the broken syntax.
  const sure = likely
    .map(locate)
    .filter((problem) => syntax.length === 0 || !(broken.has(problem.line) || problem.message === 'missing'));
  const problems = [...syntax, ...sure].sort(byPlace);
  if (!config || errors || syntax.length > 0) return { ok: false, problems };
  return { ok: true, config, warnings: problems, sources: sourcesOf(config, yaml), locate };
}

/**
 * Checks the shape. When parts are wrong, the rest is tried without them, so that rules between keys can be checked in the
 * same run; the configuration is then not to be used.
 */
function checkShape(value: object): { readonly config: Config | null; readonly issues: readonly Issue[] } {
  const checked = configSchema.safeParse(value);
  if (checked.success) return { config: checked.data, issues: [] };
  const issues = explainIssues(configSchema, value, checked.error.issues);
  const rest: unknown = structuredClone(value);
  for (const { path } of [...issues].reverse()) drop(rest, path);
  const second = configSchema.safeParse(rest);
  if (second.success) return { config: second.data, issues };
  for (const { path } of second.error.issues) fill(rest, path);
  const third = configSchema.safeParse(rest);
  return { config: third.success ? third.data : null, issues };
}

/** Stand-ins for keys that must be there; never shown and never used but for checking the rest. */
const STAND_IN: Readonly<Record<string, unknown>> = {
  rack: 'rack',
  mqtt: { url: 'mqtt://localhost' },
  url: 'mqtt://localhost',
  driver: 'driver',
  username: 'username',
};

function fill(value: unknown, path: readonly PropertyKey[]): void {
  const key = path.at(-1);
  const container = valueAt(value, path.slice(0, -1));
  if (typeof key !== 'string' || typeof container !== 'object' || container === null || Object.hasOwn(container, key))
    return;
  // Hosts differ from each other, so that no rule takes two for the same.
  const standIn = key === 'host' ? `${path.join('-').replace(/[^A-Za-z0-9]/g, '-')}` : STAND_IN[key];
  if (standIn !== undefined) (container as Record<string, unknown>)[key] = standIn;
}

/** Removes what is at a path, if it is there. */
function drop(value: unknown, path: readonly PropertyKey[]): void {
  const key = path.at(-1);
  const container = valueAt(value, path.slice(0, -1));
  if (key === undefined || typeof container !== 'object' || container === null) return;
  if (Array.isArray(container)) container.splice(Number(key), 1);
  // A network keeps its name, so that what refers to it is not taken for wrong.
  else if (path[0] === 'networks' && path.length === 2 && networkName.safeParse(key).success) {
    (container as Record<PropertyKey, unknown>)[key] = { mode: 'trunk', allowedVLANs: [] };
  } else delete (container as Record<PropertyKey, unknown>)[key];
}

/** A rule on the mapping in which something was dropped, or on a key beside it, may only be a consequence of that. */
function shadowed(rule: Issue, dropped: readonly Issue[]): boolean {
  return dropped.some(({ path }) => {
    const container = path.slice(0, -1);
    return rule.path.length <= path.length && container.every((part, i) => rule.path[i] === part);
  });
}

function sourcesOf(config: Config, yaml: YamlText): Map<string, Source> {
  const sources = new Map<string, Source>();
  const walk = (value: unknown, path: readonly PropertyKey[]): void => {
    const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
    for (const [key, inner] of entries) walk(inner, [...path, key]);
    if (entries.length > 0 || path.length === 0) return;
    sources.set(formatPath(path), yaml.has(path) ? { from: 'file', line: yaml.place(path).line } : { from: 'default' });
  };
  walk(config, []);
  return sources;
}
