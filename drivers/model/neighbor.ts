/** Chassis ID and port ID subtypes (IEEE 802.1AB-2016, 8.5.2.2 and 8.5.3.2), in one list since consumers only show them. */
export type IdSubtype = 'mac' | 'ifname' | 'ifalias' | 'local' | 'network' | 'component' | 'circuit' | 'unknown';

export interface LldpId {
  readonly subtype: IdSubtype;
  /** MACs as lower-case colon form; other text sanitised, at most 255 characters. */
  readonly value: string;
}

/** One LLDP neighbour seen on a port. Everything here was sent by the other side: a claim, not a fact. */
export interface Neighbor {
  /** Local port, by the name of {@link PortState.name}. */
  readonly port: string;
  readonly chassisId: LldpId;
  readonly portId: LldpId;
  readonly systemName: string;
  readonly systemDescription: string;
  readonly portDescription: string;
  /** Enabled capabilities, lower case ("bridge", "router", "station", "wlan-ap" ...), sorted. */
  readonly capabilities: readonly string[];
  readonly managementAddresses: readonly string[];
  /** Seconds the information stays valid; null when the switch does not say. */
  readonly ttlSeconds: number | null;
}
