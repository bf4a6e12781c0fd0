import type { ChangeSet, Driver, Step, StepResult, SwitchIdentity, SwitchSession } from '../../drivers/driver.ts';
import { DriverError, type DriverErrorKind } from '../../drivers/errors.ts';
import type { Neighbor } from '../../drivers/model/neighbor.ts';
import type { PortConfig, PortState } from '../../drivers/model/port.ts';
import { configured } from '../../drivers/model/switchport.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';

/** A switch in memory, with faults, and a driver for it whose commands are JSON. For tests of the agent's pipeline. */
export class FakeSwitch {
  readonly ports = new Map<string, PortState>();
  readonly vlans = new Map<number, string>([[1, 'default']]);
  neighbors: Neighbor[] = [];
  identity: SwitchIdentity = {
    vendor: 'Fake',
    model: 'F1',
    version: '1',
    serial: 'S1',
    chassisId: '02:00:00:00:00:01',
    systemName: 'fake',
    bootId: 'b1',
  };
  /** Every step that was carried out, in order. */
  readonly sent: string[] = [];
  saves = 0;
  opens = 0;
  reads = 0;
  /** Set to make the named operation fail; called with the step for `apply`. */
  fault: {
    open?: DriverErrorKind | null;
    read?: DriverErrorKind | null;
    save?: DriverErrorKind | null;
    /** Answers for a step: an error kind, `ignore` (accepted, not done) or null. */
    apply?: (step: Step) => DriverErrorKind | 'ignore' | null;
    /** Loses the session before the n-th step from now (0: the next). */
    cutAfter?: number | null;
    /** What else changes on the switch when a batch was applied; called after it. */
    sideEffect?: (() => void) | null;
    confirm?: DriverErrorKind | null;
  } = {};
  /** What was done about tentative batches, in order. */
  readonly ended: ('confirm' | 'undo')[] = [];
  #restore: (() => void) | null = null;
  /** Called before each step; may wait. */
  beforeStep: (step: Step) => Promise<void> = () => Promise.resolve();
  /** Set to refuse every login; called for each. */
  refuseLogin: (() => void) | null = null;
  readonly driver: Driver;
  #generation = 0;

  /** `tentative`: what is applied is undone unless it is confirmed. */
  readonly #tentative: boolean;

  constructor(names: readonly string[], capabilities: Partial<Driver['capabilities']> = {}, tentative = false) {
    this.#tentative = tentative;
    for (const name of names) this.ports.set(name, freshPort(name));
    this.driver = {
      name: 'fake',
      capabilities: {
        modes: ['access', 'trunk', 'hybrid'],
        nativeVlanOnTrunk: true,
        hybridPortType: false,
        mtu: { min: 1500, max: 9216 },
        descriptionLength: 200,
        adminState: true,
        lag: false,
        vlanObjects: true,
        save: true,
        absoluteWrites: true,
        ...capabilities,
      },
      checkOptions: () => [],
      unsupported: (config) =>
        config.mtu !== null && (config.mtu < 1500 || config.mtu > 9216)
          ? `the MTU ${config.mtu} is outside 1500 to 9216`
          : null,
      render,
      open: () => this.#open(),
    };
  }

  /** Ends all sessions, as a cut cable or a reload does. */
  cut(): void {
    this.#generation++;
  }

  change(name: string, change: Partial<PortState>): void {
    const port = this.ports.get(name);
    if (!port) throw new Error(`no port ${name}`);
    this.ports.set(name, { ...port, ...change });
  }

