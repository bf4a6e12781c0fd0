import type { Clock } from '../../drivers/model/clock.ts';
import { sanitizeText } from '../../drivers/model/text.ts';
import type { LogLine, PublishOptions } from './link.ts';

/** Bytes of the largest document that is published. */
export const MAX_DOCUMENT_BYTES = 1_048_576;
/** Events kept until they are confirmed; the oldest goes when there are more. */
export const EVENT_RING = 200;
/** How long to wait before a document that was not confirmed is tried again on the same connection. */
const RETRY_MS = 30_000;

export interface OutboxOptions {
  /** Resolves with true when the broker has confirmed; never rejects. */
  readonly publish: (topic: string, payload: string, options: PublishOptions) => Promise<boolean>;
  /** This topic goes first after every connect: the agent's birth. */
  readonly birthTopic: string;
  readonly clock: Clock;
  readonly log: LogLine;
}

/** What the agent publishes: the newest of every retained document, and events in order. */
export interface Outbox {
  /** Sets the retained document of a topic; published when it differs from what the broker is known to have. */
  setRetained(topic: string, document: unknown): void;
  /** Removes the retained document of a topic from the broker. */
  clearRetained(topic: string): void;
  /** Publishes an event, now or after the next connect. */
  event(topic: string, document: unknown): void;
  /** A connection is up: everything retained is published anew, the birth first, then the events that were not confirmed. */
  onConnected(): void;
  onDisconnected(): void;
  readonly stats: {
    readonly retained: number;
    /** Topics whose newest document is not confirmed yet. */
    readonly unconfirmed: number;
    readonly events: number;
    /** Events dropped since the start because the ring was full. */
    readonly droppedEvents: number;
    /** Documents refused since the start because they were too large or could not be serialised. */
    readonly refused: number;
  };
}

interface Retained {
  /** "" removes it. */
  wanted: string;
  /** What the broker is known to have; null: unknown. */
  confirmed: string | null;
  inFlight: boolean;
}

interface QueuedEvent {
  readonly topic: string;
  readonly payload: string;
  inFlight: boolean;
}

/** Creates an outbox that is not connected yet. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { clock, log } = options;
  const documents = new Map<string, Retained>();
  const events: QueuedEvent[] = [];
  /** Grows with every connection: what an older one answers late does not count. */
  let epoch = 0;
  let connected = false;
  let droppedEvents = 0;
  let refused = 0;
  let cancelRetry: (() => void) | null = null;

  function serialise(topic: string, document: unknown): string | null {
    let text: string | undefined;
    let why = 'it cannot be written as JSON';
    try {
      text = JSON.stringify(document);
    } catch (error) {
      why = sanitizeText(error instanceof Error ? error.message : String(error), 200);
    }
    if (text !== undefined) {
      const bytes = Buffer.byteLength(text);
      if (bytes <= MAX_DOCUMENT_BYTES) return text;
      why = `it has ${bytes} bytes, at most ${MAX_DOCUMENT_BYTES} are published`;
    }
    refused++;
    log('error', { topic }, `a document for ${topic} is not published: ${why}`);
    return null;
  }

  function retryLater(): void {
    if (!connected) return;
    cancelRetry ??= clock.after(RETRY_MS, () => {
      cancelRetry = null;
      flushAll();
    });
  }

  function want(topic: string, payload: string): void {
    const known = documents.get(topic);
    if (known) known.wanted = payload;
    else documents.set(topic, { wanted: payload, confirmed: null, inFlight: false });
    flush(topic);
  }

  function flush(topic: string): void {
    const entry = documents.get(topic);
    if (!connected || entry === undefined || entry.inFlight || entry.wanted === entry.confirmed) return;
    const sent = entry.wanted;
    const sentIn = epoch;
    entry.inFlight = true;
    void options.publish(topic, sent, { qos: 1, retain: true }).then((ok) => {
      if (sentIn !== epoch) return;
      entry.inFlight = false;
      // Not confirmed does not mean not received: what the broker has is unknown now.
      entry.confirmed = ok ? sent : null;
      if (!ok) {
        retryLater();
      } else if (entry.wanted !== sent) {
        flush(topic);
      } else if (sent === '') {
        documents.delete(topic);
      }
    });
  }

  function flushEvents(): void {
    for (const event of [...events]) {
      if (!connected) return;
      if (event.inFlight) continue;
      const sentIn = epoch;
      event.inFlight = true;
      void options.publish(event.topic, event.payload, { qos: 1, retain: false }).then((ok) => {
        if (sentIn !== epoch) return;
        event.inFlight = false;
        const at = events.indexOf(event);
        if (ok && at >= 0) events.splice(at, 1);
        if (!ok) retryLater();
      });
    }
  }

  function flushAll(): void {
    flush(options.birthTopic);
    for (const topic of documents.keys()) flush(topic);
    flushEvents();
  }

  return {
    setRetained(topic, document) {
      const payload = serialise(topic, document);
      if (payload !== null) want(topic, payload);
    },
    clearRetained(topic) {
      want(topic, '');
    },
    event(topic, document) {
      const payload = serialise(topic, document);
      if (payload === null) return;
      events.push({ topic, payload, inFlight: false });
      if (events.length > EVENT_RING) {
        events.shift();
        if (droppedEvents++ === 0)
          log('warn', {}, `more than ${EVENT_RING} events are waiting; the oldest are dropped`);
      }
      flushEvents();
    },
    onConnected() {
      epoch++;
      connected = true;
      cancelRetry?.();
      cancelRetry = null;
      for (const entry of documents.values()) {
        entry.inFlight = false;
        entry.confirmed = null;
      }
      for (const event of events) event.inFlight = false;
      flushAll();
    },
    onDisconnected() {
      connected = false;
      cancelRetry?.();
      cancelRetry = null;
    },
    get stats() {
      const unconfirmed = [...documents.values()].filter((entry) => entry.wanted !== entry.confirmed).length;
      return { retained: documents.size, unconfirmed, events: events.length, droppedEvents, refused };
    },
  };
}
