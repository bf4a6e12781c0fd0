import type { Clock } from '../../drivers/model/clock.ts';
import { sanitizeText } from '../../drivers/model/text.ts';

/** A message from the broker, as it came. */
export interface InboundMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** True when it was already retained at the time of subscribing. */
  readonly retain: boolean;
  /** The broker sends it again: it may have been handled before. */
  readonly duplicate: boolean;
  /** MQTT 5 properties; null on 3.1.1 and when absent. Not checked. */
  readonly responseTopic: string | null;
  readonly correlationData: Buffer | null;
}

export interface PublishOptions {
  readonly qos: 0 | 1;
  readonly retain: boolean;
  /** MQTT 5 only; ignored on 3.1.1. */
  readonly correlationData?: Buffer;
  /** Seconds; MQTT 5 only. */
  readonly messageExpirySeconds?: number;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogLine = (level: LogLevel, fields: object, message: string) => void;

/** One network connection with its MQTT session. Ends once, with {@link ConnectionEvents.closed}. */
export interface Connection {
  /** True when the broker confirmed (QoS 1) or the message was written (QoS 0). Never rejects. */
  publish(topic: string, payload: string, options: PublishOptions): Promise<boolean>;
  /** Says goodbye: the broker does not send the will. Resolves when the connection is closed. */
  end(): Promise<void>;
  /** Cuts the connection now; the broker sends the will after its delay. */
  drop(reason: string): void;
}

export interface ConnectionEvents {
  connected(info: { readonly sessionPresent: boolean }): void;
  /** Something is wrong while connected, as sentences; empty when all is well. */
  notices(messages: readonly string[]): void;
  /** Handles a message; see {@link LinkOptions.receive}. */
  receive(message: InboundMessage): Promise<void>;
  /** Called once, when the connection is gone or never came to be. */
  closed(info: { readonly reason: string; readonly takenOver: boolean }): void;
}

export interface LinkOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Where the link goes, for messages. */
  readonly label: string;
  readonly nextIncarnation: () => Promise<number>;
  readonly receive: (message: InboundMessage) => Promise<void>;
  readonly onConnected: (info: { sessionPresent: boolean; incarnation: number }) => void;
  readonly onDisconnected: (reason: string) => void;
  readonly log: LogLine;
  /** Starts one connection. May throw, or report it closed at once: that counts as a failed attempt. */
  readonly connect: (incarnation: number, events: ConnectionEvents) => Connection;
}

export interface LinkStatus {
  readonly connected: boolean;
  /** Epoch milliseconds since when it is so; null before the start. */
  readonly sinceMs: number | null;
  /** A sentence for a person; never a secret. */
  readonly message: string;
}

/** The lasting link to the broker, over as many connections as it takes. */
export interface MqttLink {
  start(): void;
  readonly connected: boolean;
  readonly status: LinkStatus;
  /** False when not connected or not confirmed. Never rejects. */
  publish(topic: string, payload: string, options: PublishOptions): Promise<boolean>;
  /** Publishes the farewell (retained, QoS 1), disconnects in the normal way and resolves, within {@link STOP_MS}. */
  stop(farewell?: { readonly topic: string; readonly payload: string }): Promise<void>;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
const MIN_DELAY_MS = 200;
/** A connection that lasted so long ends the back-off. */
const STABLE_MS = 30_000;
export const STOP_MS = 5_000;

/** Milliseconds before the next attempt after `failures` (1 and more) in a row: full jitter, so that racks do not come back together. */
export function reconnectDelayMs(failures: number, takenOver: boolean, random: () => number): number {
  // Two agents with one client ID would otherwise throw each other out all the time.
  if (takenOver) return MAX_DELAY_MS / 2 + (random() * MAX_DELAY_MS) / 2;
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 16));
  return Math.max(MIN_DELAY_MS, random() * ceiling);
}

