import type { SnmpSession } from '../snmp/session-types.ts';

/**
 * What the readers of the single MIBs answer. Ports are ifIndexes everywhere: bridge port numbers, LLDP port numbers and the like
 * are translated by the reader that knows them. Text is sanitised and bounded.
 */

/** A row of ifTable and ifXTable (RFC 2863). null: the agent does not tell. */
export interface InterfaceRow {
  readonly ifIndex: number;
  readonly ifName: string;
  readonly ifDescr: string;
  readonly ifAlias: string;
  /** IANAifType, e.g. 6 ethernetCsmacd, 161 ieee8023adLag, 53 propVirtual. */
  readonly ifType: number | null;
  readonly mtu: number | null;
  readonly macAddress: string | null;
  /** ifAdminStatus and ifOperStatus as numbers of the MIB. */
  readonly adminStatus: number | null;
  readonly operStatus: number | null;
  readonly speedMbps: number | null;
}

/** dot1dBasePortIfIndex: bridge port number to ifIndex. */
export type BridgePorts = ReadonlyMap<number, number>;

/** A VLAN as one MIB tells it. null: that MIB does not tell the membership. */
export interface VlanRow {
  readonly id: number;
  readonly name: string;
  /** ifIndexes of the members, tagged and untagged. */
  readonly egress: ReadonlySet<number> | null;
  /** ifIndexes of the members that are sent untagged. */
  readonly untagged: ReadonlySet<number> | null;
}

/** What one MIB says of the VLANs of one port beyond the membership lists of {@link VlanRow}. */
export interface PortVlanRow {
  /** VLAN of untagged frames received; null: they are dropped, or the MIB does not tell. */
  readonly pvid: number | null;
  /** Untagged frames are dropped (dot1qPortAcceptableFrameTypes = admitOnlyVlanTagged). */
  readonly taggedOnly: boolean | null;
  /** Tagged frames are dropped (ieee8021QBridgePortAcceptableFrameTypes = admitUntaggedAndPriority). Absent: they are not. */
  readonly untaggedOnly?: boolean;
  /**
   * Frames of VLANs that the port is no member of are dropped on arrival (dot1qPortIngressFiltering). Absent or null: the MIB
   * does not tell.
   */
  readonly ingressFiltering?: boolean | null;
  /** The mode by the switch's own word, when the MIB has one. */
  readonly mode: 'access' | 'trunk' | 'hybrid' | 'routed' | 'other' | null;
  /** Tagged VLANs where the MIB lists them by port (Cisco trunk bitmaps and the like); null: by the lists of the VLANs. */
  readonly tagged: readonly number[] | null;
}

/** VLANs and membership by one MIB. */
export interface VlanFacts {
  /** The table, e.g. "dot1qVlanStaticTable"; shown to people. */
  readonly source: string;
  /** configured: what somebody set; operational: what the switch does now (a port without link may be missing). */
  readonly basis: 'configured' | 'operational';
  readonly vlans: ReadonlyMap<number, VlanRow>;
  /** By ifIndex. */
  readonly ports: ReadonlyMap<number, PortVlanRow>;
  /** What could not be read or understood, as sentences; bounded. Membership is then not to be relied on for `doubtful` ports. */
  readonly problems: readonly string[];
  /** ifIndexes of the ports that the problems are about, each with the reason. Absent: any problem is about all ports. */
  readonly doubtful?: ReadonlyMap<number, string>;
}

/**
 * Reads the VLANs by the MIB of one vendor; null when the switch does not have that MIB, which it finds out by one request. `bridge`
 * and `interfaces` were read before. Throws what {@link SnmpSession} throws.
 */
export type VlanReader = (
  session: SnmpSession,
  bridge: BridgePorts,
  interfaces: ReadonlyMap<number, InterfaceRow>,
) => Promise<VlanFacts | null>;

/** A {@link VlanReader} with the switches that it is for. */
export interface PrivateVlanMib {
  /** IANA enterprise numbers (sysObjectID) of the vendors that have the MIB; on other switches it is not asked for. */
  readonly enterprises: readonly number[];
  readonly read: VlanReader;
}
