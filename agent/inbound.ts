import type { ResponseDocument } from './model/command.ts';
import type { InboundMessage } from './mqtt/client.ts';
import { receive, revisionOf } from './mqtt/receive.ts';
import { parseTopic, responseTopicProblem, type Topics } from './mqtt/topics.ts';
import type { LogFunction, Rack } from './pipeline/rack.ts';
import { answerRequest, parseRequest } from './pipeline/requests.ts';
import { validateIntent } from './pipeline/validate.ts';

export interface InboundDeps {
  readonly topics: Topics;
  readonly prefix: string;
  readonly rack: Rack;
  readonly log: LogFunction;
  readonly respond: (topic: string, document: ResponseDocument, correlationData: Buffer | null) => void;
}

/** Requests that are worked on at the same time; more are answered with a refusal, so that none piles up. */
const MAX_REQUESTS = 16;

/**
 * What comes in over MQTT. The promise for an intent document resolves when it (or its refusal) is on the disk, and only
 * then is it acknowledged; it rejects when that failed. Requests are answered later: the inbound stream waits for nothing else.
 */
export function createInbound(deps: InboundDeps): (message: InboundMessage) => Promise<void> {
  let requests = 0;
  return async (message) => {
    const topic = parseTopic(deps.topics.base, message.topic);
    if (topic === null || topic.kind === 'bad-publisher') {
      deps.log('warn', { topic: message.topic.slice(0, 200) }, 'message on a topic that is not in the contract');
      return;
    }
    if (topic.kind === 'intent') return takeIntent(topic.publisher, message.payload, deps);
    // A retained request would be carried out again at every connection.
    if (message.retain) return;
    if (requests >= MAX_REQUESTS) {
      deps.log('warn', {}, `more than ${MAX_REQUESTS} requests at once; one was dropped`);
      return;
    }
    requests++;
    takeRequest(message, deps)
      .catch((error: unknown) =>
        deps.log(
          'error',
          { stack: error instanceof Error ? error.stack : String(error) },
          'defect while answering a request',
        ),
      )
      .finally(() => {
        requests--;
      });
  };
}

async function takeIntent(publisher: string, payload: Buffer, { rack }: InboundDeps): Promise<void> {
  const raw = receive(payload);
  if (raw.empty) return;
  if (!raw.ok)
    return rack.refuse(publisher, {
      reason: raw.reason,
      message: summary(raw.errors),
      revision: raw.revision,
      errors: raw.errors,
    });
  const valid = validateIntent(raw.value);
  if (valid.ok) return rack.accept(publisher, valid.document);
  return rack.refuse(publisher, {
    reason: 'Malformed',
    message: summary(valid.errors),
    revision: revisionOf(raw.value),
    errors: valid.errors,
  });
}

function summary(errors: readonly { path: string; message: string }[]): string {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return first
    ? `${first.path === '' ? 'the document' : first.path}: ${first.message}${more}`
    : 'the document cannot be read';
}

async function takeRequest(message: InboundMessage, deps: InboundDeps): Promise<void> {
  const raw = receive(message.payload);
  const parsed = raw.empty
    ? parseRequest(undefined)
    : raw.ok
      ? parseRequest(raw.value)
      : { ...parseRequest(undefined), errors: raw.errors };
  const topic = message.responseTopic ?? parsed.responseTopic;
  if (topic === null) {
    deps.log(
      'warn',
      { requestId: parsed.requestId },
      'a request says nowhere where to answer; it is carried out all the same',
    );
  } else {
    const problem = responseTopicProblem(deps.prefix, topic);
    if (problem !== null) {
      deps.log('warn', { requestId: parsed.requestId }, `a request is not answered: ${problem}`);
      return;
    }
  }
  const response = await answerRequest(parsed, {
    rack: deps.rack.config.rack,
    input: () => deps.rack.input,
    inputWith: (publisher, document) => deps.rack.inputWith(publisher, document),
    request: (name, request) => deps.rack.request(name, request),
  });
  if (topic !== null) deps.respond(topic, response, message.correlationData);
}
