import { type IClientOptions, type IConnackPacket, MqttClient } from 'mqtt';
import { sanitizeText } from '../../drivers/model/text.ts';
import { type BrokerSocket, brokerAddress, openBrokerSocket } from './broker-socket.ts';
import {
  type BrokerNames,
  explainClose,
  explainConnack,
  explainDisconnect,
  explainError,
  explainHang,
} from './explain.ts';
import { type Connection, type ConnectionEvents, createLink, type InboundMessage, type MqttLink } from './link.ts';
import type { MqttLinkOptions } from './options.ts';
import { MAX_PACKET_BYTES } from './packet-limit.ts';
import { isTopicName, topics } from './topics.ts';
import { createWindow } from './window.ts';

export type { InboundMessage, MqttLink, PublishOptions } from './link.ts';
export type { MqttCredentials, MqttLinkOptions } from './options.ts';
/** For one-shot.ts; nothing else uses the library. */
export { MqttClient };

/** From the first packet to a session, DNS, TCP and TLS included. */
const CONNECT_MS = 30_000;
/** A broker that does not confirm within this time is taken for dead. */
const CONFIRM_MS = 60_000;
/** Between attempts to subscribe again after a refusal. */
const RESUBSCRIBE_MS = 30_000;
const MAX_IN_FLIGHT = 16;
/** MQTT.js runs its own timer for CONNACK; ours covers more and comes first. */
const LIBRARY_CONNECT_MS = 600_000;
const SHORT_LIVED_MS = 30_000;
const NOT_CONFIRMED = 'the broker does not confirm what it gets; connecting again';

/** The lasting link to the broker of the configuration. Nothing happens before `start()`. */
export function createMqttLink(options: MqttLinkOptions): MqttLink {
  return createLink({
    clock: options.clock,
    random: options.random,
    label: `${options.config.url} (MQTT ${options.config.protocol})`,
    nextIncarnation: options.nextIncarnation,
    receive: options.receive,
    onConnected: options.onConnected,
    onDisconnected: options.onDisconnected,
    log: options.log,
    connect: (incarnation, events) => openConnection(options, incarnation, events),
  });
}

