import type { SnmpSession } from '../snmp/session-types.ts';
import type { BridgePorts } from './facts.ts';
import { OID } from './oids.ts';
import type { VlanLayout, VlanTableOptions, VlanTables } from './vlan-layout.ts';
import { readVlanTables } from './vlan-tables.ts';

/** Q-BRIDGE-MIB (RFC 4363). dot1qPortAcceptableFrameTypes: admitAll(1), admitOnlyVlanTagged(2). */
const LAYOUT: VlanLayout = {
  source: 'dot1qVlan',
  fixed: {
    egress: OID.dot1qVlanStaticEgressPorts,
    untagged: OID.dot1qVlanStaticUntaggedPorts,
    name: OID.dot1qVlanStaticName,
    rowStatus: OID.dot1qVlanStaticRowStatus,
  },
  current: { egress: OID.dot1qVlanCurrentEgressPorts, untagged: OID.dot1qVlanCurrentUntaggedPorts },
  port: {
    pvid: OID.dot1qPvid,
    frameTypes: OID.dot1qPortAcceptableFrameTypes,
    ingressFiltering: OID.dot1qPortIngressFiltering,
  },
  component: false,
  taggedOnly: 2,
  untaggedOnly: null,
};

/** Reads the VLAN tables of Q-BRIDGE-MIB; null when the switch has none. Throws what {@link SnmpSession.walk} throws. */
export function readQBridge(
  session: SnmpSession,
  bridge: BridgePorts,
  options: VlanTableOptions = {},
): Promise<VlanTables | null> {
  return readVlanTables(session, bridge, LAYOUT, options);
}
