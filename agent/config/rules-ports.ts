import { portPatternProblem, rangeNames } from '../../drivers/text/port-range.ts';
import { type Issue, issue } from './problem.ts';
import type { Config, SwitchConfig } from './schema.ts';

/** Rules on port lists. */
export function portIssues(config: Config): Issue[] {
  const found: Issue[] = [];
  const switches = Object.entries(config.switches);
  for (const [name, settings] of switches) {
    const at = ['switches', name];
    for (const key of ['managedPorts', 'protectedPorts', 'uplinksConfirmed'] as const) {
      found.push(...patternIssues(settings[key] ?? [], [...at, key]));
    }
    found.push(...overlapIssues(settings, at));
    found.push(...parkingIssues(config, settings, at));
  }
  if (switches.every(([, settings]) => (settings.managedPorts ?? []).length === 0)) {
    const message = 'no switch has managedPorts: the agent only reports, and every intent is answered PortNotManaged';
    found.push({ ...issue('warning', ['switches'], message), atKey: true });
  }
  return found;
}

/** Wrong names and ranges of a port list, and names that stand in it twice. */
export function patternIssues(patterns: readonly string[], at: readonly PropertyKey[]): Issue[] {
  const seen = new Set<string>();
  return patterns.flatMap((pattern, index) => {
    const problem = portPatternProblem(pattern);
    if (problem !== null) return [issue('error', [...at, index], problem)];
    const twice = seen.has(pattern.toLowerCase());
    seen.add(pattern.toLowerCase());
    return twice ? [issue('warning', [...at, index], 'stands in this list twice')] : [];
  });
}

function overlapIssues(settings: SwitchConfig, at: readonly PropertyKey[]): Issue[] {
  const managed = expand(settings.managedPorts ?? []);
  const found: Issue[] = [];
  for (const [index, pattern] of settings.protectedPorts.entries()) {
    const both = [...expand([pattern])].filter((port) => managed.has(port)).length;
    if (both === 0) continue;
    const which = both === 1 ? 'this port is' : `${both} of these ports are`;
    found.push(issue('warning', [...at, 'protectedPorts', index], `${which} in managedPorts, too; protected wins`));
  }
  for (const [index, pattern] of settings.uplinksConfirmed.entries()) {
    if ([...expand([pattern])].some((port) => managed.has(port))) continue;
    found.push(
      issue('warning', [...at, 'uplinksConfirmed', index], 'has no effect for ports that are not in managedPorts'),
    );
  }
  return found;
}

function expand(patterns: readonly string[]): Set<string> {
  return new Set(patterns.flatMap((pattern) => rangeNames(pattern) ?? [pattern]).map((name) => name.toLowerCase()));
}

function parkingIssues(config: Config, settings: SwitchConfig, at: readonly PropertyKey[]): Issue[] {
  const { parkingVlan } = settings;
  if (parkingVlan === undefined) return [];
  const user = Object.entries(config.networks).find(
    ([name, network]) => name !== 'idle' && typeof network !== 'string' && network.nativeVLAN === parkingVlan,
  );
  if (!user) return [];
  return [issue('error', [...at, 'parkingVlan'], `leads nowhere, so that network ${user[0]} must not use it`)];
}
