import { DriverError } from '../errors.ts';
import { integerOf, objectIdOf } from '../mib/decode.ts';
import { OID } from '../mib/oids.ts';
import type { SnmpSession } from './session-types.ts';

/** What tells whether the agent and its interfaces stayed the same. null: the agent does not tell. */
export interface AgentState {
  readonly objectId: string | null;
  /** sysUpTime in hundredths of a second. */
  readonly upTime: number | null;
  /** ifTableLastChange: sysUpTime when an interface last came or went. */
  readonly lastChange: number | null;
}

const OIDS = [`${OID.sysObjectID}.0`, `${OID.sysUpTime}.0`, `${OID.ifTableLastChange}.0`];

async function agentState(session: SnmpSession): Promise<AgentState> {
  const [objectId, upTime, lastChange] = await session.get(OIDS);
  return { objectId: objectIdOf(objectId), upTime: integerOf(upTime), lastChange: integerOf(lastChange) };
}

/**
 * Does a reading of several tables, and does it once more when the agent restarted meanwhile (sysUpTime went back) or interfaces came or
 * went: numbers of interfaces and bridge ports of one table may then stand for other ports in the next. `same`: the interfaces of the
 * reading are still those of the switch; asked only when ifTableLastChange moved, as some agents move it all the time. Throws
 * `unreachable` after the second restart, `busy` after the second change, and what the session throws.
 */
export async function readSteadily<T>(
  session: SnmpSession,
  read: (state: AgentState) => Promise<T>,
  same: (reading: T) => Promise<boolean>,
): Promise<T> {
  let problem: DriverError | null = null;
  for (let attempt = 0; attempt < 2; attempt++) {
    const before = await agentState(session);
    const reading = await read(before);
    const after = await agentState(session);
    if (isBack(before, after))
      problem = new DriverError(
        'unreachable',
        'the switch restarted again and again while it was read; it is read again later',
      );
    else if (before.lastChange === after.lastChange || (await same(reading))) return reading;
    else
      problem = new DriverError(
        'busy',
        'interfaces came or went each time the switch was read; it is read again later',
      );
  }
  throw problem ?? new DriverError('busy', 'the switch could not be read without a change in the middle');
}

/** The counter starts again at 2^32 after 497 days: then the reading is done once more for nothing. */
function isBack(before: AgentState, after: AgentState): boolean {
  return before.upTime !== null && after.upTime !== null && after.upTime < before.upTime;
}
