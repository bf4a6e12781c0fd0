import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import * as snmp from 'net-snmp';
import { DriverError } from '../errors.ts';
import { type Clock, pause } from '../model/clock.ts';
import {
  type SetVarBind,
  type SnmpSession,
  SnmpStatusError,
  type SnmpTarget,
  type VarBind,
  type WalkLimits,
  type WalkResult,
} from '../snmp/session-types.ts';
import { snmpError } from './snmp-errors.ts';
import { authPrivUser } from './snmp-security.ts';
import { SnmpSocket } from './snmp-socket.ts';
import { fromVarBinds, toVarBind } from './snmp-values.ts';
import { COLUMNS_PER_REQUEST, Repetitions, WalkedColumn } from './snmp-walk.ts';

const MAX_ROWS = 200_000;
const WALK_MS = 60_000;
const OIDS_PER_GET = 60;
/** Each attempt waits this much longer than the one before. */
const BACKOFF = 1.5;
/** Between a refused answer and the next try. */
const RETRY_PAUSE_MS = 50;

/** The part of net-snmp's session that is used; its types lack some of it. */
interface NativeSession {
  retries: number;
  msgSecurityParameters?: unknown;
  get(oids: readonly string[], done: (error: Error | null, values: readonly unknown[]) => void): void;
  getNext(oids: readonly string[], done: (error: Error | null, values: readonly unknown[]) => void): void;
  getBulk(
    oids: readonly string[],
    nonRepeaters: number,
    maxRepetitions: number,
    done: (error: Error | null, values: readonly unknown[]) => void,
  ): void;
  set(values: readonly unknown[], done: (error: Error | null, values: readonly unknown[]) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  close(): void;
}

type Native = keyof Pick<NativeSession, 'get' | 'getNext' | 'getBulk' | 'set'>;

/** Resolves the host's address; nothing is sent to it. Throws {@link DriverError} `unreachable` when it has none. */
export async function openSnmp(target: SnmpTarget, clock: Clock): Promise<SnmpSession> {
  if (isIP(target.host.replace(/%.*$/, '')) > 0) return new Session(target, target.host, clock);
  try {
    return new Session(target, (await lookup(target.host)).address, clock);
  } catch (error) {
    throw new DriverError('unreachable', `${target.host} has no address; check the name and the resolver`, {
      cause: error,
    });
  }
}

class Session implements SnmpSession {
  readonly #target: SnmpTarget;
  readonly #address: string;
  readonly #clock: Clock;
  readonly #reading: NativeSession;
  readonly #writing: NativeSession;
  readonly #children = new Map<string, Session>();
  #requests = 0;
  #alive = true;

  constructor(target: SnmpTarget, address: string, clock: Clock) {
    this.#target = target;
    this.#address = address;
    this.#clock = clock;
    this.#reading = nativeSession(target, address, target.version === '2c' ? target.community : '', target.retries);
    const writeCommunity = target.version === '2c' ? (target.writeCommunity ?? target.community) : '';
    // A SET is never repeated: whether the first one was done is not known.
    this.#writing = nativeSession(target, address, writeCommunity, 0);
  }

  get alive(): boolean {
    return this.#alive;
  }

