/** What is at the other end of a cable. Text is sent as it is: tests put control characters and worse into it. */
export interface SimNeighbor {
  /** As the switch shows it: a MAC in dotted form for subtype MAC, otherwise any text. */
  readonly chassisId: string;
  readonly portId: string;
  readonly portDescription?: string;
  readonly systemName?: string;
  readonly systemDescription?: string;
  /** Letters as IOS shows them: "B,R" bridge and router, "S" station. Default "S". */
  readonly capabilities?: string;
  readonly managementAddress?: string;
  /** Seconds left; default 101. */
  readonly ttl?: number;
  /** Source MAC of its frames, colon form; appears in the MAC table. */
  readonly mac?: string;
  /** False: link is up but no LLDP is sent. Default true. */
  readonly lldp?: boolean;
  /** The other side speaks DTP, so that a dynamic port becomes a trunk. */
  readonly dtp?: boolean;
  /** Further LLDP speakers on the same cable (a host and its BMC, a switch in between). */
  readonly also?: readonly SimNeighbor[];
}

/** A bare-metal host that sends LLDP from one of its NICs. */
export function hostNeighbor(systemName: string, nic: string, mac: string): SimNeighbor {
  return {
    chassisId: dottedMac(mac),
    portId: dottedMac(mac),
    portDescription: nic,
    systemName,
    systemDescription: 'Debian GNU/Linux 12 (bookworm) Linux 6.1.0 x86_64',
    capabilities: 'S',
    mac,
  };
}

/** "00:11:22:33:44:55" as "0011.2233.4455". */
export function dottedMac(mac: string): string {
  const hex = mac.toLowerCase().replace(/[^0-9a-f]/g, '');
  return `${hex.slice(0, 4)}.${hex.slice(4, 8)}.${hex.slice(8, 12)}`;
}

/** The MAC `offset` above the given one, colon form. */
export function macPlus(mac: string, offset: number): string {
  const value = BigInt(`0x${mac.replace(/[^0-9a-fA-F]/g, '')}`) + BigInt(offset);
  return (value.toString(16).padStart(12, '0').match(/../g) ?? []).join(':');
}
