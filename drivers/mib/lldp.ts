import type { SnmpSession } from '../snmp/session-types.ts';
import { type LldpLayout, type LldpTables, readLldpTables } from './lldp-table.ts';

/** LLDP-MIB of IEEE 802.1AB-2005: what nearly all switches have. */
const LLDP_MIB: LldpLayout = {
  remEntry: '1.0.8802.1.1.2.1.4.1.1',
  chassisIdSubtype: 4,
  // lldpRemTimeMark, lldpRemLocalPortNum, lldpRemIndex.
  indexLength: 3,
  manAddr: '1.0.8802.1.1.2.1.4.2.1.3',
  locPortEntry: '1.0.8802.1.1.2.1.3.7.1',
};

/** lldpLocChassisIdSubtype and lldpLocChassisId: who the switch is to its neighbours. */
export const LOCAL_CHASSIS = { subtype: '1.0.8802.1.1.2.1.3.1.0', id: '1.0.8802.1.1.2.1.3.2.0' } as const;

/** Neighbours by LLDP-MIB; none when the switch has no such MIB. Local port numbers are of an unknown kind. */
export function readLldp(session: SnmpSession): Promise<LldpTables> {
  return readLldpTables(session, LLDP_MIB);
}