/** One MQTT.js client per connection: none of its reconnecting, queueing or resubscribing is used. */
function openConnection(options: MqttLinkOptions, incarnation: number, events: ConnectionEvents): Connection {
  const { clock, config } = options;
  const address = brokerAddress(config.url);
  if (address === null) throw new Error(`mqtt.url "${config.url}" is not mqtt://HOST[:PORT] or mqtts://HOST[:PORT]`);
  const names: BrokerNames = {
    address,
    clientId: config.clientId ?? `portkeeper-${options.rack}`,
    username: config.username ?? null,
    protocol: config.protocol,
  };
  const v5 = config.protocol === '5';
  const { subscriptions, agent } = topics(config.prefix, options.rack);
  const tls = { ...options.credentials, serverName: config.serverName ?? null };
  const window = createWindow(MAX_IN_FLIGHT);
  const standing = new Map<string, string>();
  const timers = new Set<() => void>();
  let socket: BrokerSocket | null = null;
  let over = false;
  let openedAt: number | null = null;
  let problem: string | null = null;
  let takenOver = false;
  let packetLimit = Number.POSITIVE_INFINITY;

  const client = new MqttClient(
    () => {
      socket = openBrokerSocket(address, tls, MAX_PACKET_BYTES);
      return socket;
    },
    clientOptions(options, names, agent, incarnation),
  );

  const later = (ms: number, run: () => void) => {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      run();
    });
    timers.add(cancel);
    return () => {
      timers.delete(cancel);
      cancel();
    };
  };

  function close(reason: string): void {
    if (over) return;
    over = true;
    for (const cancel of timers) cancel();
    window.close();
    if (socket !== null) client.end(true);
    socket?.destroy();
    events.closed({ reason, takenOver });
  }

  function notice(key: string, text: string | null): void {
    if (over || (standing.get(key) ?? null) === text) return;
    if (text === null) standing.delete(key);
    else standing.set(key, text);
    events.notices([...standing.values()]);
  }

  function why(error: unknown): string {
    if (problem !== null) return problem;
    const cut = openedAt === null && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
    return cut ? explainClose(names, false, true) : explainError(error, names);
  }

  function subscribe(): void {
    const overdue = later(CONFIRM_MS, () => close(NOT_CONFIRMED));
    const wanted = Object.fromEntries(
      subscriptions.map(({ filter, qos, retained }) => [filter, { qos, rh: retained ? 0 : 2 }]),
    );
    client.subscribe(wanted, (_error, _grants, packet) => {
      overdue();
      if (over) return;
      const codes = (packet?.granted ?? []).map(Number);
      const refused = subscriptions.filter((_, i) => (codes[i] ?? 0x80) >= 0x80).map((s) => s.filter);
      const weak = subscriptions.filter((s, i) => (codes[i] ?? 0x80) < s.qos).map((s) => s.filter);
      if (refused.length > 0) later(RESUBSCRIBE_MS, subscribe);
      notice(
        'subscription',
        refused.length > 0
          ? `the broker refuses the subscription to ${refused.join(' and ')}; allow it for ${who(names)} in the broker's access rules`
          : weak.length > 0
            ? `the broker grants only QoS 0 for ${weak.join(' and ')}; what is published while the agent is away gets lost`
            : null,
      );
    });
  }

  client.on('connect', (connack: IConnackPacket) => {
    if (over) return;
    openedAt = clock.monotonic();
    watchdog();
    const offered = v5 ? connack.properties : undefined;
    packetLimit = offered?.maximumPacketSize ?? packetLimit;
    window.limit(Math.min(MAX_IN_FLIGHT, offered?.receiveMaximum ?? MAX_IN_FLIGHT));
    subscribe();
    events.connected({ sessionPresent: connack.sessionPresent });
    const expiry = offered?.sessionExpiryInterval;
    if (expiry !== undefined && expiry < Math.round(config.sessionExpiry)) {
      notice(
        'session',
        `the broker keeps the session only ${expiry} s while the agent is away, not mqtt.sessionExpiry`,
      );
    }
    if (offered?.retainAvailable === false) notice('retain', 'the broker keeps no retained messages; enable them');
  });
  client.on('packetreceive', (packet) => {
    if (packet.cmd !== 'connack') return;
    const code = packet.reasonCode ?? packet.returnCode ?? 0;
    if (code !== 0) problem = explainConnack(code, packet.properties?.reasonString ?? null, names);
  });
  client.on('disconnect', (packet) => {
    const code = packet.reasonCode ?? 0;
    takenOver = code === 142;
    close(explainDisconnect(code, packet.properties?.reasonString ?? null, names));
  });
  client.on('error', (error) => close(why(error)));
  client.on('close', () => {
    const shortLived = openedAt !== null && clock.monotonic() - openedAt < SHORT_LIVED_MS;
    close(problem ?? explainClose(names, openedAt !== null, shortLived));
  });
  client.handleMessage = (packet, done) => {
    const { properties } = packet;
    const message: InboundMessage = {
      topic: packet.topic,
      payload: typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload,
      retain: packet.retain,
      duplicate: packet.dup,
      responseTopic: typeof properties?.responseTopic === 'string' ? properties.responseTopic : null,
      correlationData: properties?.correlationData ?? null,
    };
    events.receive(message).then(
      () => {
        if (!over) done();
      },
      (error: unknown) => {
        const cause = sanitizeText(error instanceof Error ? error.message : String(error), 300);
        close(`a message on ${sanitizeText(packet.topic, 200)} could not be stored and was not acknowledged: ${cause}`);
      },
    );
  };
  const watchdog = later(CONNECT_MS, () => close(explainHang(socket?.phase ?? 'tcp', CONNECT_MS / 1000, names)));
  try {
    client.connect();
    // The stream's own errors reach the client only when they carry a code; every one ends the connection.
    client.stream.on('error', (error: Error) => close(why(error)));
  } catch (error) {
    close(explainError(error, names));
  }

  return {
    publish(topic, payload, { qos, retain, correlationData, messageExpirySeconds }) {
      if (!isTopicName(topic)) return Promise.resolve(false);
      const bytes = Buffer.byteLength(payload) + Buffer.byteLength(topic) + (correlationData?.length ?? 0) + 64;
      if (bytes > packetLimit) {
        notice(
          'size',
          `the broker takes packets of at most ${packetLimit} bytes, ${topic} needs ${bytes}; raise its limit`,
        );
        return Promise.resolve(false);
      }
      const properties = {
        ...(correlationData === undefined ? {} : { correlationData }),
        ...(messageExpirySeconds === undefined ? {} : { messageExpiryInterval: Math.round(messageExpirySeconds) }),
      };
      return window.run((settle) => {
        const overdue = later(CONFIRM_MS, () => close(NOT_CONFIRMED));
        client.publish(topic, payload, { qos, retain, ...(v5 ? { properties } : {}) }, (error) => {
          overdue();
          // Of a connection that is being ended nothing is to be told.
          if (client.disconnecting) return settle(false);
          const key = `publish ${topic}`;
          if (error && standing.size < MAX_NOTICES) {
            notice(key, `the broker refuses messages on ${topic}; allow them for ${who(names)} in its access rules`);
          } else if (!error) notice(key, null);
          settle(!error);
        });
      });
    },
    end: () =>
      new Promise((resolve) => {
        if (over) resolve();
        else client.end(false, v5 ? { reasonCode: 0 } : {}, () => resolve());
      }),
    drop: close,
  };
}

const MAX_NOTICES = 8;

function who(names: BrokerNames): string {
  return names.username === null ? `client "${names.clientId}"` : `user "${names.username}"`;
}

function clientOptions(
  options: MqttLinkOptions,
  names: BrokerNames,
  willTopic: string,
  incarnation: number,
): IClientOptions {
  const { config, credentials } = options;
  const v5 = config.protocol === '5';
  return {
    protocolVersion: v5 ? 5 : 4,
    protocolId: 'MQTT',
    clientId: names.clientId,
    clean: false,
    ...(config.username === undefined ? {} : { username: config.username }),
    // MQTT 3.1.1, 3.1.2.9: no password without a user name.
    ...(credentials.password === null || (!v5 && config.username === undefined)
      ? {}
      : { password: credentials.password }),
    keepalive: Math.round(config.keepalive),
    ...(v5
      ? { properties: { sessionExpiryInterval: Math.round(config.sessionExpiry), maximumPacketSize: MAX_PACKET_BYTES } }
      : {}),
    will: {
      topic: willTopic,
      payload: Buffer.from(options.will(incarnation)),
      qos: 1,
      retain: true,
      ...(v5 ? { properties: { willDelayInterval: Math.round(config.willDelay) } } : {}),
    },
    manualConnect: true,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    connectTimeout: LIBRARY_CONNECT_MS,
    timerVariant: 'native',
    // The library's debug log would show the password.
    log: () => {},
  };
}
