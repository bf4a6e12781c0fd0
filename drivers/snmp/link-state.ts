import type { LinkState } from '../driver.ts';
import { integerOf } from '../mib/decode.ts';
import { OID } from '../mib/oids.ts';
import type { AdminState, OperState } from '../model/port.ts';
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

/** ifOperStatus 1 to 7. */
const OPER_STATES: readonly OperState[] = [
  'up',
  'down',
  'testing',
  'unknown',
  'dormant',
  'notPresent',
  'lowerLayerDown',
];
const IF_INDEX_MAX = 0x7fff_ffff;
/** What ifSpeed says of any link that is too fast for it. */
const SPEED_BEYOND = 0xffff_ffff;

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
        speedMbps: operState === 'up' ? speed(high ?? null, low ?? null) : null,
        lastChange: lastChange ?? null,
      },
    ];
  });
}

function adminStateOf(status: number | null): AdminState | null {
  return status === 1 ? 'up' : status === 2 || status === 3 ? 'down' : null;
}

/** Mbit/s from ifHighSpeed, or from ifSpeed where the agent has no ifXTable; null for what says nothing. */
function speed(high: number | null, low: number | null): number | null {
  if (high !== null && high > 0) return high;
  return low !== null && low > 0 && low < SPEED_BEYOND ? Math.round(low / 1_000_000) || null : null;
}
