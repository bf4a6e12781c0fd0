import { isVlanId } from '../model/vlan-set.ts';
import type { Column, SnmpSession } from '../snmp/session-types.ts';
import { gaps, indexOf, integerOf, octetsOf, textOf } from './decode.ts';
import type { BridgePorts, InterfaceRow, PortVlanRow, PrivateVlanMib, VlanFacts, VlanRow } from './facts.ts';

/** HUAWEI-L2VLAN-MIB and HUAWEI-L2IF-MIB. */
const OIDS = {
  name: '1.3.6.1.4.1.2011.5.25.42.3.1.1.1.1.2',
  /** hwL2IfPortIfIndex, hwL2IfPortType and hwL2IfPVID, by a number of the port's own. */
  ifIndex: '1.3.6.1.4.1.2011.5.25.42.1.1.1.3.1.2',
  type: '1.3.6.1.4.1.2011.5.25.42.1.1.1.3.1.3',
  pvid: '1.3.6.1.4.1.2011.5.25.42.1.1.1.3.1.4',
  /** VLANs that the port lets pass: 0 to 2047, and 2048 to 4095; the first bit is VLAN 0. */
  low: '1.3.6.1.4.1.2011.5.25.42.1.1.1.10.1.2',
  high: '1.3.6.1.4.1.2011.5.25.42.1.1.1.10.1.3',
} as const;
/** hwL2IfPortType. */
const ACCESS = 2;

/**
 * VLANs of Huawei switches that have no Q-BRIDGE-MIB. An access port is told by its type; of any other, the VLANs that pass are
 * listed, but not whether untagged, so it is `other`.
 */
export const huaweiVlans: PrivateVlanMib = { enterprises: [2011], read: readHuaweiVlans };

async function readHuaweiVlans(
  session: SnmpSession,
  _bridge: BridgePorts,
  interfaces: ReadonlyMap<number, InterfaceRow>,
): Promise<VlanFacts | null> {
  const walked = await session.walk(Object.values(OIDS));
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  if (column(OIDS.name).size === 0 || column(OIDS.low).size === 0) return null;
  const vlans = new Map<number, VlanRow>();
  for (const [index, value] of column(OIDS.name)) {
    const id = indexOf(index, 1)?.[0];
    if (isVlanId(id)) vlans.set(id, { id, name: textOf(value), egress: null, untagged: null });
  }
  const ports = new Map<number, PortVlanRow>();
  const strangers: string[] = [];
  for (const [index, value] of column(OIDS.ifIndex)) {
    const ifIndex = integerOf(value);
    const number = integerOf(column(OIDS.pvid).get(index));
    if (ifIndex === null) continue;
    // Another port has no row then, and would look empty.
    if (!interfaces.has(ifIndex)) strangers.push(`port ${index} is interface ${ifIndex}, which does not exist`);
    const pvid = isVlanId(number) ? number : null;
    const passing = [
      ...ids(octetsOf(column(OIDS.low).get(index)), 0),
      ...ids(octetsOf(column(OIDS.high).get(index)), 2048),
    ];
    const access = integerOf(column(OIDS.type).get(index)) === ACCESS;
    ports.set(ifIndex, {
      pvid,
      taggedOnly: null,
      mode: access ? 'access' : 'other',
      tagged: access ? [] : passing.filter((id) => id !== pvid),
    });
  }
  const problems = gaps(walked, {
    numbers: [OIDS.ifIndex, OIDS.type],
    vlans: [OIDS.pvid],
    lists: [OIDS.low, OIDS.high],
  }).concat(strangers.slice(0, 3));
  return { source: 'HUAWEI-L2IF-MIB', basis: 'configured', vlans, ports, problems };
}

function ids(bitmap: Uint8Array | null, first: number): number[] {
  const found: number[] = [];
  for (const [at, octet] of (bitmap ?? new Uint8Array()).entries())
    for (let bit = 0; octet !== 0 && bit < 8; bit++) {
      const id = first + at * 8 + bit;
      if ((octet & (0x80 >> bit)) !== 0 && isVlanId(id)) found.push(id);
    }
  return found;
}
