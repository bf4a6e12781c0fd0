import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { element, elements, integer, oid, readInteger, readOid, TAG, tlv } from './ber.ts';
import type { Row, Table } from './dump.ts';

const [GET, GET_NEXT, RESPONSE, SET, GET_BULK] = [0xa0, 0xa1, 0xa2, 0xa3, 0xa5];
const [TOO_BIG, NOT_WRITABLE] = [1, 17];

/** What is asked. */
export interface Request {
  readonly kind: 'get' | 'getNext' | 'getBulk' | 'set';
  readonly oids: readonly string[];
  readonly nonRepeaters: number;
  readonly maxRepetitions: number;
}

/** What may go wrong with an agent; everything can be changed while it runs. */
export interface Faults {
  /** Drops the request, or answers with other octets; called for each answer. */
  answer?: (answer: Buffer, request: Request) => readonly Buffer[];
  /** Replaces the row behind an OID. */
  next?: (name: string, row: Row | undefined) => Row | undefined;
  /** An error status instead of an answer; 0: none. */
  status?: (request: Request) => number;
  /** Longest answer in octets; longer ones of GETBULK are cut, of others tooBig. */
  maxSize?: number;
  /** Answers from another port. */
  elsewhere?: boolean;
}

/** An SNMPv2c agent on a UDP port of loopback, over a table. Shares no code with the product. */
export class SnmpAgent {
  readonly requests: Request[] = [];
  faults: Faults = {};
  readonly #socket: Socket;
  readonly #other: Socket;
  readonly #communities: ReadonlyMap<string, Table>;

  private constructor(socket: Socket, other: Socket, communities: ReadonlyMap<string, Table>) {
    this.#socket = socket;
    this.#other = other;
    this.#communities = communities;
    socket.on('message', (bytes, from) => this.#take(bytes, from));
  }

  /** `communities`: the table that each community sees. */
  static async start(communities: Readonly<Record<string, Table>>): Promise<SnmpAgent> {
    const bound = () =>
      new Promise<Socket>((resolve) => {
        const socket = createSocket('udp4');
        socket.bind(0, '127.0.0.1', () => resolve(socket));
      });
    return new SnmpAgent(await bound(), await bound(), new Map(Object.entries(communities)));
  }

  get port(): number {
    return this.#socket.address().port;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#socket, this.#other].map((s) => new Promise<void>((resolve) => s.close(() => resolve()))));
  }

  #take(bytes: Buffer, from: RemoteInfo): void {
    const [version, community, pdu] = elements(element(bytes).content);
    const table = community && this.#communities.get(community.content.toString());
    if (!version || !community || !pdu || table === undefined) return;
    const [id, second, third, list] = elements(pdu.content);
    if (!id || !second || !third || !list) return;
    const kind = ({ [GET]: 'get', [GET_NEXT]: 'getNext', [GET_BULK]: 'getBulk', [SET]: 'set' } as const)[pdu.tag];
    if (kind === undefined) return;
    const binds = elements(list.content);
    const oids = binds.map(({ content }) => readOid(element(content).content));
    const bulk = kind === 'getBulk';
    const request: Request = {
      kind,
      oids,
      nonRepeaters: bulk ? readInteger(second.content) : 0,
      maxRepetitions: bulk ? readInteger(third.content) : 0,
    };
    this.requests.push(request);
    const build = (status: number, index: number, body: readonly Buffer[]) =>
      tlv(
        TAG.sequence,
        integer(1),
        tlv(TAG.octets, community.content),
        tlv(RESPONSE, integer(readInteger(id.content)), integer(status), integer(index), tlv(TAG.sequence, ...body)),
      );
    const refused = this.faults.status?.(request) ?? (kind === 'set' ? NOT_WRITABLE : 0);
    const asked = oids.map((name) => bind(name, tlv(TAG.none)));
    const answer = refused > 0 ? build(refused, 1, asked) : this.#fitting(request, table, build, asked);
    const socket = this.faults.elsewhere ? this.#other : this.#socket;
    for (const packet of this.faults.answer?.(answer, request) ?? [answer])
      socket.send(packet, from.port, from.address);
  }

  #fitting(
    request: Request,
    table: Table,
    build: (status: number, index: number, body: readonly Buffer[]) => Buffer,
    asked: readonly Buffer[],
  ): Buffer {
    const limit = this.faults.maxSize ?? 60_000;
    let body = this.#answers(request, table);
    for (;;) {
      const packet = build(0, 0, body);
      if (packet.length <= limit) return packet;
      if (request.kind !== 'getBulk') return build(TOO_BIG, 0, asked);
      if (body.length === 0) return build(TOO_BIG, 0, []);
      body = body.slice(0, -1);
    }
  }

  #answers({ kind, oids, nonRepeaters, maxRepetitions }: Request, table: Table): Buffer[] {
    const next = (name: string) => {
      const row = table.next(name);
      return this.faults.next ? this.faults.next(name, row) : row;
    };
    const shown = (name: string, row: Row | undefined) =>
      row ? bind(row.oid, row.value) : bind(name, tlv(TAG.endOfMibView));
    if (kind === 'get') return oids.map((name) => bind(name, table.get(name)?.value ?? tlv(TAG.noSuchInstance)));
    if (kind !== 'getBulk') return oids.map((name) => shown(name, next(name)));
    const body = oids.slice(0, nonRepeaters).map((name) => shown(name, next(name)));
    let at = oids.slice(nonRepeaters);
    for (let i = 0; i < maxRepetitions && at.length > 0; i++) {
      const rows = at.map((name) => next(name));
      body.push(...rows.map((row, column) => shown(at[column] ?? '', row)));
      at = at.map((name, column) => rows[column]?.oid ?? name);
      if (rows.every((row) => row === undefined)) break;
    }
    return body;
  }
}

function bind(name: string, value: Buffer): Buffer {
  return tlv(TAG.sequence, oid(name), value);
}
