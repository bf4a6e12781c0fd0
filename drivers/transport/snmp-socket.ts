import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { isIPv6 } from 'node:net';
import { isSecureAnswer } from './snmp-header.ts';

/**
 * A UDP socket between net-snmp and one agent. Only what comes from the agent's own address and port is passed on, and of SNMPv3
 * only what is secured as the requests are: net-snmp looks at neither. Nothing that a packet does can end the process.
 */
export class SnmpSocket extends EventEmitter {
  readonly #socket: Socket;
  readonly #address: string;
  readonly #port: number;
  readonly #version: '2c' | '3';
  #closed = false;

  /** `address`: an IP address. */
  constructor(address: string, port: number, version: '2c' | '3') {
    super();
    this.#address = address.replace(/%.*$/, '').toLowerCase();
    this.#port = port;
    this.#version = version;
    this.#socket = createSocket({ type: isIPv6(this.#address) ? 'udp6' : 'udp4' });
    this.#socket.on('message', (bytes, from) => this.#take(bytes, from));
    // Errors of sending come to the callback of the send; others have nobody to tell.
    this.#socket.on('error', () => {});
  }

  send(
    bytes: Buffer,
    offset: number,
    length: number,
    port: number,
    address: string,
    done: (error: Error | null) => void,
  ) {
    if (this.#closed) done(new Error('the session is closed'));
    else this.#socket.send(bytes, offset, length, port, address, done);
  }

  ref(): void {
    this.#socket.ref();
  }

  unref(): void {
    this.#socket.unref();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
  }

  #take(bytes: Buffer, from: RemoteInfo): void {
    const address = from.address.replace(/%.*$/, '').toLowerCase();
    if (this.#closed || from.port !== this.#port || address !== this.#address) return;
    if (this.#version === '3' && !isSecureAnswer(bytes)) return;
    try {
      this.emit('message', bytes);
    } catch {
      // A packet that net-snmp stumbles over is as good as lost: the request is repeated.
    }
  }
}
