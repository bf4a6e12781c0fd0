import { OID } from '../../../drivers/mib/oids.ts';
import { hasPort, withPort } from '../../../drivers/mib/port-list.ts';
import { type SetVarBind, SnmpStatusError, type VarBind } from '../../../drivers/snmp/session-types.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';

/** What an agent does differently from the standard. */
export interface Quirks {
  /** Takes only so many values in one PDU; more: genErr. */
  readonly maxValues?: number;
  /** Refuses a port that would be untagged in two VLANs. */
  readonly oneUntagged?: boolean;
  /** Refuses a PVID of a VLAN that the port is no member of, and to take the port out of its PVID. */
  readonly memberFirst?: boolean;
  /** Makes the port an untagged member of a new PVID by itself, and leaves the old one tagged. */
  readonly pvidMoves?: boolean;
  /** Has no dot1qPortAcceptableFrameTypes that can be written. */
  readonly fixedFrames?: boolean;
}

const LENGTH = 4;

/** A switch with Q-BRIDGE-MIB in memory: bridge port N is the interface 100 + N. It records what a port carries after each SET. */
export class QBridgeModel extends MemorySnmp {
  readonly states: Set<string>[] = [];
  readonly #ports: number;
  readonly #quirks: Quirks;
  #watched = 1;

  constructor(ports: number, vlans: readonly number[], quirks: Quirks = {}) {
    super([]);
    this.#ports = ports;
    this.#quirks = quirks;
    for (let port = 1; port <= ports; port++) {
      this.put(OID.ifAdminStatus, 100 + port, 1);
      this.put(OID.dot1qPvid, port, 1);
      this.put(OID.dot1qPortAcceptableFrameTypes, port, 1);
    }
    for (const id of vlans) this.create(id);
  }

  create(id: number): void {
    for (const column of [OID.dot1qVlanStaticEgressPorts, OID.dot1qVlanStaticUntaggedPorts])
      this.#keep({ oid: `${column}.${id}`, type: 'OctetString', value: new Uint8Array(LENGTH) });
    this.#keep({ oid: `${OID.dot1qVlanStaticName}.${id}`, type: 'OctetString', value: new Uint8Array() });
    this.put(OID.dot1qVlanStaticRowStatus, id, 1);
  }

  #destroy(id: number): void {
    for (let port = 1; port <= this.#ports; port++)
      if (this.number(OID.dot1qPvid, port) === id) refuse('inconsistentValue', null);
    for (const oid of [...this.values.keys()])
      if (oid.startsWith('1.3.6.1.2.1.17.7.1.4.3.1.') && oid.endsWith(`.${id}`)) this.values.delete(oid);
  }

  put(column: string, index: number, value: number): void {
    this.#keep({ oid: `${column}.${index}`, type: 'Integer', value });
  }

  number(column: string, index: number): number {
    return Number(this.values.get(`${column}.${index}`)?.value ?? 0);
  }

  list(column: string, id: number): Uint8Array {
    const value = this.values.get(`${column}.${id}`)?.value;
    return value instanceof Uint8Array ? value : new Uint8Array();
  }

