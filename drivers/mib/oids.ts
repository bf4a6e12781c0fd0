/** Objects by their names in the MIBs, as OIDs without a leading dot. Columns lack their index, scalars their ".0". */
export const OID = {
  // SNMPv2-MIB (RFC 3418)
  sysObjectID: '1.3.6.1.2.1.1.2',
  sysUpTime: '1.3.6.1.2.1.1.3',
  // IF-MIB (RFC 2863)
  ifDescr: '1.3.6.1.2.1.2.2.1.2',
  ifType: '1.3.6.1.2.1.2.2.1.3',
  ifMtu: '1.3.6.1.2.1.2.2.1.4',
  ifSpeed: '1.3.6.1.2.1.2.2.1.5',
  ifPhysAddress: '1.3.6.1.2.1.2.2.1.6',
  ifAdminStatus: '1.3.6.1.2.1.2.2.1.7',
  ifOperStatus: '1.3.6.1.2.1.2.2.1.8',
  ifName: '1.3.6.1.2.1.31.1.1.1.1',
  ifHighSpeed: '1.3.6.1.2.1.31.1.1.1.15',
  ifAlias: '1.3.6.1.2.1.31.1.1.1.18',
  ifStackStatus: '1.3.6.1.2.1.31.1.2.1.3',
  ifTableLastChange: '1.3.6.1.2.1.31.1.5',
  // BRIDGE-MIB (RFC 4188)
  dot1dBaseBridgeAddress: '1.3.6.1.2.1.17.1.1',
  dot1dBasePortIfIndex: '1.3.6.1.2.1.17.1.4.1.2',
  // Q-BRIDGE-MIB (RFC 4363)
  dot1qVlanCurrentEgressPorts: '1.3.6.1.2.1.17.7.1.4.2.1.4',
  dot1qVlanCurrentUntaggedPorts: '1.3.6.1.2.1.17.7.1.4.2.1.5',
  dot1qVlanStatus: '1.3.6.1.2.1.17.7.1.4.2.1.6',
  dot1qVlanStaticName: '1.3.6.1.2.1.17.7.1.4.3.1.1',
  dot1qVlanStaticEgressPorts: '1.3.6.1.2.1.17.7.1.4.3.1.2',
  dot1qVlanForbiddenEgressPorts: '1.3.6.1.2.1.17.7.1.4.3.1.3',
  dot1qVlanStaticUntaggedPorts: '1.3.6.1.2.1.17.7.1.4.3.1.4',
  dot1qVlanStaticRowStatus: '1.3.6.1.2.1.17.7.1.4.3.1.5',
  dot1qPvid: '1.3.6.1.2.1.17.7.1.4.5.1.1',
  dot1qPortAcceptableFrameTypes: '1.3.6.1.2.1.17.7.1.4.5.1.2',
  dot1qPortIngressFiltering: '1.3.6.1.2.1.17.7.1.4.5.1.3',
  // IEEE8021-BRIDGE-MIB (IEEE 802.1Q, 17.7.2)
  ieee8021BridgeBasePortIfIndex: '1.3.111.2.802.1.1.2.1.1.4.1.3',
  // IEEE8021-Q-BRIDGE-MIB (IEEE 802.1Q, 17.7.4)
  ieee8021QBridgeVlanCurrentEgressPorts: '1.3.111.2.802.1.1.4.1.4.2.1.5',
  ieee8021QBridgeVlanCurrentUntaggedPorts: '1.3.111.2.802.1.1.4.1.4.2.1.6',
  ieee8021QBridgeVlanStaticName: '1.3.111.2.802.1.1.4.1.4.3.1.3',
  ieee8021QBridgeVlanStaticEgressPorts: '1.3.111.2.802.1.1.4.1.4.3.1.4',
  ieee8021QBridgeVlanForbiddenEgressPorts: '1.3.111.2.802.1.1.4.1.4.3.1.5',
  ieee8021QBridgeVlanStaticUntaggedPorts: '1.3.111.2.802.1.1.4.1.4.3.1.6',
  ieee8021QBridgeVlanStaticRowStatus: '1.3.111.2.802.1.1.4.1.4.3.1.7',
  ieee8021QBridgePvid: '1.3.111.2.802.1.1.4.1.4.5.1.1',
  ieee8021QBridgePortAcceptableFrameTypes: '1.3.111.2.802.1.1.4.1.4.5.1.2',
  ieee8021QBridgePortIngressFiltering: '1.3.111.2.802.1.1.4.1.4.5.1.3',
  // IEEE8023-LAG-MIB (IEEE 802.1AX)
  dot3adAggPortSelectedAggID: '1.2.840.10006.300.43.1.2.1.1.12',
  dot3adAggPortAttachedAggID: '1.2.840.10006.300.43.1.2.1.1.13',
} as const;

const BY_OID = Object.entries(OID).map(([name, oid]) => [oid, name] as const);

/** "dot1qPvid.12" for an instance of a known object, "dot1qPvid" for the object; else the OID itself. At most 128 characters. */
export function objectName(oid: string): string {
  const known = BY_OID.find(([object]) => oid === object || oid.startsWith(`${object}.`));
  return (known ? `${known[1]}${oid.slice(known[0].length)}` : oid).slice(0, 128);
}