  get stats() {
    return { requests: this.#requests, sent: this.#requests };
  }

  async get(oids: readonly string[]): Promise<readonly VarBind[]> {
    const values: VarBind[] = [];
    for (let i = 0; i < oids.length; i += OIDS_PER_GET)
      values.push(...(await this.#getSome(oids.slice(i, i + OIDS_PER_GET))));
    return values;
  }

  /** Halves what is too big for one answer. */
  async #getSome(oids: readonly string[]): Promise<readonly VarBind[]> {
    try {
      const values = (await this.#ask('get', oids)).map(toVarBind);
      if (values.length !== oids.length || values.some((v, i) => v.oid !== oids[i]))
        throw new DriverError('parse', `SNMP get at ${this.#target.host}: the answer is about other objects`);
      return values;
    } catch (error) {
      if (!(error instanceof SnmpStatusError) || error.status !== 'tooBig' || oids.length === 1) throw error;
      const half = Math.ceil(oids.length / 2);
      return [...(await this.#getSome(oids.slice(0, half))), ...(await this.#getSome(oids.slice(half)))];
    }
  }

  async walk(columns: readonly string[], limits: WalkLimits = {}): Promise<WalkResult> {
    const walked = columns.map((base) => new WalkedColumn(base));
    const repetitions = new Repetitions(this.#target.maxRepetitions);
    const deadline = this.#clock.monotonic() + (limits.timeoutMs ?? WALK_MS);
    const maxRows = limits.maxRows ?? MAX_ROWS;
    let rows = 0;
    let answered = false;
    for (;;) {
      const open = walked.filter((column) => !column.done);
      const alone = open.find((column) => column.single);
      const group = alone ? [alone] : open.slice(0, COLUMNS_PER_REQUEST);
      if (group.length === 0) break;
      const spent = this.#clock.monotonic() >= deadline ? 'the time is up' : rows >= maxRows ? 'too many rows' : null;
      if (spent !== null) {
        for (const column of open) column.giveUp(spent);
        break;
      }
      try {
        const before = rows;
        const answers = await this.#step(group, repetitions);
        // Somebody is there after all: the first answer was lost, or too large.
        if (!answered && alone) {
          for (const column of walked) column.single = false;
          repetitions.fewer();
        }
        answered = true;
        for (const [i, column] of group.entries()) rows += column.take(answers[i] ?? []);
        // Not one step further: the answer had no room for a row of each column.
        if (rows === before && group.every((c) => !c.done && !c.single)) this.#narrow(group, repetitions);
      } catch (error) {
        if (!(error instanceof DriverError) || !this.#alive) throw error;
        const { kind } = error;
        // The first request also finds out that nobody is there: it gets one more chance, with the smallest answer there is.
        if (kind === 'auth' || kind === 'unreachable' || (kind === 'timeout' && !answered && alone)) throw error;
        if (kind === 'timeout' && !answered) for (const column of group) column.single = true;
        else if (!isTooMuch(error) || !this.#narrow(group, repetitions))
          for (const column of group) column.giveUp(error instanceof SnmpStatusError ? error.status : error.message);
      }
    }
    return {
      columns: new Map(walked.map((column) => [column.base, column.rows])),
      incomplete: new Map(walked.flatMap((c) => (c.incomplete === null ? [] : [[c.base, c.incomplete] as const]))),
    };
  }

  /** Asks for less at once: fewer rows, then one column at a time; false when it is the least already. */
  #narrow(group: readonly WalkedColumn[], repetitions: Repetitions): boolean {
    if (!repetitions.least) repetitions.fewer();
    else if (group.some((column) => !column.single)) for (const column of group) column.single = true;
    else return false;
    return true;
  }

  async #step(group: readonly WalkedColumn[], repetitions: Repetitions): Promise<VarBind[][]> {
    const from = group.map((column) => column.last);
    // Single steps by GETNEXT: some agents leave out a column, or never answer, when it is asked for in bulk.
    if (group[0]?.single) return (await this.#ask('getNext', from)).map((value) => [toVarBind(value)]);
    const answer = await this.#ask('getBulk', from, 0, repetitions.for(group.length));
    return answer.map((values) => (Array.isArray(values) ? values.map(toVarBind) : []));
  }

  async set(values: readonly SetVarBind[]): Promise<void> {
    await this.#ask('set', fromVarBinds(values));
  }

  inContext(suffix: string, context: string): SnmpSession {
    const key = `${suffix}\n${context}`;
    const known = this.#children.get(key);
    if (known) return known;
    const target: SnmpTarget =
      this.#target.version === '3'
        ? { ...this.#target, context }
        : { ...this.#target, community: `${this.#target.community}@${suffix}`, writeCommunity: null };
    const child = new Session(target, this.#address, this.#clock);
    this.#children.set(key, child);
    return child;
  }

  close(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const child of this.#children.values()) child.close();
    this.#reading.close();
    this.#writing.close();
  }

  /** One request; an answer that is not valid is asked for once more, since it may have been another's. */
  async #ask(kind: Native, ...args: readonly unknown[]): Promise<readonly unknown[]> {
    try {
      return await this.#once(kind, args);
    } catch (error) {
      if (!(error instanceof DriverError) || error.kind !== 'parse' || kind === 'set') throw error;
      await pause(this.#clock, RETRY_PAUSE_MS);
      return this.#once(kind, args);
    }
  }

  #once(kind: Native, args: readonly unknown[]): Promise<readonly unknown[]> {
    const native = kind === 'set' ? this.#writing : this.#reading;
    const what = kind === 'getBulk' || kind === 'getNext' ? 'walk' : kind;
    return new Promise((resolve, reject) => {
      if (!this.#alive) {
        reject(new DriverError('unreachable', `the SNMP session with ${this.#target.host} is closed`));
        return;
      }
      this.#requests++;
      const done = (error: Error | null, values: readonly unknown[]) =>
        error === null
          ? resolve(values)
          : reject(snmpError(error, this.#target, what, native.msgSecurityParameters !== undefined));
      // The signatures differ only in what stands before the callback.
      (native[kind] as (...all: unknown[]) => void)(...args, done);
    });
  }
}

/** Less at once may work. */
function isTooMuch(error: DriverError): boolean {
  return error.kind === 'timeout' || (error instanceof SnmpStatusError && error.status === 'tooBig');
}

function nativeSession(target: SnmpTarget, address: string, community: string, retries: number): NativeSession {
  const options = {
    port: target.port,
    timeout: target.timeoutMs,
    retries,
    backoff: BACKOFF,
    transport: isIPv6(address.replace(/%.*$/, '')) ? 'udp6' : 'udp4',
    idBitsSize: 32,
    dgramModule: { createSocket: () => new SnmpSocket(address, target.port, target.version) },
  };
  const native: unknown =
    target.version === '3'
      ? snmp.createV3Session(address, authPrivUser(target), {
          ...options,
          version: snmp.Version3,
          context: target.context,
        } as object)
      : snmp.createSession(address, community, { ...options, version: snmp.Version2c } as object);
  const session = native as NativeSession;
  // Unheard, an error event would end the process.
  session.on('error', () => {});
  return session;
}
