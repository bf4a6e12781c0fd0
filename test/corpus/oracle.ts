/** What another project says that a dump means, in the form of LibreNMS's results. A key or a value that is missing asserts nothing. */
export interface Oracle {
  readonly ports?: readonly OraclePort[];
  readonly vlans?: readonly { readonly vlan_vlan: number; readonly vlan_name: string }[];
  readonly ports_vlans?: readonly OracleMember[];
  readonly links?: readonly OracleLink[];
}

export interface OraclePort {
  /** Absent: the row is found by its name. */
  readonly ifIndex?: number;
  readonly ifName: string | null;
  /** IANAifType by name. */
  readonly ifType?: string | null;
  readonly ifAdminStatus?: string | null;
  readonly ifOperStatus?: string | null;
  /** Bit/s. */
  readonly ifSpeed?: number | null;
  readonly ifMtu?: number | null;
  /** Twelve hexadecimal digits. */
  readonly ifPhysAddress?: string | null;
  /** VLAN ID as text. LibreNMS takes it by interface from vmVlan of Cisco, and by bridge port from dot1qPvid of others. */
  readonly ifVlan?: string | null;
}

export interface OracleMember {
  readonly vlan: number;
  /** Bridge port; 0: not told. */
  readonly baseport: number;
  /** The port, where the row says that in place of the bridge port. */
  readonly ifIndex?: number;
  readonly untagged: number;
}

export interface OracleLink {
  readonly protocol: string;
  readonly ifName?: string | null;
  /** System name of the neighbour, else its system description. */
  readonly remote_hostname: string;
  /** Its port, with " (MAC)" or " ()" behind it. */
  readonly remote_port?: string | null;
}