  async #open(): Promise<SwitchSession> {
    if (this.fault.open) throw new DriverError(this.fault.open, `fake ${this.fault.open}`);
    if (this.refuseLogin) {
      this.refuseLogin();
      throw new DriverError('auth', 'fake auth');
    }
    this.opens++;
    const mine = ++this.#generation;
    const alive = () => this.#generation === mine;
    const check = () => {
      if (!alive()) throw new DriverError('unreachable', 'the session was cut');
    };
    return {
      get alive() {
        return alive();
      },
      identify: async () => {
        check();
        return this.identity;
      },
      read: async () => {
        check();
        if (this.fault.read) throw new DriverError(this.fault.read, `fake ${this.fault.read}`);
        this.reads++;
        return {
          ports: [...this.ports.values()],
          vlans: [...this.vlans].map(([id, name]) => ({ id, name })),
          unsaved: null,
        };
      },
      neighbors: async () => {
        check();
        return this.neighbors;
      },
      ...(this.#tentative
        ? {
            tentative: {
              confirm: async () => {
                check();
                if (this.fault.confirm) {
                  this.#undo();
                  throw new DriverError(this.fault.confirm, `fake ${this.fault.confirm}`);
                }
                this.ended.push('confirm');
                this.#restore = null;
              },
              undo: async () => {
                check();
                this.ended.push('undo');
                this.#undo();
              },
            },
          }
        : {}),
      apply: async (steps) => {
        const results: StepResult[] = [];
        const [ports, vlans] = [new Map(this.ports), new Map(this.vlans)];
        this.#restore = () => {
          for (const [name, port] of ports) this.ports.set(name, port);
          this.vlans.clear();
          for (const [id, name] of vlans) this.vlans.set(id, name);
        };
        for (const step of steps) {
          await this.beforeStep(step);
          if (this.fault.cutAfter != null && this.fault.cutAfter-- === 0) {
            this.fault.cutAfter = null;
            this.cut();
          }
          check();
          results.push(this.#do(step));
        }
        this.fault.sideEffect?.();
        return results;
      },
      save: async () => {
        check();
        if (this.fault.save) throw new DriverError(this.fault.save, `fake ${this.fault.save}`);
        this.saves++;
      },
      close: async () => {
        if (alive()) this.#generation++;
      },
    };
  }

  #undo(): void {
    this.#restore?.();
    this.#restore = null;
  }

  #do(step: Step): StepResult {
    this.sent.push(`${step.kind} ${step.subject}`);
    const exchanges = step.commands.map((command) => ({ command, answer: '' }));
    const fault = this.fault.apply?.(step) ?? null;
    if (fault === 'ignore') return { step, error: null, exchanges };
    if (fault !== null) return { step, error: new DriverError(fault, `fake ${fault}`, { answer: 'no' }), exchanges };
    if (step.kind === 'vlan-create') this.vlans.set(Number(step.subject), step.commands[0] ?? '');
    else if (step.kind === 'vlan-delete') this.vlans.delete(Number(step.subject));
    else this.#set(step.subject, JSON.parse(step.commands[0] ?? '{}') as SentConfig);
    return { step, error: null, exchanges };
  }

  #set(name: string, to: SentConfig): void {
    this.change(name, {
      switchport: configured(to.mode, to.native, VlanSet.parse(to.tagged)),
      adminState: to.admin,
      ...(to.mtu === null ? {} : { mtu: to.mtu }),
      ...(to.description === null ? {} : { description: to.description }),
    });
  }
}

interface SentConfig {
  mode: PortConfig['switchport']['mode'];
  native: number | null;
  tagged: string;
  admin: 'up' | 'down';
  mtu: number | null;
  description: string | null;
}

function render(changes: ChangeSet): Step[] {
  return [
    ...changes.createVlans.map((v): Step => ({ kind: 'vlan-create', subject: String(v.id), commands: [v.name] })),
    ...changes.ports.map(
      (change): Step => ({ kind: 'port', subject: change.from.name, commands: [JSON.stringify(sent(change.to))] }),
    ),
    ...changes.deleteVlans.map((id): Step => ({ kind: 'vlan-delete', subject: String(id), commands: [`no ${id}`] })),
  ];
}

function sent(to: PortConfig): SentConfig {
  const { mode, nativeVlan, taggedVlans } = to.switchport;
  return {
    mode,
    native: nativeVlan,
    tagged: taggedVlans.toString(),
    admin: to.adminState,
    mtu: to.mtu,
    description: to.description,
  };
}

/** A port as it comes out of the box: access in VLAN 1, link up. */
export function freshPort(name: string, change: Partial<PortState> = {}): PortState {
  return {
    name,
    aliases: [],
    ifIndex: null,
    macAddress: null,
    kind: 'physical',
    adminState: 'up',
    operState: 'up',
    speedMbps: 1000,
    mtu: 1500,
    description: '',
    switchport: configured('access', 1),
    lag: null,
    carriesManagement: false,
    problem: null,
    ...change,
  };
}
