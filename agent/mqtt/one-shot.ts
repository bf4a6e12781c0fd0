import type { Clock } from '../../drivers/model/clock.ts';
import type { MqttConfig } from '../config/schema.ts';
import { type BrokerSocket, brokerAddress, openBrokerSocket } from './broker-socket.ts';
import { MqttClient } from './client.ts';
import {
  type BrokerNames,
  explainClose,
  explainConnack,
  explainDisconnect,
  explainError,
  explainHang,
} from './explain.ts';
import type { MqttCredentials } from './options.ts';
import { MAX_PACKET_BYTES } from './packet-limit.ts';

/** The broker cannot be used; `message` says why and what to do. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  readonly kind: 'unreachable' | 'not-authorised' | 'timeout';
  constructor(kind: BrokerError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface OneShotOptions {
  readonly config: Pick<MqttConfig, 'url' | 'protocol' | 'username' | 'serverName'>;
  readonly clientId: string;
  readonly credentials: MqttCredentials;
  readonly clock: Clock;
  /** Milliseconds for the connection, and for each confirmation of the broker. */
  readonly timeoutMs: number;
  readonly onMessage: (topic: string, payload: Buffer) => void;
  /** Called once when the connection is lost after it was open, not after {@link OneShot.close}. */
  readonly onLost: (error: BrokerError) => void;
}

/** A connection for one errand: clean session, no will, no coming back. */
export interface OneShot {
  /** Resolves with the topics that the broker refuses. Rejects with {@link BrokerError}. */
  subscribe(topics: readonly string[]): Promise<readonly string[]>;
  /** Publishes retained with QoS 1; resolves when the broker has confirmed. Rejects with {@link BrokerError}. */
  publishRetained(topic: string, payload: Uint8Array): Promise<void>;
  /** Says goodbye. Never rejects. */
  close(): Promise<void>;
}

/** CONNACK codes that mean login or rights (MQTT 3.1.1, 3.2.2.3; MQTT 5.0, 3.2.2.2). */
const NOT_AUTHORISED = new Set([4, 5, 134, 135, 138, 140]);

/** Connects to the broker, once. Rejects with {@link BrokerError}; leaves nothing behind then. */
export function connectOnce(options: OneShotOptions): Promise<OneShot> {
  const { config, clock, timeoutMs } = options;
  const address = brokerAddress(config.url);
  if (address === null) {
    return Promise.reject(
      new BrokerError('unreachable', `"${config.url}" is not mqtt://HOST[:PORT] or mqtts://HOST[:PORT]`),
    );
  }
  const names: BrokerNames = {
    address,
    clientId: options.clientId,
    username: config.username ?? null,
    protocol: config.protocol,
  };
  const tls = { ...options.credentials, serverName: config.serverName ?? null };
  return new Promise((resolve, reject) => {
    let socket: BrokerSocket | null = null;
    let open = false;
    let over = false;
    let problem: BrokerError | null = null;
    const fail = (error: BrokerError): void => {
      if (over) return;
      over = true;
      cancel();
      client.end(true);
      socket?.destroy();
      if (open) options.onLost(error);
      else reject(error);
    };
    const unreachable = (message: string) => new BrokerError('unreachable', message);
    const cancel = clock.after(timeoutMs, () =>
      fail(unreachable(explainHang(socket?.phase ?? 'tcp', timeoutMs / 1000, names))),
    );
    const client = new MqttClient(() => {
      socket = openBrokerSocket(address, tls, MAX_PACKET_BYTES);
      return socket;
    }, clientOptions(options));
    client.on('packetreceive', (packet) => {
      if (packet.cmd !== 'connack') return;
      const code = packet.reasonCode ?? packet.returnCode ?? 0;
      if (code === 0) return;
      const kind = NOT_AUTHORISED.has(code) ? 'not-authorised' : 'unreachable';
      problem = new BrokerError(kind, explainConnack(code, packet.properties?.reasonString ?? null, names));
    });
    client.on('connect', () => {
      cancel();
      open = true;
      resolve(
        oneShot(client, options, names, () => {
          over = true;
        }),
      );
    });
    client.on('message', options.onMessage);
    client.on('disconnect', (packet) =>
      fail(unreachable(explainDisconnect(packet.reasonCode ?? 0, packet.properties?.reasonString ?? null, names))),
    );
    client.on('error', (error) => fail(problem ?? unreachable(explainError(error, names))));
    client.on('close', () => fail(problem ?? unreachable(explainClose(names, open, true))));
    try {
      client.connect();
    } catch (error) {
      fail(unreachable(explainError(error, names)));
      return;
    }
    (socket as BrokerSocket | null)?.on('error', (error: Error) =>
      fail(problem ?? unreachable(explainError(error, names))),
    );
  });
}

function oneShot(client: MqttClient, options: OneShotOptions, names: BrokerNames, finished: () => void): OneShot {
  /** Runs a request that the broker must confirm within the deadline. */
  const confirmed = <T>(what: string, start: (done: (error: Error | null, value: T) => void) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      const cancel = options.clock.after(options.timeoutMs, () =>
        reject(new BrokerError('timeout', `the broker did not confirm ${what} within ${options.timeoutMs / 1000} s`)),
      );
      start((error, value) => {
        cancel();
        if (error) reject(error);
        else resolve(value);
      });
    });
  return {
    subscribe: (topics) =>
      confirmed('the subscription', (done) => {
        client.subscribe([...topics], { qos: 1 }, (_error, _grants, packet) => {
          const codes = (packet?.granted ?? []).map(Number);
          done(
            null,
            topics.filter((_, i) => (codes[i] ?? 0x80) >= 0x80),
          );
        });
      }),
    publishRetained: (topic, payload) =>
      confirmed(`the message on ${topic}`, (done) => {
        client.publish(topic, Buffer.from(payload), { qos: 1, retain: true }, (error) => {
          if (!error) return done(null, undefined);
          const who = names.username === null ? `client "${names.clientId}"` : `user "${names.username}"`;
          done(
            new BrokerError(
              'not-authorised',
              `the broker refuses messages on ${topic} from ${who}; allow them in its access rules`,
            ),
            undefined,
          );
        });
      }),
    close: () =>
      new Promise((resolve) => {
        finished();
        const cancel = options.clock.after(2000, () => {
          client.end(true);
          resolve();
        });
        client.end(false, {}, () => {
          cancel();
          resolve();
        });
      }),
  };
}

function clientOptions({ config, clientId, credentials, timeoutMs }: OneShotOptions) {
  return {
    protocolVersion: config.protocol === '5' ? (5 as const) : (4 as const),
    protocolId: 'MQTT' as const,
    clientId,
    clean: true,
    ...(config.username === undefined ? {} : { username: config.username }),
    ...(credentials.password === null || config.username === undefined ? {} : { password: credentials.password }),
    keepalive: 30,
    manualConnect: true,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    connectTimeout: timeoutMs * 2,
    timerVariant: 'native' as const,
    // The library's debug log would show the password.
    log: () => {},
  };
}
