import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import { packetLimiter } from './packet-limit.ts';

/** Where the broker is, from the configuration's `mqtt.url`. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** Reads `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]` (IPv6 in brackets); null when it is neither. */
export function brokerAddress(url: string): BrokerAddress | null {
  const match = /^(mqtts?):\/\/(?:\[([0-9A-Fa-f:.%]+)\]|([^\s/@:[\]]+))(?::([0-9]{1,5}))?$/.exec(url);
  if (!match) return null;
  const tls = match[1] === 'mqtts';
  const port = match[4] === undefined ? (tls ? 8883 : 1883) : Number(match[4]);
  const host = match[2] ?? match[3] ?? '';
  return port >= 1 && port <= 65_535 ? { host, port, tls } : null;
}

export interface TlsSettings {
  /** PEM; null: the CAs that Node.js trusts. */
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  /** Name to expect in the certificate instead of the host. */
  readonly serverName: string | null;
}

/** How far a connection has come; says where it hangs when it does. */
export type SocketPhase = 'tcp' | 'tls' | 'open';

/**
 * The byte stream to the broker: TCP or TLS (1.2 and later, the certificate always verified), with every inbound packet
 * bounded to `limitBytes` (see {@link packetLimiter}). Errors come as `error` events, always followed by `close`.
 * Throws at once when the PEM texts cannot be read.
 */
export function openBrokerSocket(address: BrokerAddress, tls: TlsSettings, limitBytes: number): BrokerSocket {
  return new BrokerSocket(address, tls, limitBytes);
}

export class BrokerSocket extends Duplex {
  readonly #socket: Socket;
  #phase: SocketPhase = 'tcp';

  constructor(address: BrokerAddress, tls: TlsSettings, limitBytes: number) {
    super({ allowHalfOpen: false });
    const limit = packetLimiter(limitBytes);
    const socket = address.tls ? connectTls(tlsOptions(address, tls)) : connectTcp(address.port, address.host);
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.once('connect', () => {
      this.#phase = address.tls ? 'tls' : 'open';
    });
    socket.once('secureConnect', () => {
      this.#phase = 'open';
    });
    socket.on('data', (chunk: Buffer) => {
      let passed: Buffer;
      try {
        passed = limit(chunk);
      } catch (error) {
        this.destroy(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      if (passed.length > 0 && !this.push(passed)) socket.pause();
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('end', () => this.push(null));
    // What came before the end is read first: it may say why the broker closed.
    socket.on('close', () => setImmediate(() => this.destroy()));
  }

  get phase(): SocketPhase {
    return this.#phase;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  /** One write for all the small pieces of a packet. */
  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map((item) => item.chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

function tlsOptions(address: BrokerAddress, tls: TlsSettings) {
  const expected = tls.serverName ?? address.host;
  return {
    host: address.host,
    port: address.port,
    // RFC 6066, 3: an address is not sent as server name.
    ...(isIP(expected) === 0 ? { servername: expected } : {}),
    ...(tls.ca === null ? {} : { ca: tls.ca }),
    ...(tls.cert === null ? {} : { cert: tls.cert }),
    ...(tls.key === null ? {} : { key: tls.key }),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2' as const,
    checkServerIdentity: (_host: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
      checkServerIdentity(expected, certificate),
  };
}
