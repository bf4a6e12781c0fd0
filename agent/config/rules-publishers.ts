import { nearest } from '../../drivers/model/nearest.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import { own } from '../model/own.ts';
import { type Issue, issue } from './problem.ts';
import { networkVlans, unknownNetwork, vlanListIssues } from './rules-networks.ts';
import { patternIssues } from './rules-ports.ts';
import type { Config, PublisherConfig } from './schema.ts';

/** Rules on who may use what. */
export function publisherIssues(config: Config): Issue[] {
  if (config.publishers === undefined) return [];
  const entries = Object.entries(config.publishers);
  if (entries.length === 0) {
    const message = 'no publisher is listed, so that every intent is answered PublisherNotAllowed';
    return [{ ...issue('warning', ['publishers'], message), atKey: true }];
  }
  return entries.flatMap(([name, publisher]) => onePublisher(config, publisher, ['publishers', name]));
}

function onePublisher(config: Config, publisher: PublisherConfig, at: readonly PropertyKey[]): Issue[] {
  const found: Issue[] = [];
  for (const [name, ports] of Object.entries(publisher.ports ?? {})) {
    const path = [...at, 'ports', name];
    if (own(config.switches, name) === undefined) found.push(unknownSwitch(path, name, Object.keys(config.switches)));
    found.push(...patternIssues(ports, path));
  }
  const known = Object.keys(config.networks);
  for (const [index, name] of (publisher.networks ?? []).entries()) {
    if (!known.includes(name)) found.push(unknownNetwork([...at, 'networks', index], name, known));
  }
  const wrong = vlanListIssues(publisher.vlans ?? [], [...at, 'vlans']);
  found.push(...wrong);
  if (wrong.length === 0) found.push(...boundaryIssues(config, publisher, at));
  return found;
}

function unknownSwitch(path: readonly PropertyKey[], name: string, known: readonly string[]): Issue {
  const found = { ...issue('error', path, 'there is no switch of that name in switches'), atKey: true };
  const [suggestion] = nearest(name, known, 1);
  return suggestion === undefined ? { ...found, allowed: known.slice(0, 20).join(', ') } : { ...found, suggestion };
}

/** The boundary between provider networks and tenants: a VLAN should not be on both sides. */
function boundaryIssues(config: Config, publisher: PublisherConfig, at: readonly PropertyKey[]): Issue[] {
  if (publisher.vlans === undefined) return [];
  const vlans = VlanSet.fromItems(publisher.vlans);
  return Object.entries(config.networks).flatMap(([name, network]) => {
    if (typeof network === 'string') return [];
    const both = networkVlans(network).intersect(vlans);
    if (both.isEmpty) return [];
    const message = `VLAN ${both} is provider network ${name} as well: a tenant's port could be put into that network`;
    return [issue('warning', [...at, 'vlans'], message)];
  });
}
