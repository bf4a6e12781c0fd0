import type { Exchange, Step, StepResult } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { integerOf } from '../mib/decode.ts';
import { OID, objectName } from '../mib/oids.ts';
import { parseCommand, type SnmpCommand } from './command.ts';
import { disturbed, membershipWrites, readMembership, type WantedMembership } from './membership.ts';
import { type SetVarBind, type SnmpErrorStatus, type SnmpSession, SnmpStatusError } from './session-types.ts';
import { strangeLists, type WriteGuard } from './write-guard.ts';

/** Where a port is in the tables. */
export interface PortPlace {
  readonly ifIndex: number;
  /** null: it is no bridge port. */
  readonly bridgePort: number | null;
}

/** Values that fit into one packet of 1,472 octets, with what surrounds them. */
const PDU_OCTETS = 1_300;
/** What an agent answers to a PDU that it takes in other pieces or another order, or not at all. */
const SPLITTABLE: ReadonlySet<SnmpErrorStatus> = new Set([
  'tooBig',
  'genErr',
  'inconsistentValue',
  'commitFailed',
  'resourceUnavailable',
  'wrongValue',
]);
/** RowStatus (RFC 2579). */
const [ACTIVE, CREATE_AND_GO, CREATE_AND_WAIT, DESTROY] = [1, 4, 5, 6];
const [UP, DOWN] = [1, 2];
const PASSES = 3;

/** Carries steps out on one switch. */
export class SnmpApplier {
  readonly #session: SnmpSession;
  readonly #place: (port: string) => PortPlace | null;
  readonly #guard: WriteGuard | null;
  #exchanges: Exchange[] = [];

  constructor(session: SnmpSession, place: (port: string) => PortPlace | null, guard: WriteGuard | null = null) {
    this.#session = session;
    this.#place = place;
    this.#guard = guard;
  }

  /** Runs the steps in order; see {@link SwitchSession.apply}. A port whose VLAN could not be made is not touched. */
  async run(steps: readonly Step[]): Promise<StepResult[]> {
    const results: StepResult[] = [];
    const failedVlans = new Set<number>();
    for (const step of steps) {
      this.#exchanges = [];
      let error: DriverError | null = null;
      try {
        for (const command of commandsOf(step)) await this.#do(command, failedVlans);
      } catch (caught) {
        if (!(caught instanceof DriverError) || caught.sessionLost) throw caught;
        error = forStep(caught, step);
        if (step.kind === 'vlan-create') failedVlans.add(Number(step.subject));
      }
      results.push({ step, error, exchanges: this.#exchanges });
    }
    return results;
  }

  async #do(command: SnmpCommand, failedVlans: ReadonlySet<number>): Promise<void> {
    if (this.#guard?.refusal && (command.kind === 'vlans' || command.kind === 'create' || command.kind === 'destroy'))
      throw new DriverError('unsupported', this.#guard.refusal);
    switch (command.kind) {
      case 'admin':
        return this.#set([admin(this.#placeOf(command.port), command.up)]);
      case 'alias':
        return this.#set([
          {
            oid: `${OID.ifAlias}.${this.#placeOf(command.port).ifIndex}`,
            type: 'OctetString',
            value: Buffer.from(command.text, 'latin1'),
          },
        ]);
      case 'vlans': {
        const lacking = [command.untagged ?? 0, ...command.tagged.ids()].filter((id) => failedVlans.has(id));
        if (lacking.length > 0)
          throw new DriverError('rejected', `it was not touched: VLAN ${lacking.join(', ')} could not be created`);
        return this.#move(this.#placeOf(command.port), command);
      }
      case 'create':
        return this.#create(command.vlan, command.name);
      case 'destroy':
        return this.#destroy(command.vlan);
    }
  }

  #placeOf(port: string): PortPlace {
    const place = this.#place(port);
    if (place === null)
      throw new DriverError('rejected', `the switch has no port ${port}`, { answer: 'noSuchInstance' });
    return place;
  }

