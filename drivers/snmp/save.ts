import { randomInt } from 'node:crypto';
import { DriverError } from '../errors.ts';
import { integerOf } from '../mib/decode.ts';
import { type Clock, pause } from '../model/clock.ts';
import { type SnmpSession, SnmpStatusError } from './session-types.ts';

/** How the running configuration is made the start-up configuration. */
export type SaveMethod = 'immediate' | 'cisco-copy' | 'comware' | 'none';

/** IANA enterprise numbers. */
const BY_ENTERPRISE: ReadonlyMap<number, SaveMethod> = new Map([
  [9, 'cisco-copy'],
  [25506, 'comware'],
]);

const POLL_MS = 500;
const POLLS = 240;
/** CISCO-CONFIG-COPY-MIB, ccCopyEntry. */
const CC_COPY = '1.3.6.1.4.1.9.9.96.1.1.1.1';
const [RUNNING, STARTUP, CREATE_AND_GO, DESTROY] = [4, 3, 4, 6];
const [SUCCESSFUL, FAILED] = [3, 4];
/** OLD-CISCO-SYS-MIB, writeMem. */
const WRITE_MEM = '1.3.6.1.4.1.9.2.1.54.0';
/** HH3C-CONFIG-MAN-MIB, hh3cCfgOperateEntry: running2Startup. */
const HH3C_OPERATE = '1.3.6.1.4.1.25506.2.4.1.2.4.1';
const RUNNING_TO_STARTUP = 1;

/** The method for a switch by its enterprise number; `none` where no object for it is known. */
export function saveMethodOf(enterprise: number | null): SaveMethod {
  return (enterprise === null ? undefined : BY_ENTERPRISE.get(enterprise)) ?? 'none';
}

/**
 * Saves and waits for the end of it. Throws `rejected` when the switch says that it failed or has no object for it that is known
 * here: the configuration then does not survive a reload.
 */
export async function save(session: SnmpSession, method: SaveMethod, clock: Clock): Promise<void> {
  if (method === 'immediate') return;
  if (method === 'none')
    throw new DriverError(
      'rejected',
      'no SNMP object is known by which this switch saves its configuration: save it on the switch, or set the option save if it stores every change at once',
    );
  const row = randomInt(1, 0x7fff_ffff);
  if (method === 'comware') {
    await session.set([
      { oid: `${HH3C_OPERATE}.2.${row}`, type: 'Integer', value: RUNNING_TO_STARTUP },
      { oid: `${HH3C_OPERATE}.9.${row}`, type: 'Integer', value: CREATE_AND_GO },
    ]);
    return;
  }
  try {
    await copyCisco(session, row, clock);
  } catch (error) {
    // Old IOS has no CISCO-CONFIG-COPY-MIB; its writeMem does the same and answers when it is done.
    if (!(error instanceof SnmpStatusError) || error.status === 'noAccess') throw error;
    await session.set([{ oid: WRITE_MEM, type: 'Integer', value: 1 }]);
  }
}

async function copyCisco(session: SnmpSession, row: number, clock: Clock): Promise<void> {
  await session.set([
    { oid: `${CC_COPY}.3.${row}`, type: 'Integer', value: RUNNING },
    { oid: `${CC_COPY}.4.${row}`, type: 'Integer', value: STARTUP },
    { oid: `${CC_COPY}.14.${row}`, type: 'Integer', value: CREATE_AND_GO },
  ]);
  for (let poll = 0; poll < POLLS; poll++) {
    const [state, cause] = await session.get([`${CC_COPY}.10.${row}`, `${CC_COPY}.13.${row}`]);
    const now = integerOf(state);
    if (now === SUCCESSFUL || now === FAILED) {
      await session.set([{ oid: `${CC_COPY}.14.${row}`, type: 'Integer', value: DESTROY }]);
      if (now === SUCCESSFUL) return;
      throw new DriverError(
        'rejected',
        `the switch could not save its configuration (ccCopyFailCause ${integerOf(cause)})`,
      );
    }
    await pause(clock, POLL_MS);
  }
  throw new DriverError('rejected', 'the switch has not finished saving its configuration after two minutes');
}
