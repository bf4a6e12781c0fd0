import type { DriverError } from './errors.ts';
import type { Clock } from './model/clock.ts';
import type { Neighbor } from './model/neighbor.ts';
import type { OperState, PortConfig, PortState, VlanEntry } from './model/port.ts';
import type { SwitchportMode } from './model/switchport.ts';
import type { SnmpTarget } from './snmp/session-types.ts';

/** What a driver can express. Published by the agent, so that a publisher knows before it asks. */
export interface Capabilities {
  readonly modes: readonly SwitchportMode[];
  /** A trunk can carry a native VLAN. */
  readonly nativeVlanOnTrunk: boolean;
  /** The switch has a port type of its own for hybrid; otherwise hybrid is a trunk with a native VLAN. */
  readonly hybridPortType: boolean;
  /** The switch has no modes, only memberships: a trunk that carries just its native VLAN reads back as access. Absent: it has. */
  readonly modesByMembership?: boolean;
  /** Range of the per-port MTU in bytes; null: the switch has no MTU per port. */
  readonly mtu: { readonly min: number; readonly max: number } | null;
  /** Longest description; 0: none. */
  readonly descriptionLength: number;
  readonly adminState: boolean;
  readonly lag: boolean;
  /** VLANs are objects that must exist before a port carries them. */
  readonly vlanObjects: boolean;
  /** Changes must be saved to survive a reload. */
  readonly save: boolean;
  /** Every write states the whole port, so that a plan made from a recent reading is safe without reading again. */
  readonly absoluteWrites: boolean;
}

/** Who the switch is. A change of serial number or chassis ID means another switch. */
export interface SwitchIdentity {
  readonly vendor: string;
  readonly model: string;
  readonly version: string;
  readonly serial: string | null;
  /** Chassis MAC as LLDP sends it, normalised. */
  readonly chassisId: string | null;
  readonly systemName: string;
  /** Differs after every reboot (boot ID or boot time); null when the switch does not tell. */
  readonly bootId: string | null;
}

export interface SwitchReading {
  readonly ports: readonly PortState[];
  readonly vlans: readonly VlanEntry[];
  /** Unsaved changes exist; null when the switch does not tell. */
  readonly unsaved: boolean | null;
  /** Table of an SNMP MIB that the VLANs are from, and what it shows; absent or null: they are from the configuration itself. */
  readonly vlanSource?: { readonly source: string; readonly basis: 'configured' | 'operational' } | null;
}

/** The link of one port, for an answer faster than a whole reading. */
export interface LinkState {
  readonly ifIndex: number;
  readonly operState: OperState;
  /** Mbit/s; null when unknown or the link is down. */
  readonly speedMbps: number | null;
}

export interface PortChange {
  /** The port as last read. */
  readonly from: PortState;
  readonly to: PortConfig;
  /** Shut the port around the change even when an order without it exists. */
  readonly bounce: boolean;
}

/** One batch of changes for one switch; VLANs are created first and deleted last. */
export interface ChangeSet {
  readonly createVlans: readonly VlanEntry[];
  readonly ports: readonly PortChange[];
  readonly deleteVlans: readonly number[];
}

/** The commands for one VLAN or one port. The unit of failure: a refused step leaves the other steps standing. */
export interface Step {
  readonly kind: 'vlan-create' | 'port' | 'vlan-delete';
  /** Port name or VLAN ID as text. */
  readonly subject: string;
  readonly commands: readonly string[];
}

/** One command and what the switch answered (sanitised, bounded). */
export interface Exchange {
  readonly command: string;
  readonly answer: string;
}

export interface StepResult {
  readonly step: Step;
  /** null: the switch accepted every command of the step. Accepted is not yet verified. */
  readonly error: DriverError | null;
  readonly exchanges: readonly Exchange[];
}

/** Where and how to reach one switch. Secrets live here only; drivers never log or throw them. */
export interface SwitchTarget {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string | null;
  /** PEM or OpenSSH private key. */
  readonly privateKey: string | null;
  readonly passphrase: string | null;
  /** Password for the privileged mode, where the NOS has one. */
  readonly enablePassword: string | null;
  /** Accepts or refuses the host key by its "SHA256:..." fingerprint. Required: there is no way to leave it out. */
  readonly verifyHostKey: (fingerprint: string) => boolean | Promise<boolean>;
  readonly algorithms: 'modern' | 'legacy';
  /** Milliseconds for the connection with login, and for one command. */
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
  /** SNMP on the same host; absent or null: not configured. */
  readonly snmp?: SnmpTarget | null;
  /** Driver-specific options, checked by {@link Driver.checkOptions}. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a driver may use of the outside world besides the network. */
export interface DriverContext {
  readonly clock: Clock;
  /** Called once for each command with its answer; for the debug log. Already sanitised. */
  readonly trace: (exchange: Exchange) => void;
  /** Boot ID of the switch as it was last known; null or absent: nothing is known. */
  readonly knownBootId?: string | null;
}

/** A driver: everything the agent knows of one network operating system. */
export interface Driver {
  /** Registry name, kebab-case vendor-nos. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Problems of the driver-specific options as sentences; empty when they are good. Pure. */
  checkOptions(options: Readonly<Record<string, unknown>>): readonly string[];
  /** Why this driver cannot express the configuration; null when it can. Pure. */
  unsupported(config: PortConfig, options: Readonly<Record<string, unknown>>): string | null;
  /**
   * The exact commands for a batch, in the order in which they are sent. Pure: what a dry run prints is what is sent.
   * After every single command each port carries its old VLANs, its new ones or none, never a mixture.
   */
  render(changes: ChangeSet, options: Readonly<Record<string, unknown>>): readonly Step[];
  /** Connects and logs in. Throws {@link DriverError}; leaves nothing behind on failure. */
  open(target: SwitchTarget, context: DriverContext): Promise<SwitchSession>;
}

/** Ends the transaction that the last {@link SwitchSession.apply} left open. */
export interface Tentative {
  /** Makes it stay. Throws `rejected` when the switch says that it was undone already. */
  confirm(): Promise<void>;
  /** Undoes all of it now, and nothing of others. */
  undo(): Promise<void>;
}

/** An open session with one switch. Calls are made one at a time. All methods throw only {@link DriverError}. */
export interface SwitchSession {
  identify(): Promise<SwitchIdentity>;
  /** Configured switchports, port state and VLANs, read from the switch now. */
  read(): Promise<SwitchReading>;
  neighbors(): Promise<readonly Neighbor[]>;
  /**
   * The links of some ports as they are now, in a round trip or two; ports that are gone are left out. Absent: the driver
   * cannot do that faster than {@link SwitchSession.read}.
   */
  linkStates?(ifIndexes: readonly number[]): Promise<readonly LinkState[]>;
  /**
   * Runs the steps in order and answers for each, in the same order. A refused step does not stop the others, unless
   * they depend on it (a port whose VLAN could not be created). Throws only when the session is lost: the outcome of
   * the steps is then unknown and must be read back.
   */
  apply(steps: readonly Step[]): Promise<readonly StepResult[]>;
  /**
   * Present when what {@link SwitchSession.apply} did is undone by the switch itself, after some minutes, unless it is
   * confirmed: also when the agent or its path to the switch is gone. An `open` undoes what an earlier session left so.
   */
  readonly tentative?: Tentative;
  /** Makes the running configuration survive a reload. */
  save(): Promise<void>;
  /** True while the session can be used. */
  readonly alive: boolean;
  /** Never throws; ends at once. */
  close(): Promise<void>;
}
