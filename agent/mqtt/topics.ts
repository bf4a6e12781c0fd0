import type { z } from 'zod';
import { commandSchema, responseSchema } from '../model/command.ts';
import { intentSchema, publisherName } from '../model/intent.ts';
import { agentSchema, eventSchema, neighborsSchema, portsSchema, resultSchema } from '../model/report.ts';

/** One kind of topic of the contract. */
export interface TopicSpec {
  /** Below PREFIX/RACK; levels in angle brackets stand for names. */
  readonly pattern: string;
  /** `in`: to the agent. `out`: from the agent. */
  readonly direction: 'in' | 'out';
  readonly qos: 0 | 1;
  readonly retain: boolean;
  readonly schema: z.ZodType;
  /** What the topic carries, for the documentation. */
  readonly meaning: string;
}

/** Every topic of the contract, with direction, QoS, retain flag and schema; all other tables come from this one. */
export const TOPICS = {
  intent: {
    pattern: 'intent/<publisher>',
    direction: 'in',
    qos: 1,
    retain: true,
    schema: intentSchema,
    meaning: "the publisher's whole desired state for this rack",
  },
  command: {
    pattern: 'command',
    direction: 'in',
    qos: 1,
    retain: false,
    schema: commandSchema,
    meaning: 'a request: `plan`, `refresh`, `reconcile` or `ping`',
  },
  agent: {
    pattern: 'agent',
    direction: 'out',
    qos: 1,
    retain: true,
    schema: agentSchema,
    meaning: 'the agent and its switches; also the Last Will',
  },
  result: {
    pattern: 'result/<publisher>',
    direction: 'out',
    qos: 1,
    retain: true,
    schema: resultSchema,
    meaning: "what became of the publisher's intents",
  },
  ports: {
    pattern: 'switch/<switch>/ports',
    direction: 'out',
    qos: 1,
    retain: true,
    schema: portsSchema,
    meaning: "the switch's port table",
  },
  neighbors: {
    pattern: 'switch/<switch>/neighbors',
    direction: 'out',
    qos: 1,
    retain: true,
    schema: neighborsSchema,
    meaning: "the switch's LLDP neighbours",
  },
  event: {
    pattern: 'event',
    direction: 'out',
    qos: 1,
    retain: false,
    schema: eventSchema,
    meaning: 'something that happened, numbered',
  },
  response: {
    pattern: 'response/<publisher>/<id>',
    direction: 'out',
    qos: 1,
    retain: false,
    schema: responseSchema,
    meaning: 'the answer to a request; the requester names the topic',
  },
} as const satisfies Record<string, TopicSpec>;

export type TopicKind = keyof typeof TOPICS;

/** Topic names of one rack. */
export interface Topics {
  /** PREFIX/RACK, without a slash at the end. */
  readonly base: string;
  readonly command: string;
  readonly agent: string;
  readonly event: string;
  intent(publisher: string): string;
  result(publisher: string): string;
  ports(switchName: string): string;
  neighbors(switchName: string): string;
  /** What the agent subscribes to. */
  readonly subscriptions: readonly Subscription[];
}

export interface Subscription {
  readonly filter: string;
  readonly qos: 0 | 1;
  /** Whether retained messages are wanted on subscribing (MQTT 5; on 3.1.1 they always come). */
  readonly retained: boolean;
}

/** The topic names below `prefix`/`rack`; both were validated with the configuration. */
export function topics(prefix: string, rack: string): Topics {
  const base = `${prefix}/${rack}`;
  const fill = (kind: TopicKind, name: string) => `${base}/${TOPICS[kind].pattern.replace(/<[a-z]+>/, () => name)}`;
  const subscribe = (kind: TopicKind): Subscription => ({
    filter: fill(kind, '+'),
    qos: TOPICS[kind].qos,
    retained: TOPICS[kind].retain,
  });
  return {
    base,
    command: fill('command', ''),
    agent: fill('agent', ''),
    event: fill('event', ''),
    intent: (publisher) => fill('intent', publisher),
    result: (publisher) => fill('result', publisher),
    ports: (switchName) => fill('ports', switchName),
    neighbors: (switchName) => fill('neighbors', switchName),
    subscriptions: [subscribe('intent'), subscribe('command')],
  };
}

export type InboundTopic =
  | { readonly kind: 'intent'; readonly publisher: string }
  | { readonly kind: 'command' }
  /** An intent topic whose last level cannot be a publisher's name: nothing can be answered there. */
  | { readonly kind: 'bad-publisher'; readonly level: string };

/** What an inbound topic is; null for a topic that is not in the contract. */
export function parseTopic(base: string, topic: string): InboundTopic | null {
  if (!topic.startsWith(`${base}/`)) return null;
  const levels = topic.slice(base.length + 1).split('/');
  if (levels.length === 1 && levels[0] === 'command') return { kind: 'command' };
  const [kind, publisher] = levels;
  if (levels.length !== 2 || kind !== 'intent' || publisher === undefined) return null;
  return publisherName.safeParse(publisher).success
    ? { kind: 'intent', publisher }
    : { kind: 'bad-publisher', level: publisher };
}

/** True for text that may be published to: a topic name of at most 1,024 bytes without wildcards or control characters. */
export function isTopicName(topic: string): boolean {
  return (
    topic !== '' &&
    topic.isWellFormed() &&
    !/[#+\u0000-\u001f\u007f-\u009f\ufffe\uffff]/.test(topic) &&
    Buffer.byteLength(topic) <= MAX_TOPIC_BYTES
  );
}

const MAX_TOPIC_BYTES = 1024;

/**
 * Why the agent does not answer on a response topic that a requester named; null when it does. Otherwise a requester
 * could have the agent write, with the agent's rights, on topics that others trust.
 */
export function responseTopicProblem(prefix: string, topic: string): string | null {
  if (!isTopicName(topic)) return 'the response topic is not a topic name without wildcards of at most 1,024 bytes';
  if (topic.startsWith('$')) return 'the response topic must not start with "$"';
  if (topic !== prefix && !topic.startsWith(`${prefix}/`)) return null;
  const levels = topic.slice(prefix.length + 1).split('/');
  return levels.length >= 3 && levels[1] === 'response'
    ? null
    : `below ${prefix} the response topic must be ${prefix}/RACK/response/...`;
}