/** Keeps one connection at a time, for ever, until stopped. Knows nothing of the MQTT library. */
export function createLink(options: LinkOptions): MqttLink {
  const { clock, log } = options;
  let stopping: Promise<void> | null = null;
  let phase: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  let connection: Connection | null = null;
  let connectedAt: number | null = null;
  let failures = 0;
  let cancelTimer = () => {};
  let message = 'not started';
  let lastProblem = '';
  let notices: readonly string[] = [];
  let sinceMs: number | null = null;
  /** Messages are handled one at a time, also over a reconnect while the store is slow. */
  let handling: Promise<void> = Promise.resolve();

  const guarded = (what: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      log('error', { error: describe(error) }, `${what} failed; this is a defect`);
    }
  };

  function attempt(): void {
    cancelTimer = () => {};
    if (phase !== 'running') return;
    message = `storing the incarnation before connecting to ${options.label}`;
    storeIncarnation().then(open, (error: unknown) =>
      closed(`the incarnation cannot be stored: ${describe(error)}; no connection without it`, false, null),
    );
  }

  async function storeIncarnation(): Promise<number> {
    return await options.nextIncarnation();
  }

  function open(incarnation: number): void {
    if (phase !== 'running') return;
    message = `connecting to ${options.label}`;
    let over = false;
    const end = (reason: string, takenOver: boolean) => {
      if (over) return;
      over = true;
      closed(reason, takenOver, incarnation);
    };
    try {
      const made = options.connect(incarnation, {
        connected: ({ sessionPresent }) => {
          if (over || phase !== 'running') return;
          connectedAt = clock.monotonic();
          sinceMs = clock.now();
          message = `connected to ${options.label}`;
          lastProblem = '';
          log('info', { incarnation, sessionPresent }, `connected to ${options.label}`);
          guarded('onConnected', () => options.onConnected({ sessionPresent, incarnation }));
        },
        notices: (messages) => {
          if (over) return;
          for (const text of messages) if (!notices.includes(text)) log('warn', {}, text);
          notices = messages;
        },
        receive: (inbound) => {
          // A connection that is gone has no way to acknowledge: the broker sends the message again.
          const turn = handling.then(() =>
            over || phase === 'stopped'
              ? Promise.reject(new Error('the connection is gone'))
              : options.receive(inbound),
          );
          handling = turn.catch(() => {});
          return turn;
        },
        closed: ({ reason, takenOver }) => end(reason, takenOver),
      });
      if (!over) connection = made;
    } catch (error) {
      end(`cannot connect to ${options.label}: ${describe(error)}`, false);
    }
  }

  function closed(reason: string, takenOver: boolean, incarnation: number | null): void {
    const wasConnected = connectedAt !== null;
    if (connectedAt !== null && clock.monotonic() - connectedAt >= STABLE_MS) failures = 0;
    connection = null;
    connectedAt = null;
    notices = [];
    if (wasConnected || sinceMs === null) sinceMs = clock.now();
    if (wasConnected) guarded('onDisconnected', () => options.onDisconnected(reason));
    if (phase !== 'running') return;
    failures++;
    const delay = reconnectDelayMs(failures, takenOver, options.random);
    message = reason;
    log(reason === lastProblem ? 'debug' : 'warn', { incarnation, failures, retryInMs: Math.round(delay) }, reason);
    lastProblem = reason;
    cancelTimer = clock.after(delay, attempt);
  }

  /** Resolves with the promise, or after `ms`. */
  function within(ms: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve);
      const done = () => {
        cancel();
        resolve();
      };
      work.then(done, done);
    });
  }

  async function shutDown(farewell?: { readonly topic: string; readonly payload: string }): Promise<void> {
    phase = 'stopping';
    cancelTimer();
    const current = connection;
    if (current !== null) {
      if (connectedAt !== null && farewell !== undefined) {
        await within(STOP_MS / 2, current.publish(farewell.topic, farewell.payload, { qos: 1, retain: true }));
      }
      await within(STOP_MS / 4, current.end());
      current.drop('the agent stopped');
    }
    phase = 'stopped';
    message = 'stopped';
    await within(STOP_MS / 4, handling);
  }

  return {
    start() {
      if (phase !== 'new') return;
      phase = 'running';
      sinceMs = clock.now();
      attempt();
    },
    get connected() {
      return connectedAt !== null;
    },
    get status() {
      return { connected: connectedAt !== null, sinceMs, message: [message, ...notices].join('; ') };
    },
    async publish(topic, payload, publishOptions) {
      if (connectedAt === null || connection === null || phase !== 'running') return false;
      return await connection.publish(topic, payload, publishOptions);
    },
    stop(farewell) {
      stopping ??= shutDown(farewell);
      return stopping;
    },
  };
}

function describe(error: unknown): string {
  return sanitizeText(error instanceof Error ? error.message : String(error), 300);
}
