import type { Driver, Exchange, SwitchIdentity, SwitchReading } from '../../drivers/driver.ts';
import type { Neighbor } from '../../drivers/model/neighbor.ts';
import type { PortConfig } from '../../drivers/model/port.ts';
import type { SwitchConfig } from '../config/schema.ts';
import type { Refusal } from './fabric.ts';
import type { LeftHalf } from './left-half.ts';

/** A change that did not work out, kept until the wanted state changes or the port turns out right. */
export interface PortFailure extends Refusal {
  /** The port is again as it was, or parked; false: it may be half changed. */
  readonly broughtBack: boolean;
  /** {@link fingerprint} of what was wanted. */
  readonly target: string;
  /** What was sent and answered; for a person. */
  readonly transcript: readonly Exchange[];
  readonly attempts: number;
  /** {@link Clock.monotonic} before which it is not tried again. */
  readonly retryAt: number;
}

export interface VlanFailure {
  /** The switch's words. */
  readonly words: string;
  readonly attempts: number;
  /** {@link Clock.monotonic} before which it is not tried again. */
  readonly retryAt: number;
}

/** What is known of one switch. Written only by the loop of that switch; read by reports. */
export interface SwitchView {
  readonly name: string;
  config: SwitchConfig;
  driver: Driver;
  reachability: 'reachable' | 'unreachable' | 'unknown';
  /** {@link Clock.now} of the last change of reachability. */
  since: number | null;
  /** Why it is unreachable, or what keeps it from being written. */
  trouble: Refusal | null;
  /** Set when the switch is another than the known one; nothing is written to it then. */
  changed: Refusal | null;
  identity: SwitchIdentity | null;
  reading: SwitchReading | null;
  /** When the last reading was started: {@link Clock.now} and {@link Clock.monotonic}. */
  readAt: number | null;
  readMono: number;
  neighbors: readonly Neighbor[];
  neighborsAt: number | null;
  /** Ports whose change is under way: what was read of them before says nothing now. */
  inFlight: ReadonlySet<string>;
  failures: ReadonlyMap<string, PortFailure>;
  leftHalf: LeftHalf;
  /** Ports that the last plan could not bring to what is wanted. */
  blocked: ReadonlyMap<string, Refusal>;
  /** VLANs that the switch refused to make or remove; not tried again for a while. */
  vlanFailures: ReadonlyMap<number, VlanFailure>;
  /** Ports found changed by hand, with what differs. */
  drifted: ReadonlyMap<string, string>;
  uplinks: ReadonlyMap<string, string>;
}

export function newSwitchView(name: string, config: SwitchConfig, driver: Driver): SwitchView {
  return {
    name,
    config,
    driver,
    reachability: 'unknown',
    since: null,
    trouble: null,
    changed: null,
    identity: null,
    reading: null,
    readAt: null,
    readMono: Number.NEGATIVE_INFINITY,
    neighbors: [],
    neighborsAt: null,
    inFlight: new Set(),
    failures: new Map(),
    leftHalf: new Map(),
    blocked: new Map(),
    vlanFailures: new Map(),
    drifted: new Map(),
    uplinks: new Map(),
  };
}

/** Identifies a wanted port configuration; two that ask for the same have the same fingerprint. */
export function fingerprint(config: PortConfig): string {
  const { switchport: port, adminState, mtu, description } = config;
  return JSON.stringify([port.mode, port.nativeVlan, port.taggedVlans.toString(), adminState, mtu, description]);
}