  /** Puts a port into VLANs past the agent. */
  place(port: number, untagged: number | null, tagged: readonly number[]): void {
    for (const id of this.vlans()) {
      this.#member(id, port, id === untagged || tagged.includes(id), id === untagged);
    }
    this.put(OID.dot1qPvid, port, untagged ?? 1);
    // An agent without frame types drops untagged frames at a port that is no member of its PVID.
    if (this.#quirks.fixedFrames)
      this.put(OID.dot1qPvid, port, untagged ?? this.vlans().find((id) => !tagged.includes(id)) ?? 1);
    else this.put(OID.dot1qPortAcceptableFrameTypes, port, untagged === null ? 2 : 1);
  }

  vlans(): number[] {
    const prefix = `${OID.dot1qVlanStaticEgressPorts}.`;
    return [...this.values.keys()].flatMap((oid) => (oid.startsWith(prefix) ? [Number(oid.slice(prefix.length))] : []));
  }

  watch(port: number): void {
    this.#watched = port;
    this.states.length = 0;
  }

  /** "10t", "10u" for what leaves the port, "10i" for the VLAN of untagged frames that come in. */
  carried(port: number): Set<string> {
    if (this.number(OID.ifAdminStatus, 100 + port) !== 1) return new Set();
    const pairs = new Set<string>();
    for (const id of this.vlans()) {
      if (!hasPort(this.list(OID.dot1qVlanStaticEgressPorts, id), port)) continue;
      pairs.add(`${id}${hasPort(this.list(OID.dot1qVlanStaticUntaggedPorts, id), port) ? 'u' : 't'}`);
    }
    const pvid = this.number(OID.dot1qPvid, port);
    const member = hasPort(this.list(OID.dot1qVlanStaticEgressPorts, pvid), port);
    // Ingress filtering is on: a frame of a VLAN that the port is no member of is dropped.
    if (member && this.number(OID.dot1qPortAcceptableFrameTypes, port) === 1) pairs.add(`${pvid}i`);
    return pairs;
  }

  /** Everything of the other ports, to see that it stays. */
  others(port: number): string {
    const ports = Array.from({ length: this.#ports }, (_, i) => i + 1).filter((p) => p !== port);
    return JSON.stringify(ports.map((p) => [p, [...this.carried(p)].sort()]));
  }

  override async set(values: readonly SetVarBind[]): Promise<void> {
    const before = new Map(this.values);
    try {
      if (values.length > (this.#quirks.maxValues ?? Number.POSITIVE_INFINITY)) refuse('genErr', null);
      for (const value of values) this.#one(value);
      for (let port = 1; port <= this.#ports; port++) this.#consistent(port, before);
    } catch (error) {
      this.values.clear();
      for (const [oid, value] of before) this.values.set(oid, value);
      throw error;
    }
    this.sets.push(values);
    this.states.push(this.carried(this.#watched));
  }

  #one({ oid, type, value }: SetVarBind): void {
    const at = (column: string) => (oid.startsWith(`${column}.`) ? Number(oid.slice(column.length + 1)) : null);
    if (this.#quirks.fixedFrames && at(OID.dot1qPortAcceptableFrameTypes) !== null) refuse('notWritable', oid);
    const port = at(OID.dot1qPvid);
    const status = at(OID.dot1qVlanStaticRowStatus);
    if (status !== null && value === 4) {
      this.create(status);
      return;
    }
    if (status !== null && value === 6) {
      this.#destroy(status);
      return;
    }
    if (!this.values.has(oid)) refuse('noCreation', oid);
    const old = port === null ? 0 : this.number(OID.dot1qPvid, port);
    this.#keep({ oid, type, value });
    if (port === null || !this.#quirks.pvidMoves || typeof value !== 'number') return;
    this.#member(value, port, true, true);
    const stays = old !== value && hasPort(this.list(OID.dot1qVlanStaticEgressPorts, old), port);
    if (stays) this.#member(old, port, true, false);
  }

  #consistent(port: number, before: ReadonlyMap<string, VarBind>): void {
    const untagged = this.vlans().filter((id) => hasPort(this.list(OID.dot1qVlanStaticUntaggedPorts, id), port));
    for (const id of untagged)
      if (!hasPort(this.list(OID.dot1qVlanStaticEgressPorts, id), port)) refuse('inconsistentValue', null);
    if (this.#quirks.oneUntagged && untagged.length > 1) refuse('inconsistentValue', null);
    const pvid = this.number(OID.dot1qPvid, port);
    if (!this.#quirks.memberFirst || hasPort(this.list(OID.dot1qVlanStaticEgressPorts, pvid), port)) return;
    const was = before.get(`${OID.dot1qVlanStaticEgressPorts}.${pvid}`)?.value;
    const left = was instanceof Uint8Array && hasPort(was, port);
    if (left || before.get(`${OID.dot1qPvid}.${port}`)?.value !== pvid) refuse('inconsistentValue', null);
  }

  #member(id: number, port: number, egress: boolean, untagged: boolean): void {
    for (const [column, member] of [
      [OID.dot1qVlanStaticEgressPorts, egress],
      [OID.dot1qVlanStaticUntaggedPorts, untagged],
    ] as const)
      this.#keep({ oid: `${column}.${id}`, type: 'OctetString', value: withPort(this.list(column, id), port, member) });
  }

  #keep(value: VarBind): void {
    this.values.set(value.oid, value);
  }
}

function refuse(status: ConstructorParameters<typeof SnmpStatusError>[0], oid: string | null): never {
  throw new SnmpStatusError(status, oid, `the model answered ${status}`);
}
