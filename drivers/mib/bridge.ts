import type { Column, SnmpSession, VarBind } from '../snmp/session-types.ts';
import { indexOf, integerOf, macAddressOf, undecoded } from './decode.ts';
import type { BridgePorts } from './facts.ts';
import { OID } from './oids.ts';
import { MAX_BRIDGE_PORT } from './port-list.ts';

export interface Bridge {
  /** Two bridge ports may have the same ifIndex. Bridge port 0 and rows without an interface are left out. */
  readonly ports: BridgePorts;
  /** dot1dBaseBridgeAddress. */
  readonly address: string | null;
  /** Why bridge ports may be missing; null: all are there. */
  readonly incomplete: string | null;
}

/** The component whose ports are meant where a switch has no dot1dBasePortIfIndex: that of customers' VLANs. */
const COMPONENT = 1;

/**
 * The bridge's ports by dot1dBasePortIfIndex (BRIDGE-MIB, RFC 4188), or by its successor in IEEE8021-BRIDGE-MIB where the switch
 * has only that. Throws what {@link SnmpSession.walk} throws.
 */
export async function readBridge(session: SnmpSession): Promise<Bridge> {
  const columns = [OID.dot1dBaseBridgeAddress, OID.dot1dBasePortIfIndex, OID.ieee8021BridgeBasePortIfIndex];
  const walked = await session.walk(columns);
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  const standard = column(OID.dot1dBasePortIfIndex);
  const used = standard.size > 0 ? OID.dot1dBasePortIfIndex : OID.ieee8021BridgeBasePortIfIndex;
  const ports = new Map<number, number>();
  for (const [index, value] of column(used)) {
    const port = standard.size > 0 ? indexOf(index, 1)?.[0] : portOf(index);
    const ifIndex = ifIndexOf(value);
    if (port === undefined || port < 1 || port > MAX_BRIDGE_PORT || ifIndex === null || ifIndex === 0) continue;
    ports.set(port, ifIndex);
  }
  // The interface of such a row is unknown: any that no row leads to may be it.
  const [wrong = null] = undecoded(used, column(used), 'an ifIndex', ifIndexOf);
  return {
    ports,
    address: macAddressOf(column(OID.dot1dBaseBridgeAddress).get('0')),
    incomplete: walked.incomplete.get(OID.dot1dBasePortIfIndex) ?? walked.incomplete.get(used) ?? wrong,
  };
}

/** 0: no interface. */
function ifIndexOf(value: VarBind): number | null {
  const ifIndex = integerOf(value);
  return ifIndex === null || ifIndex < 0 ? null : ifIndex;
}

function portOf(index: string): number | undefined {
  const [component, port] = indexOf(index, 2) ?? [];
  return component === COMPONENT ? port : undefined;
}
