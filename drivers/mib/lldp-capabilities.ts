/** LldpSystemCapabilitiesMap (IEEE 802.1AB-2016, 8.5.8.1), in bit order: the words of the text parsers. */
const CAPABILITIES: readonly string[] = [
  'other',
  'repeater',
  'bridge',
  'wlan-ap',
  'router',
  'telephone',
  'docsis-cable-device',
  'station',
  'c-vlan',
  's-vlan',
  'two-port-mac-relay',
];

/**
 * Capabilities from a BITS value of one or two octets, bit 0 first (RFC 2578, section 7.1.4), sorted. Anything else is none: what
 * a neighbour can do is shown to people and decides nothing.
 */
export function capabilitiesOf(octets: Uint8Array): string[] {
  if (octets.length > 2) return [];
  const [first = 0, second = 0] = octets;
  // Some agents hand on the two octets of the frame, whose bit 0 is the last one. In BITS, nothing has a bit of the second octet alone.
  const asInFrame = first === 0 && second !== 0;
  return CAPABILITIES.filter((_, bit) =>
    asInFrame ? (second & (1 << bit)) !== 0 : ((bit < 8 ? first << bit : second << (bit - 8)) & 0x80) !== 0,
  ).sort();
}
