import type { Driver, SwitchTarget } from '../../drivers/driver.ts';

/** Where a port is before a driver comes, in words that every switch can be brought to by its back door. */
export interface StartState {
  readonly switchport:
    | { readonly mode: 'access'; readonly vlan: number }
    | { readonly mode: 'trunk'; readonly native: number; readonly allowed: string | 'all' }
    | { readonly mode: 'routed' }
    | { readonly mode: 'negotiated' }
    /** Everything that others may leave: settings of both modes, leftovers of bonds, mirrors, voice ... */
    | { readonly mode: 'junk' };
  readonly shut?: boolean;
  readonly mtu?: number;
  readonly description?: string;
}

/** A switch under test, with a back door that does not go through the driver. */
export interface ConformanceSwitch {
  readonly target: SwitchTarget;
  /** At least four ports that may be changed. */
  readonly ports: readonly string[];
  /** Brings a port to the state through the back door; VLANs that it needs exist afterwards. */
  reset(port: string, state: StartState): Promise<void>;
  /**
   * What the port forwards at this moment, from the switch's own state and not through the driver: "7u" for VLAN 7
   * untagged, "7t" for tagged. A port that is shut forwards nothing. A port without limits answers every VLAN.
   */
  carried(port: string): Promise<ReadonlySet<string>>;
  /**
   * Records what `port` forwards after every change of the switch's state (each line, each transaction), until the
   * returned function is called, which answers with the records.
   */
  watch(port: string): Promise<() => Promise<readonly WatchedState[]>>;
  stop(): Promise<void>;
}

export interface WatchedState {
  /** The line or transaction that led to it. */
  readonly after: string;
  readonly carried: ReadonlySet<string>;
}

export interface ConformanceSubject {
  readonly driver: Driver;
  /** Start states that such a switch can be in; access, trunk and junk at least. */
  readonly startModes: readonly StartState['switchport']['mode'][];
  /** A port name that the driver takes and the switch has not. */
  readonly ghost: string;
  start(): Promise<ConformanceSwitch>;
}
