import { DriverError } from '../errors.ts';
import { objectName } from '../mib/oids.ts';
import { type SnmpErrorStatus, SnmpStatusError, type SnmpTarget } from '../snmp/session-types.ts';

/** RFC 3416, section 3: error-status 1 to 18. */
const STATUSES: readonly SnmpErrorStatus[] = [
  'tooBig',
  'noSuchName',
  'badValue',
  'readOnly',
  'genErr',
  'noAccess',
  'wrongType',
  'wrongLength',
  'wrongEncoding',
  'wrongValue',
  'noCreation',
  'inconsistentValue',
  'resourceUnavailable',
  'commitFailed',
  'undoFailed',
  'authorizationError',
  'notWritable',
  'inconsistentName',
];

/** What each status means for somebody who has to do something about it. */
const ADVICE: Partial<Record<SnmpErrorStatus, string>> = {
  noAccess: 'the user or community may not write it; give it a write view',
  authorizationError: 'the user or community may not do this; check its view and security level',
  notWritable: 'the switch does not take this over SNMP',
  readOnly: 'the switch does not take this over SNMP',
  inconsistentValue:
    'it contradicts what the switch has, such as a VLAN that is missing or a port that belongs to a LAG',
  inconsistentName: 'it contradicts what the switch has, such as a VLAN that is missing',
  resourceUnavailable: 'the switch has no room for more of these',
  undoFailed: 'the switch could not take back what it had begun: its state is unknown until it is read again',
};

/** How a message from net-snmp looks. */
interface SnmpFailure extends Error {
  readonly status?: number;
  readonly code?: string | number;
}

/** Turns an error of net-snmp into a typed one, without any secret. `discovered`: the agent's engine has answered us before (SNMPv3). */
export function snmpError(error: SnmpFailure, target: SnmpTarget, what: string, discovered: boolean): DriverError {
  const where = `SNMP ${what} at ${target.host} port ${target.port}`;
  if (error.name === 'RequestTimedOutError')
    return new DriverError('timeout', `${where}: ${silence(target, discovered)}`);
  if (error.name === 'RequestFailedError' && typeof error.status === 'number') {
    const status = STATUSES[error.status - 1] ?? 'genErr';
    const oid = /: ([0-9.]+)$/.exec(error.message)?.[1] ?? null;
    const object = oid === null ? '' : ` for ${objectName(oid)}`;
    const advice = ADVICE[status] === undefined ? '' : ` (${ADVICE[status]})`;
    return new SnmpStatusError(status, oid, `${where}: the switch answered ${status}${object}${advice}`);
  }
  if (error.name === 'ResponseInvalidError') {
    if (/unknown ?user/i.test(error.message))
      return new DriverError('auth', `${where}: the switch does not know the user; check its name`);
    if (/digest/i.test(error.message))
      return new DriverError('auth', `${where}: the digest is wrong; check the authentication password and protocol`);
    if (/unsupported ?security|sec ?level/i.test(error.message))
      return new DriverError('auth', `${where}: the switch does not allow this user authentication and privacy`);
    if (/decrypt/i.test(error.message))
      return new DriverError('auth', `${where}: decryption failed; check the privacy password and protocol`);
    return new DriverError('parse', `${where}: the answer is not valid`);
  }
  const code = typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code) ? ` (${error.code})` : '';
  return new DriverError('unreachable', `${where}: the request could not be sent${code}`);
}

function silence(target: SnmpTarget, discovered: boolean): string {
  if (target.version === '2c')
    return 'no answer: check the address, that SNMP is on and allows this machine, and the community (a wrong one is not answered)';
  return discovered
    ? 'the switch told its engine ID, but does not answer encrypted requests: check the privacy password and protocol'
    : 'no answer: check the address, and that SNMPv3 is on and allows this machine';
}
