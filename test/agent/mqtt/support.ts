import { connectAsync, type MqttClient } from 'mqtt';
import type { MqttConfig } from '../../../agent/config/schema.ts';
import {
  createMqttLink,
  type InboundMessage,
  type MqttCredentials,
  type MqttLink,
} from '../../../agent/mqtt/client.ts';
import { type Clock, systemClock } from '../../../drivers/model/clock.ts';

export const RACK = 'rack-1';
export const BASE = `portkeeper/v1/${RACK}`;

export interface Received {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
  readonly duplicate: boolean;
  readonly message: InboundMessage;
}

export interface Harness {
  readonly link: MqttLink;
  readonly received: Received[];
  /** "connected N present|new", "disconnected: REASON", in order. */
  readonly happened: string[];
  readonly lines: string[];
  readonly incarnations: number[];
}

export interface HarnessOptions {
  readonly url: string;
  readonly config?: Partial<MqttConfig>;
  readonly credentials?: Partial<MqttCredentials>;
  readonly receive?: (message: InboundMessage) => Promise<void>;
  /** First incarnation minus one. */
  readonly incarnation?: number;
  /** Makes every back-off wait as short as the link allows. Default: true. */
  readonly eager?: boolean;
  readonly start?: boolean;
  readonly clock?: Clock;
}

const open = new Set<MqttLink>();
const peers = new Set<MqttClient>();

/** A link with what came of it. Stopped by {@link stopAll}. */
export function harness(options: HarnessOptions): Harness {
  const received: Received[] = [];
  const happened: string[] = [];
  const lines: string[] = [];
  const incarnations: number[] = [];
  let incarnation = options.incarnation ?? 0;
  const link = createMqttLink({
    rack: RACK,
    config: {
      url: options.url,
      protocol: '5',
      prefix: 'portkeeper/v1',
      keepalive: 30,
      sessionExpiry: 3600,
      willDelay: 0,
      ...options.config,
    },
    credentials: { password: null, ca: null, cert: null, key: null, ...options.credentials },
    clock: options.clock ?? systemClock,
    random: options.eager === false ? Math.random : () => 0,
    nextIncarnation: async () => {
      incarnations.push(++incarnation);
      return incarnation;
    },
    will: (number) => JSON.stringify({ state: 'offline', incarnation: number }),
    receive: async (message) => {
      await options.receive?.(message);
      const { topic, payload, retain, duplicate } = message;
      received.push({ topic, text: payload.toString(), retain, duplicate, message });
    },
    onConnected: (info) => happened.push(`connected ${info.incarnation} ${info.sessionPresent ? 'present' : 'new'}`),
    onDisconnected: (reason) => happened.push(`disconnected: ${reason}`),
    log: (_level, fields, text) => lines.push(`${text} ${JSON.stringify(fields)}`),
  });
  open.add(link);
  if (options.start !== false) link.start();
  return { link, received, happened, lines, incarnations };
}

/** A client of the other side: a publisher, or somebody who reads. */
export async function peer(
  url: string,
  options: { protocol?: '5' | '3.1.1'; username?: string; password?: string; clientId?: string; ca?: string } = {},
): Promise<MqttClient & { readonly messages: { topic: string; text: string; retain: boolean }[] }> {
  const { protocol = '5', ...rest } = options;
  const messages: { topic: string; text: string; retain: boolean }[] = [];
  const client = await connectAsync(
    url,
    { protocolVersion: protocol === '5' ? 5 : 4, reconnectPeriod: 0, ...rest },
    false,
  );
  client.on('message', (topic, payload, packet) =>
    messages.push({ topic, text: payload.toString(), retain: packet.retain }),
  );
  client.on('error', () => {});
  peers.add(client);
  return Object.assign(client, { messages });
}

/** Waits until the condition holds; the test's own time limit ends it. */
export async function until(
  what: string,
  condition: () => boolean,
  seen: () => unknown = () => '',
  limitMs = 15_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`never came: ${what} ${JSON.stringify(seen())}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Stops every link and client of the test. */
export async function stopAll(): Promise<void> {
  for (const client of peers) client.end(true);
  peers.clear();
  await Promise.all([...open].map((link) => link.stop()));
  open.clear();
}
