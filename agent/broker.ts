import type { Clock } from '../drivers/model/clock.ts';
import type { Credentials } from './config/credentials.ts';
import type { Config } from './config/schema.ts';
import { createInbound } from './inbound.ts';
import { createMqttLink, type MqttLink } from './mqtt/client.ts';
import { createOutbox, type Outbox } from './mqtt/outbox.ts';
import { type Topics, topics } from './mqtt/topics.ts';
import type { LogFunction, Rack } from './pipeline/rack.ts';
import { offlineAgent } from './pipeline/report.ts';
import type { Report } from './pipeline/reporter.ts';

export interface BrokerDeps {
  readonly config: Config;
  readonly secrets: Credentials['mqtt'];
  readonly rack: Rack;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: LogFunction;
  /** A number that was never given before, also before a crash; rejects when that cannot be made sure. */
  readonly nextIncarnation: () => Promise<number>;
  /** A session is open; what is set in here goes out first. */
  readonly onConnected: (incarnation: number) => void;
  readonly onDisconnected: () => void;
  /** A message could not be stored (the error), or one was stored (null). */
  readonly stored: (error: unknown) => void;
}

/** The agent's end of one broker: what comes in goes to the rack, what is set here is kept at the broker. */
export interface BrokerEdge {
  readonly link: MqttLink;
  readonly outbox: Outbox;
  readonly topics: Topics;
  topicOf(kind: Report['kind'], name: string): string;
  /** Says goodbye with the given incarnation and disconnects, within seconds. */
  stop(incarnation: number): Promise<void>;
}

/** Wires the link to the broker of the configuration. Nothing happens before `link.start()`. */
export function createBrokerEdge(deps: BrokerDeps): BrokerEdge {
  const { config, secrets, clock, random, log } = deps;
  const names = topics(config.mqtt.prefix, config.rack);
  const farewell = (incarnation: number) => JSON.stringify(offlineAgent(config.rack, incarnation));
  const outbox: Outbox = createOutbox({
    publish: (topic, payload, options) => link.publish(topic, payload, options),
    birthTopic: names.agent,
    clock,
    log,
  });
  const inbound = createInbound({
    topics: names,
    prefix: config.mqtt.prefix,
    rack: deps.rack,
    log,
    respond: (topic, document, correlationData) => {
      const more = correlationData === null ? {} : { correlationData };
      void link.publish(topic, JSON.stringify(document), { qos: 1, retain: false, ...more });
    },
  });
  const link: MqttLink = createMqttLink({
    rack: config.rack,
    config: config.mqtt,
    credentials: {
      password: secrets.password?.reveal() ?? null,
      ca: secrets.ca,
      cert: secrets.cert,
      key: secrets.key?.reveal() ?? null,
    },
    clock,
    random,
    nextIncarnation: deps.nextIncarnation,
    will: farewell,
    receive: async (message) => {
      try {
        await inbound(message);
        deps.stored(null);
      } catch (error) {
        deps.stored(error);
        throw error;
      }
    },
    onConnected: ({ incarnation }) => {
      deps.onConnected(incarnation);
      outbox.onConnected();
    },
    onDisconnected: () => {
      outbox.onDisconnected();
      deps.onDisconnected();
    },
    log,
  });
  return {
    link,
    outbox,
    topics: names,
    topicOf: (kind, name) => (kind === 'agent' ? names.agent : names[kind](name)),
    stop: (incarnation) => link.stop({ topic: names.agent, payload: farewell(incarnation) }),
  };
}
