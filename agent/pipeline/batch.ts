import type { ChangeSet, Driver, Exchange, PortChange, SwitchReading, SwitchSession } from '../../drivers/driver.ts';
import type { PortConfig, PortState } from '../../drivers/model/port.ts';
import type { Refusal } from './fabric.ts';

/** What became of one port of a batch, proven by reading back. */
export interface PortOutcome {
  readonly port: string;
  /** null: the port reads back exactly as wanted. */
  readonly failure: Refusal | null;
  readonly transcript: readonly Exchange[];
  /** After a failure: the port is again as it was before, or parked; false: it is neither. */
  readonly broughtBack: boolean;
}

export interface DriveResult {
  readonly reading: SwitchReading;
  /** {@link Clock.monotonic} at which the reading was started. */
  readonly readMono: number;
  readonly outcomes: readonly PortOutcome[];
  readonly createdVlans: readonly number[];
  readonly deletedVlans: readonly number[];
  /** VLAN IDs that could not be created or deleted, and the switch's words. */
  readonly vlanFailures: ReadonlyMap<number, string>;
}

export interface DriveInput {
  readonly session: SwitchSession;
  /** The switch as it was before, for what must not change along with the batch. */
  readonly before: SwitchReading;
  /** Ports that the agent keeps at something; what else there is must not change. */
  readonly isKept: (port: PortState) => boolean;
  /** Ports whose link must not go: uplinks and the management path. */
  readonly isGuarded: (port: PortState) => boolean;
  readonly driver: Driver;
  readonly options: Readonly<Record<string, unknown>>;
  readonly changes: ChangeSet;
  readonly monotonic: () => number;
  /** What a port that could not be changed is put to: its state before, when that is safe, else parked. */
  readonly fallback: (change: PortChange, now: PortState) => PortConfig;
}

/** What a batch has led to, before anything is done about it. */
export interface Attempt {
  /** Something was sent. */
  readonly sent: boolean;
  readonly reading: SwitchReading;
  readonly readMono: number;
  readonly outcomes: readonly PortOutcome[];
  /** Ports that are not as wanted. */
  readonly failed: readonly PortChange[];
  readonly vlans: Pick<DriveResult, 'createdVlans' | 'deletedVlans' | 'vlanFailures'>;
}
