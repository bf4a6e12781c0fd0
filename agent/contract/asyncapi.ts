import { MAX_PACKET_BYTES } from '../mqtt/packet-limit.ts';
import { TOPICS, type TopicKind } from '../mqtt/topics.ts';
import { EXAMPLES } from './examples.ts';
import { type JsonObject, type JsonValue, namedSchemas } from './json-schemas.ts';

/** Version of the MQTT bindings (https://github.com/asyncapi/bindings). */
const BINDING = '0.2.0';
const KINDS = Object.keys(TOPICS) as TopicKind[];
const DEFAULT_PREFIX = 'portkeeper/v1';

const PARAMETERS: Readonly<Record<string, JsonObject>> = {
  rack: { description: 'Name of the rack, from the configuration.' },
  publisher: { description: 'Name of a publisher: lower-case letters, digits and "-".' },
  switch: { description: 'Name of the switch in the configuration.' },
};

/** The contract as an AsyncAPI 3.0 document, seen from the agent: it sends what it publishes and receives what it subscribes to. */
export function asyncapi(version: string): JsonObject {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Portkeeper',
      version,
      description:
        'A daemon beside a rack that keeps the ports of its top-of-rack switches as the cluster wants them. Seen from the agent: "send" is what it publishes.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      broker: {
        host: 'broker.example:8883',
        protocol: 'secure-mqtt',
        protocolVersion: '5.0',
        description: 'Any MQTT 5 broker with retained messages, sessions and QoS 1; 3.1.1 works with less.',
        bindings: {
          mqtt: {
            clientId: 'portkeeper-RACK',
            cleanSession: false,
            lastWill: {
              topic: `${DEFAULT_PREFIX}/RACK/${TOPICS.agent.pattern}`,
              qos: TOPICS.agent.qos,
              retain: TOPICS.agent.retain,
              message: JSON.stringify(EXAMPLES.agent.document),
            },
            keepAlive: 30,
            sessionExpiryInterval: 604_800,
            maximumPacketSize: MAX_PACKET_BYTES,
            bindingVersion: BINDING,
          },
        },
      },
    },
    channels: record((kind) => ({
      description: TOPICS[kind].meaning,
      messages: { [kind]: { $ref: `#/components/messages/${kind}` } },
      ...address(kind),
    })),
    operations: record((kind) => ({
      action: TOPICS[kind].direction === 'in' ? 'receive' : 'send',
      channel: { $ref: `#/channels/${kind}` },
      summary: TOPICS[kind].meaning,
      messages: [{ $ref: `#/channels/${kind}/messages/${kind}` }],
      bindings: { mqtt: { qos: TOPICS[kind].qos, retain: TOPICS[kind].retain, bindingVersion: BINDING } },
      ...(kind === 'command' ? { reply: REPLY } : {}),
    })),
    components: {
      messages: record((kind) => ({
        name: kind,
        title: TOPICS[kind].meaning,
        contentType: 'application/json',
        payload: { $ref: `#/components/schemas/${namedSchemas(kind).name}` },
        ...(kind === 'command' || kind === 'response' ? { correlationId: CORRELATION } : {}),
        examples: [{ name: EXAMPLES[kind].name, payload: EXAMPLES[kind].document }],
      })),
      schemas: Object.fromEntries(
        KINDS.flatMap((kind) => Object.entries(namedSchemas(kind).parts)).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    },
  };
}

const CORRELATION: JsonObject = {
  description: 'Besides the MQTT 5 correlation data, which is returned as it came.',
  location: '$message.payload#/requestId',
};

const REPLY: JsonObject = {
  address: {
    description:
      'The MQTT 5 response topic; without it the responseTopic of the payload. Below the prefix it must be PREFIX/RACK/response/...',
    location: '$message.payload#/responseTopic',
  },
  channel: { $ref: '#/channels/response' },
};

/** Address and parameters of a channel. The one of answers has none, since each request names its own (AsyncAPI 3.0, Operation Reply Object). */
function address(kind: TopicKind): JsonObject {
  if (kind === 'response') return { address: null };
  const { pattern } = TOPICS[kind];
  const names = ['rack', ...[...pattern.matchAll(/<([a-z]+)>/g)].map((match) => match[1] ?? '')];
  return {
    address: `${DEFAULT_PREFIX}/{rack}/${pattern.replaceAll(/<([a-z]+)>/g, '{$1}')}`,
    parameters: Object.fromEntries(names.map((name) => [name, PARAMETERS[name] ?? {}])),
  };
}

function record(make: (kind: TopicKind) => JsonValue): JsonObject {
  return Object.fromEntries(KINDS.map((kind) => [kind, make(kind)]));
}
