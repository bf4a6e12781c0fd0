import type { SnmpSession } from '../snmp/session-types.ts';
import type { BridgePorts } from './facts.ts';
import { OID } from './oids.ts';
import type { VlanLayout, VlanTableOptions, VlanTables } from './vlan-layout.ts';
import { readVlanTables } from './vlan-tables.ts';

/**
 * IEEE8021-Q-BRIDGE-MIB (IEEE 802.1Q, 17.7.4). Every index has a component ID. Its frame types are others than those of Q-BRIDGE-MIB:
 * admitAll(1), admitUntaggedAndPriority(2), admitTagged(3) (IEEE8021-TC-MIB, IEEE8021PortAcceptableFrameTypes).
 */
const LAYOUT: VlanLayout = {
  source: 'ieee8021QBridgeVlan',
  fixed: {
    egress: OID.ieee8021QBridgeVlanStaticEgressPorts,
    untagged: OID.ieee8021QBridgeVlanStaticUntaggedPorts,
    name: OID.ieee8021QBridgeVlanStaticName,
    rowStatus: OID.ieee8021QBridgeVlanStaticRowStatus,
  },
  current: {
    egress: OID.ieee8021QBridgeVlanCurrentEgressPorts,
    untagged: OID.ieee8021QBridgeVlanCurrentUntaggedPorts,
  },
  port: {
    pvid: OID.ieee8021QBridgePvid,
    frameTypes: OID.ieee8021QBridgePortAcceptableFrameTypes,
    ingressFiltering: OID.ieee8021QBridgePortIngressFiltering,
  },
  component: true,
  taggedOnly: 3,
  untaggedOnly: 2,
};

/**
 * Reads the VLAN tables of IEEE8021-Q-BRIDGE-MIB (Aruba CX and others); null when the switch has none. Some have the lists here and
 * the PVIDs in Q-BRIDGE-MIB: these are given as `options.ports`. Throws what {@link SnmpSession.walk} throws.
 */
export function readIeee8021QBridge(
  session: SnmpSession,
  bridge: BridgePorts,
  options: VlanTableOptions = {},
): Promise<VlanTables | null> {
  return readVlanTables(session, bridge, LAYOUT, options);
}
