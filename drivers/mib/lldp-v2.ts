import type { SnmpSession } from '../snmp/session-types.ts';
import { type LldpLayout, type LldpTables, readLldpTables } from './lldp-table.ts';

/** LLDP-V2-MIB of IEEE 802.1AB-2009: its columns stand one further, since the destination address joined the index. */
const LLDP_V2_MIB: LldpLayout = {
  remEntry: '1.3.111.2.802.1.1.13.1.4.1.1',
  chassisIdSubtype: 5,
  // lldpV2RemTimeMark, lldpV2RemLocalIfIndex, lldpV2RemLocalDestMACAddress (a row of another table), lldpV2RemIndex.
  indexLength: 4,
  manAddr: '1.3.111.2.802.1.1.13.1.4.2.1.3',
  locPortEntry: '1.3.111.2.802.1.1.13.1.3.7.1',
};

/** Neighbours by LLDP-V2-MIB; none when the switch has no such MIB. Local port numbers are ifIndexes. */
export function readLldpV2(session: SnmpSession): Promise<LldpTables> {
  return readLldpTables(session, LLDP_V2_MIB);
}
