import { nearest } from '../../drivers/model/nearest.ts';
import { VlanSet, VlanSyntaxError } from '../../drivers/model/vlan-set.ts';
import { own } from '../model/own.ts';
import { type Issue, issue } from './problem.ts';
import type { Config } from './schema.ts';

type Network = Config['networks'][string];
export type NetworkDefinition = Exclude<Network, string>;

/** The definition that a network name stands for in the end; null when it leads nowhere or in a circle. */
export function resolveNetwork(networks: Config['networks'], name: string): NetworkDefinition | null {
  const seen = new Set<string>();
  let at: Network | undefined = own(networks, name);
  while (typeof at === 'string') {
    if (seen.has(at)) return null;
    seen.add(at);
    at = own(networks, at);
  }
  return at ?? null;
}

/** Rules on provider networks. */
export function networkIssues(config: Config): Issue[] {
  const found: Issue[] = [];
  for (const [name, network] of Object.entries(config.networks)) {
    const at = ['networks', name];
    if (typeof network !== 'string') found.push(...definitionIssues(network, at));
    else if (own(config.networks, network) === undefined) {
      found.push(
        unknownNetwork(
          at,
          network,
          Object.keys(config.networks).filter((other) => other !== name),
        ),
      );
    } else if (resolveNetwork(config.networks, name) === null && inCircle(config.networks, name)) {
      found.push(issue('error', at, 'stands for itself in a circle; one of the names must be a definition'));
    }
  }
  const managed = Object.values(config.switches).some((settings) => (settings.managedPorts ?? []).length > 0);
  if (managed && own(config.networks, 'idle') === undefined) {
    found.push({
      ...issue(
        'warning',
        ['networks'],
        'there is no network "idle": a port whose intent is withdrawn keeps the VLANs it has',
      ),
      atKey: true,
    });
  }
  return found;
}

/** A name that no network has. */
export function unknownNetwork(path: readonly PropertyKey[], name: string, known: readonly string[]): Issue {
  const found = issue('error', path, 'there is no network of that name in networks');
  const [suggestion] = nearest(name, known, 1);
  if (suggestion !== undefined) return { ...found, suggestion };
  return known.length === 0 ? found : { ...found, allowed: known.slice(0, 20).join(', ') };
}

function inCircle(networks: Config['networks'], name: string): boolean {
  const seen = new Set<string>();
  for (let at: Network | undefined = name; typeof at === 'string'; at = own(networks, at)) {
    if (seen.has(at)) return true;
    seen.add(at);
  }
  return false;
}

function definitionIssues(network: NetworkDefinition, at: readonly PropertyKey[]): Issue[] {
  const { mode, nativeVLAN, allowedVLANs } = network;
  const found = vlanListIssues(allowedVLANs ?? [], [...at, 'allowedVLANs']);
  if (mode !== 'trunk' && nativeVLAN === undefined) {
    found.push(issue('error', at, `mode ${mode} needs nativeVLAN`));
  }
  if (mode === 'access' && (allowedVLANs ?? []).length > 0) {
    found.push(
      issue('error', [...at, 'allowedVLANs'], 'mode access takes no allowedVLANs; use mode trunk, or leave them out'),
    );
  }
  if (mode === 'hybrid' && allowedVLANs === undefined) {
    found.push(issue('error', at, 'mode hybrid needs allowedVLANs'));
  }
  if (mode === 'trunk' && allowedVLANs === undefined && nativeVLAN === undefined) {
    found.push(issue('error', at, 'mode trunk needs allowedVLANs or nativeVLAN; "allowedVLANs: []" carries nothing'));
  }
  return found;
}

/** Wrong items of a VLAN list, such as a reversed range. */
export function vlanListIssues(items: readonly (number | string)[], at: readonly PropertyKey[]): Issue[] {
  return items.flatMap((item, index) => {
    try {
      VlanSet.fromItems([item]);
      return [];
    } catch (error) {
      if (!(error instanceof VlanSyntaxError)) throw error;
      return [issue('error', [...at, index], error.message)];
    }
  });
}

/** Every VLAN that a network carries; wrong items are left out. */
export function networkVlans(network: NetworkDefinition): VlanSet {
  const items = (network.allowedVLANs ?? []).filter((item) => vlanListIssues([item], []).length === 0);
  const allowed = network.mode === 'access' ? VlanSet.EMPTY : VlanSet.fromItems(items);
  return network.nativeVLAN === undefined ? allowed : allowed.with(network.nativeVLAN);
}
