import type { LinkState } from '../driver.ts';
import { integerOf } from '../mib/decode.ts';
import { linkSpeed, OPER_STATES } from '../mib/if-mib.ts';
import { OID } from '../mib/oids.ts';
import type { AdminState } from '../model/port.ts';
import type { SnmpSession } from './session-types.ts';

/** The link of one port, with what more the same answer says. */
export interface LinkReading extends LinkState {
  /** ifAdminStatus; `testing` counts as down, since nothing passes. null: the agent does not tell. */
  readonly adminState: AdminState | null;
  /** ifLastChange: sysUpTime in hundredths of a second when the link became what it is; null when the agent does not tell. */
  readonly lastChange: number | null;
}

/** Of ifEntry (RFC 2863). */
const IF_LAST_CHANGE = '1.3.6.1.2.1.2.2.1.9';
const COLUMNS = [OID.ifAdminStatus, OID.ifOperStatus, OID.ifHighSpeed, OID.ifSpeed, IF_LAST_CHANGE];

const IF_INDEX_MAX = 0x7fff_ffff;

/**
 * The links of some ports by one GET, in the order asked, each once; ports that are gone are left out. For a look after a trap, when a
 * whole reading would come too late. Throws what {@link SnmpSession.get} throws.
 */
export async function readLinkStates(session: SnmpSession, ifIndexes: readonly number[]): Promise<LinkReading[]> {
  const wanted = [...new Set(ifIndexes)].filter((i) => Number.isInteger(i) && i >= 1 && i <= IF_INDEX_MAX);
  if (wanted.length === 0) return [];
  const values = await session.get(wanted.flatMap((i) => COLUMNS.map((column) => `${column}.${i}`)));
  return wanted.flatMap((ifIndex, i): LinkReading[] => {
    const [admin, oper, high, low, lastChange] = values
      .slice(i * COLUMNS.length, (i + 1) * COLUMNS.length)
      .map((value) => integerOf(value));
    const status = oper ?? null;
    if (status === null) return [];
    const operState = OPER_STATES[status - 1] ?? 'unknown';
    return [
      {
        ifIndex,
        operState,
        adminState: adminStateOf(admin ?? null),
        speedMbps: operState === 'up' ? linkSpeed(high ?? null, low ?? null) : null,
        lastChange: lastChange ?? null,
      },
    ];
  });
}

function adminStateOf(status: number | null): AdminState | null {
  return status === 1 ? 'up' : status === 2 || status === 3 ? 'down' : null;
}
