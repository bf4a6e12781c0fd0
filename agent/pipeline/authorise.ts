import type { PortConfig } from '../../drivers/model/port.ts';
import { carriedVlans, type Switchport, switchport } from '../../drivers/model/switchport.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import { expandPortList } from '../../drivers/text/port-name.ts';
import type { Config, PublisherConfig } from '../config/schema.ts';
import type { Attachment } from '../model/intent.ts';
import { own } from '../model/own.ts';
import { type FabricSwitch, portPolicy, type Refusal } from './fabric.ts';

type NetworkDefinition = Exclude<Config['networks'][string], string>;

/** A provider network with aliases followed to its end. */
export interface Network {
  /** The name of the definition itself, after following aliases. */
  readonly name: string;
  readonly switchport: Switchport;
  readonly mtu: number | null;
  readonly adminState: 'up' | 'down';
}

/** Finds a provider network, following names that stand for another. null: this rack has none of that name. */
export function findNetwork(name: string, networks: Config['networks']): Network | null {
  let current = name;
  for (let hops = 0; hops < 32; hops++) {
    const definition = own(networks, current);
    if (definition === undefined) return null;
    if (typeof definition !== 'string') return network(current, definition);
    current = definition;
  }
  return null;
}

function network(name: string, definition: NetworkDefinition): Network {
  const allowed = VlanSet.fromItems(definition.allowedVLANs ?? []);
  return {
    name,
    switchport: switchport(definition.mode, definition.nativeVLAN ?? null, allowed),
    mtu: definition.mtu ?? null,
    adminState: definition.adminState,
  };
}

/** Every VLAN that some provider network of this rack uses. */
export function providerVlans(networks: Config['networks']): VlanSet {
  let all = VlanSet.EMPTY;
  for (const [name, definition] of Object.entries(networks)) {
    if (typeof definition !== 'string') all = all.union(carriedVlans(network(name, definition).switchport));
  }
  return all;
}

/** What a port that belongs to a network is kept at. */
export function networkConfig(net: Network): PortConfig {
  return { switchport: net.switchport, adminState: net.adminState, mtu: net.mtu, description: null };
}

export type Authorised =
  | { readonly config: PortConfig; readonly network: string | null }
  | { readonly refusal: Refusal };

const refuse = (reason: Refusal['reason'], message: string): Authorised => ({ refusal: { reason, message } });

/** What policy says about a publisher at all; null: it may speak. */
export function refusePublisher(publisher: string, config: Config): Refusal | null {
  if (config.publishers === undefined || own(config.publishers, publisher) !== undefined) return null;
  return {
    reason: 'PublisherNotAllowed',
    message: `the configuration names the publishers of this rack, and "${publisher}" is none of them`,
  };
}

/** What policy says about the port itself, whatever is wanted on it. null: this publisher may use it. */
export function refusePort(publisher: string, port: string, on: FabricSwitch, config: Config): Refusal | null {
  const policy = portPolicy(on);
  const why = policy.protected.get(port);
  if (why !== undefined) return { reason: 'PortProtected', message: `${port} of ${on.name} is protected: ${why}` };
  if (!policy.managed.has(port))
    return { reason: 'PortNotManaged', message: `${port} of ${on.name} is not among its managedPorts` };
  const rules = config.publishers && own(config.publishers, publisher);
  if (rules?.ports !== undefined && on.ports !== null) {
    const allowed = expandPortList(own(rules.ports, on.name) ?? [], on.ports).matched;
    if (!allowed.has(port))
      return { reason: 'PortNotAllowed', message: `"${publisher}" may not use ${port} of ${on.name}` };
  }
  return null;
}

/**
 * Turns an attachment into the configuration of its port, if policy gives the publisher its networks and VLANs. The
 * boundary rule holds for everybody: a port never carries VLANs of a provider network together with others.
 */
export function authorise(publisher: string, attachment: Attachment, config: Config): Authorised {
  const rules: PublisherConfig = (config.publishers && own(config.publishers, publisher)) ?? {};
  const common = { adminState: attachment.adminState ?? 'up', description: attachment.description ?? null } as const;
  if (attachment.network !== undefined) {
    const net = findNetwork(attachment.network, config.networks);
    if (net) {
      if (rules.networks !== undefined && !rules.networks.includes(attachment.network)) {
        return refuse('NetworkNotAllowed', `"${publisher}" may not use the provider network "${attachment.network}"`);
      }
      return {
        config: {
          ...common,
          switchport: net.switchport,
          mtu: net.mtu,
          adminState: attachment.adminState ?? net.adminState,
        },
        network: net.name,
      };
    }
    if (attachment.switchport === undefined || config.unknownNetwork !== 'useSwitchport') {
      const names = Object.keys(config.networks);
      return refuse(
        'NetworkUnknown',
        `this rack has no provider network "${attachment.network}"${names.length > 0 ? `; it has ${names.join(', ')}` : ''}`,
      );
    }
  }
  const wanted = attachment.switchport;
  if (wanted === undefined) return refuse('Malformed', 'the attachment has neither a switchport nor a network');
  const port = switchport(wanted.mode, wanted.nativeVLAN ?? null, VlanSet.fromItems(wanted.allowedVLANs ?? []));
  const carried = carriedVlans(port);
  if (rules.vlans !== undefined) {
    const beyond = carried.minus(VlanSet.fromItems(rules.vlans));
    if (!beyond.isEmpty) return refuse('VlanNotAllowed', `"${publisher}" may not use VLAN ${beyond}`);
  }
  const provider = providerVlans(config.networks);
  const shared = carried.intersect(provider);
  if (!shared.isEmpty && !carried.isSubsetOf(provider)) {
    return refuse(
      'VlanNotAllowed',
      `VLAN ${shared} belongs to a provider network and may not share a port with VLAN ${carried.minus(provider)}`,
    );
  }
  return { config: { ...common, switchport: port, mtu: wanted.mtu ?? null }, network: null };
}
