import type { Clock } from '../../drivers/model/clock.ts';
import type { MqttConfig } from '../config/schema.ts';
import type { InboundMessage, LogLine } from './link.ts';

/** Contents of the files that the configuration names. */
export interface MqttCredentials {
  readonly password: string | null;
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

export interface MqttLinkOptions {
  readonly rack: string;
  readonly config: MqttConfig;
  readonly credentials: MqttCredentials;
  readonly clock: Clock;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Called before every connection attempt: raises and durably stores the incarnation. Rejects: no attempt is made. */
  readonly nextIncarnation: () => Promise<number>;
  /** Payload of the Last Will for an incarnation. */
  readonly will: (incarnation: number) => string;
  /**
   * Resolves when the message is durably handled: only then it is acknowledged. Rejects: it is not, and the connection is
   * dropped, so that the broker sends it again. Must wait for nothing but the store: the whole inbound stream waits for it.
   */
  readonly receive: (message: InboundMessage) => Promise<void>;
  readonly onConnected: (info: { sessionPresent: boolean; incarnation: number }) => void;
  readonly onDisconnected: (reason: string) => void;
  readonly log: LogLine;
}
