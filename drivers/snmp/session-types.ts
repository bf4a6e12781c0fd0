import { DriverError } from '../errors.ts';

/** SMIv2 types as they come over the wire (RFC 2578, section 7.1). */
export type SnmpType =
  | 'Integer'
  | 'OctetString'
  | 'ObjectIdentifier'
  | 'IpAddress'
  | 'Counter32'
  | 'Gauge32'
  | 'TimeTicks'
  | 'Opaque'
  | 'Counter64'
  | 'Null';

/** What an agent answers instead of a value (RFC 3416, section 3). */
export type SnmpException = 'noSuchObject' | 'noSuchInstance' | 'endOfMibView';

/**
 * One value as answered. `number` for Integer, Counter32, Gauge32 and TimeTicks, `bigint` for Counter64, `Uint8Array` for
 * OctetString and Opaque, dotted text for ObjectIdentifier and IpAddress, null for Null and exceptions.
 */
export interface VarBind {
  /** Dotted numbers without a leading dot. */
  readonly oid: string;
  readonly type: SnmpType | SnmpException;
  readonly value: number | bigint | string | Uint8Array | null;
}

/** One value to write. */
export type SetVarBind =
  | { readonly oid: string; readonly type: 'Integer' | 'Gauge32'; readonly value: number }
  | { readonly oid: string; readonly type: 'OctetString'; readonly value: Uint8Array }
  | { readonly oid: string; readonly type: 'ObjectIdentifier' | 'IpAddress'; readonly value: string };

export interface WalkLimits {
  /** Rows of all columns together; default 200,000. */
  readonly maxRows?: number;
  /** For the whole walk; default: 60 s. */
  readonly timeoutMs?: number;
}

/** One column of a table: index (the OID behind the column's, dotted) to value, in the order of the agent. */
export type Column = ReadonlyMap<string, VarBind>;

export interface WalkResult {
  /** By the OID that was asked for; a column without rows is an empty map. */
  readonly columns: ReadonlyMap<string, Column>;
  /**
   * By column: why it may lack rows (the agent went in circles, the row cap, the time limit, a time-out in the middle). A
   * column that is not named here is whole.
   */
  readonly incomplete: ReadonlyMap<string, string>;
}

/** Error status of a response (RFC 3416, section 3). */
export type SnmpErrorStatus =
  | 'tooBig'
  | 'noSuchName'
  | 'badValue'
  | 'readOnly'
  | 'genErr'
  | 'noAccess'
  | 'wrongType'
  | 'wrongLength'
  | 'wrongEncoding'
  | 'wrongValue'
  | 'noCreation'
  | 'inconsistentValue'
  | 'resourceUnavailable'
  | 'commitFailed'
  | 'undoFailed'
  | 'authorizationError'
  | 'notWritable'
  | 'inconsistentName';

/** The agent answered with an error status; of a SET nothing was done, unless the status is `undoFailed`. Kind: `rejected`. */
export class SnmpStatusError extends DriverError {
  readonly status: SnmpErrorStatus;
  /** The OID that the agent blames; null when it names none. */
  readonly oid: string | null;

  constructor(status: SnmpErrorStatus, oid: string | null, message: string) {
    super('rejected', message, { answer: oid === null ? status : `${status} at ${oid}` });
    this.status = status;
    this.oid = oid;
  }
}

export interface SnmpStats {
  /** Requests sent, without and with repetitions after a time-out. */
  readonly requests: number;
  readonly sent: number;
}

/**
 * A session with one SNMP agent. Calls may overlap. Every method throws only {@link DriverError}: `timeout` when the agent
 * does not answer (of a SET the outcome is then unknown: read back before trying again), `auth` for a wrong user, digest or
 * security level, `parse` for an answer that is none, {@link SnmpStatusError} for an error status.
 */
export interface SnmpSession {
  /** One value for each OID, in the same order; missing ones as exceptions. Split into several requests where needed. */
  get(oids: readonly string[]): Promise<readonly VarBind[]>;
  /**
   * Whole columns, several in one request. Never throws because of one bad column when others could be read: see
   * {@link WalkResult.incomplete}. Throws when nothing at all could be read for want of an answer.
   */
  walk(columns: readonly string[], limits?: WalkLimits): Promise<WalkResult>;
  /** One SET request: all or nothing by the protocol. Never repeated by itself after a time-out. */
  set(values: readonly SetVarBind[]): Promise<void>;
  /** The same agent in another context: a per-VLAN community (v2c, `community@suffix`) or an SNMPv3 context. Closed with this session. */
  inContext(suffix: string, context: string): SnmpSession;
  readonly stats: SnmpStats;
  readonly alive: boolean;
  /** Idempotent, never throws. */
  close(): void;
}

export type SnmpAuthProtocol = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';
/** `r`: key extension of Reeder (draft-reeder-snmpv3-usm-3desede), `b`: of Blumenthal (draft-blumenthal-aes-usm). */
export type SnmpPrivProtocol = 'aes128' | 'aes256b' | 'aes256r';

/** Where and how to reach an SNMP agent. Secrets live here only; never logged, never thrown. */
export type SnmpTarget = {
  readonly host: string;
  readonly port: number;
  /** Milliseconds for one attempt of one request, and how often it is repeated. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** First max-repetitions of GETBULK, 1 to 100; adapted to the agent on the way. */
  readonly maxRepetitions: number;
} & (
  | {
      readonly version: '2c';
      readonly community: string /** null: the same. */;
      readonly writeCommunity: string | null;
    }
  | {
      readonly version: '3';
      readonly user: string;
      readonly authProtocol: SnmpAuthProtocol;
      readonly authPassword: string;
      readonly privProtocol: SnmpPrivProtocol;
      readonly privPassword: string;
      readonly context: string;
    }
);
