import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { isIPv6 } from 'node:net';
import * as snmp from 'net-snmp';
import { readTrap, readTrapV1, type Trap } from '../mib/traps.ts';
import type { Clock } from '../model/clock.ts';
import { isVersion3, peekEngineId } from './snmp-header.ts';
import { authPrivUser, type SnmpUser } from './snmp-security.ts';

/** How the notifications of a switch prove that they are from it. */
export type TrapCredentials =
  | { readonly version: '2c'; readonly community: string }
  | ({ readonly version: '3' } & SnmpUser);

/** A switch that may send. */
export interface TrapSource {
  readonly name: string;
  /** The IP addresses it sends from. */
  readonly addresses: readonly string[];
  readonly credentials: TrapCredentials;
}

export interface TrapReceiverOptions {
  readonly address: string;
  readonly port: number;
  /** Own engine ID, 5 to 32 octets, the same after every start: senders of informs remember it (RFC 3411, SnmpEngineID). */
  readonly engineId: Uint8Array;
  readonly clock: Clock;
  readonly onTrap: (source: string, trap: Trap) => void;
  /** A message of a known address that was not believed, at most once a minute for each switch; never with a secret. */
  readonly onProblem: (source: string, message: string) => void;
}

/** Longest burst from one switch, and how many a second after it. More are dropped: polling finds what they told. */
const BURST = 256;
const PER_SECOND = 128;
/** Engine IDs besides our own that are tried for one switch: each costs a key derivation of a megabyte, kept by net-snmp. */
const MAX_ENGINES = 16;
const COMPLAIN_EVERY_MS = 60_000;

/**
 * Receives SNMP notifications (v1 and v2c traps and informs by community, v3 authPriv ones) on one UDP port. What does not come
 * from an address of a known switch is dropped unread. A notification is a hint: a forged or repeated one costs a reading.
 */
export class TrapReceiver {
  readonly #options: TrapReceiverOptions;
  readonly #socket: Socket;
  #desks: ReadonlyMap<string, Desk> = new Map();

  private constructor(options: TrapReceiverOptions, socket: Socket) {
    this.#options = options;
    this.#socket = socket;
    socket.on('message', (bytes, from) => this.#desks.get(plain(from.address))?.take(bytes, from));
    // Errors of answers to informs (host unreachable and the like); the sender repeats.
    socket.on('error', () => {});
  }

  /** Resolves when the port is bound; rejects with the system's error (EADDRINUSE, EACCES below 1024 ...). */
  static listen(options: TrapReceiverOptions): Promise<TrapReceiver> {
    const socket = createSocket({ type: isIPv6(options.address) ? 'udp6' : 'udp4' });
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(options.port, options.address, () => {
        socket.off('error', reject);
        resolve(new TrapReceiver(options, socket));
      });
    });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Whom to believe from now on. An address that two switches claim belongs to neither, since neither could be told apart. */
  setSources(sources: readonly TrapSource[]): void {
    const desks = new Map<string, Desk>();
    const twice = new Set<string>();
    for (const source of sources) {
      const desk = new Desk(source, this.#socket, this.#options);
      for (const address of new Set(source.addresses.map(plain))) {
        if (desks.has(address)) twice.add(address);
        desks.set(address, desk);
      }
    }
    for (const address of twice) desks.delete(address);
    this.#desks = desks;
  }

  close(): Promise<void> {
    this.#desks = new Map();
    return new Promise((resolve) => this.#socket.close(resolve));
  }
}

/** What net-snmp calls back with. */
interface Delivery {
  readonly pdu: {
    readonly type: number;
    readonly community?: string;
    readonly generic?: number;
    readonly enterprise?: string;
    readonly varbinds?: readonly { readonly oid: string; readonly value: string | number }[];
  };
}

/** Takes the messages of one switch, with a receiver of its own: the credentials of one are not good for another. */
class Desk {
  readonly #source: TrapSource;
  readonly #options: TrapReceiverOptions;
  readonly #gate = new EventEmitter();
  readonly #engines = new Set<string>();
  #tokens = BURST;
  #refilled: number;
  #complained = Number.NEGATIVE_INFINITY;

  constructor(source: TrapSource, socket: Socket, options: TrapReceiverOptions) {
    this.#source = source;
    this.#options = options;
    this.#refilled = options.clock.monotonic();
    this.#engines.add(Buffer.from(options.engineId).toString('hex'));
    const { credentials } = source;
    const receiver = snmp.createReceiver(
      {
        engineID: Buffer.from(options.engineId).toString('hex'),
        includeAuthentication: true,
        port: 1,
        // Receives through the gate, and answers informs by the real socket.
        dgramModule: { createSocket: () => Object.assign(this.#gate, { bind() {}, send: socket.send.bind(socket) }) },
      },
      (error: Error | null, delivery?: Delivery) => this.#delivered(error, delivery),
    );
    const authorizer = receiver.getAuthorizer();
    if (credentials.version === '2c') authorizer.addCommunity(credentials.community);
    else authorizer.addUser(authPrivUser(credentials));
  }

  take(bytes: Buffer, from: RemoteInfo): void {
    const now = this.#options.clock.monotonic();
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#refilled) / 1000) * PER_SECOND);
    this.#refilled = now;
    if (this.#tokens < 1) return;
    this.#tokens--;
    if (isVersion3(bytes) !== (this.#source.credentials.version === '3')) {
      this.#complain('it speaks another version of SNMP than is configured for it');
      return;
    }
    if (this.#source.credentials.version === '3' && !this.#mayDerive(bytes)) return;
    try {
      this.#gate.emit('message', bytes, from);
    } catch {
      this.#complain('it is malformed');
    }
  }

  /** Whether the message's engine ID is worth a key derivation. */
  #mayDerive(bytes: Buffer): boolean {
    const engineId = peekEngineId(bytes);
    if (engineId === null || engineId.length > 32) return false;
    if (engineId.length === 0) return true;
    const hex = Buffer.from(engineId).toString('hex');
    if (this.#engines.size <= MAX_ENGINES) this.#engines.add(hex);
    return this.#engines.has(hex);
  }

  #delivered(error: Error | null, delivery: Delivery | undefined): void {
    if (error !== null) this.#complain(whyOf(error));
    const pdu = delivery?.pdu;
    if (error !== null || pdu === undefined) return;
    const varbinds = pdu.varbinds ?? [];
    const trap =
      pdu.generic === undefined ? readTrap(varbinds) : readTrapV1(pdu.generic, pdu.enterprise ?? '', varbinds);
    this.#options.onTrap(this.#source.name, trap);
  }

  #complain(why: string): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#complained < COMPLAIN_EVERY_MS) return;
    this.#complained = now;
    this.#options.onProblem(this.#source.name, `a notification was not believed: ${why}`);
  }
}

/** net-snmp's words hold digests and keys' names; only the kind of failure is passed on. */
function whyOf(error: Error): string {
  if (/community/i.test(error.message)) return 'its community is not the configured one';
  if (/digest|authenticat/i.test(error.message))
    return 'its digest does not fit: check the authentication password and protocol';
  if (/user/i.test(error.message)) return 'its user is not the configured one, or it lacks authentication or privacy';
  if (/decrypt|privacy/i.test(error.message))
    return 'it could not be decrypted: check the privacy password and protocol';
  return 'it is malformed';
}

/** IPv4 addresses that a dual-stack socket shows as ::ffff:192.0.2.1, and zones of link-local ones. */
function plain(address: string): string {
  return address
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '')
    .toLowerCase();
}