  /**
   * Everything in one PDU, which is all or nothing by the protocol (RFC 3416, section 4.2.5). An agent that does not take it gets
   * the parts one by one, with the port shut around them. Some agents change more than they are told (they add a membership with the
   * PVID, or leave an old one as tagged): what then differs is written in another pass.
   */
  async #move(place: PortPlace, wanted: WantedMembership): Promise<void> {
    const { bridgePort } = place;
    if (bridgePort === null)
      throw new DriverError('unsupported', 'it is no port of the bridge: VLANs cannot be set on it');
    const before = await readMembership(this.#session, bridgePort);
    const strange = this.#guard === null ? null : strangeLists(before, this.#guard.bridgePorts);
    if (strange !== null) throw new DriverError('unsupported', strange);
    const missing = [wanted.untagged, ...wanted.tagged.ids()].filter((id) => id !== null && !before.vlans.has(id));
    if (missing.length > 0)
      throw new DriverError('rejected', `VLAN ${missing.join(', ')} does not exist on the switch`);
    let now = before;
    let shut = false;
    let framesFixed = false;
    for (let pass = 0; pass < PASSES; pass++) {
      const writes = membershipWrites(now, wanted, bridgePort, { leaveFirst: shut, framesFixed });
      if (writes.length === 0) break;
      if (shut) framesFixed = !(await this.#oneByOne(writes)) || framesFixed;
      else {
        const refused = await this.#together(writes.flat());
        if (refused === 'frames') framesFixed = true;
        else if (refused !== null) {
          shut = await this.#shut(place);
          if (!shut) throw new DriverError('rejected', 'the port could not be shut around the change');
        }
        if (refused !== null) pass--;
      }
      now = await readMembership(this.#session, bridgePort);
    }
    const strangers = disturbed(before, now, bridgePort);
    if (strangers.length > 0)
      throw new DriverError(
        'busy',
        `somebody else changed VLAN ${strangers.join(', ')} at the same time; it is tried again`,
      );
    const left = membershipWrites(now, wanted, bridgePort, { leaveFirst: false, framesFixed });
    if (shut && this.#wasUp && left.length === 0) await this.#set([admin(place, true)]);
  }

  /** The port was up before it was shut around a change. */
  #wasUp = false;

  async #shut(place: PortPlace): Promise<boolean> {
    const [status] = await this.#session.get([`${OID.ifAdminStatus}.${place.ifIndex}`]);
    this.#wasUp = integerOf(status) === UP;
    if (!this.#wasUp) return true;
    await this.#set([admin(place, false)]);
    const [after] = await this.#session.get([`${OID.ifAdminStatus}.${place.ifIndex}`]);
    return integerOf(after) === DOWN;
  }

  /** False when the agent has no say in frame types; any other refusal is thrown. */
  async #oneByOne(writes: readonly (readonly SetVarBind[])[]): Promise<boolean> {
    let frames = true;
    for (const part of writes) {
      try {
        await this.#set(part);
      } catch (error) {
        if (!(error instanceof SnmpStatusError) || !part.some(isFrames)) throw error;
        frames = false;
      }
    }
    return frames;
  }

  /**
   * Null when the agent took all of it. `frames`: it cannot write frame types; `parts`: it does not take the values as one PDU, or they
   * do not fit into one.
   */
  async #together(values: readonly SetVarBind[]): Promise<'frames' | 'parts' | null> {
    const size = values.reduce((sum, v) => sum + 24 + (v.value instanceof Uint8Array ? v.value.length : 5), 0);
    if (size > PDU_OCTETS) return 'parts';
    try {
      await this.#set(values);
      return null;
    } catch (error) {
      if (!(error instanceof SnmpStatusError)) throw error;
      if (values.some(isFrames) && error.oid?.startsWith(FRAMES)) return 'frames';
      if (SPLITTABLE.has(error.status)) return 'parts';
      throw error;
    }
  }

  async #create(vlan: number, name: string): Promise<void> {
    const status = `${OID.dot1qVlanStaticRowStatus}.${vlan}`;
    const [row] = await this.#session.get([status]);
    if (integerOf(row) === ACTIVE) return;
    const naming: SetVarBind[] =
      name === ''
        ? []
        : [{ oid: `${OID.dot1qVlanStaticName}.${vlan}`, type: 'OctetString', value: Buffer.from(name, 'latin1') }];
    const rowStatus = (value: number): SetVarBind => ({ oid: status, type: 'Integer', value });
    try {
      await this.#set([rowStatus(CREATE_AND_GO), ...naming]);
    } catch (error) {
      if (!(error instanceof SnmpStatusError) || error.status === 'noAccess' || error.status === 'authorizationError')
        throw error;
      // Some agents take no columns with createAndGo, some want the row to be filled before it becomes active.
      await this.#set([rowStatus(CREATE_AND_WAIT)]);
      for (const value of naming) await this.#set([value]);
      await this.#set([rowStatus(ACTIVE)]);
    }
  }

  async #destroy(vlan: number): Promise<void> {
    const [row] = await this.#session.get([`${OID.dot1qVlanStaticRowStatus}.${vlan}`]);
    if (integerOf(row) === null) return;
    await this.#set([{ oid: `${OID.dot1qVlanStaticRowStatus}.${vlan}`, type: 'Integer', value: DESTROY }]);
  }

  async #set(values: readonly SetVarBind[]): Promise<void> {
    const command = values.map(shown).join(' ');
    try {
      await this.#session.set(values);
      this.#exchanges.push({ command, answer: 'noError' });
    } catch (error) {
      if (error instanceof DriverError) this.#exchanges.push({ command, answer: error.answer ?? error.kind });
      throw error;
    }
  }
}

const FRAMES = `${OID.dot1qPortAcceptableFrameTypes}.`;
const isFrames = ({ oid }: SetVarBind) => oid.startsWith(FRAMES);

function admin({ ifIndex }: PortPlace, up: boolean): SetVarBind {
  return { oid: `${OID.ifAdminStatus}.${ifIndex}`, type: 'Integer', value: up ? UP : DOWN };
}

function shown({ oid, value }: SetVarBind): string {
  const text = value instanceof Uint8Array ? `0x${Buffer.from(value).toString('hex').slice(0, 256)}` : String(value);
  return `${objectName(oid)}=${text}`;
}

function commandsOf(step: Step): SnmpCommand[] {
  return step.commands.map((text) => {
    const command = parseCommand(text);
    if (command === null)
      throw new DriverError('unsupported', 'the step holds a command that this driver does not render');
    return command;
  });
}

function forStep(error: DriverError, step: Step): DriverError {
  const subject = step.kind === 'port' ? `port ${step.subject}` : `VLAN ${step.subject}`;
  return new DriverError(error.kind, `${subject}: ${error.message}`, {
    cause: error,
    ...(error.answer === null ? {} : { answer: error.answer }),
    ...(step.kind === 'port' ? { port: step.subject } : {}),
  });
}
