import type { InterfaceRow } from '../../drivers/mib/facts.ts';
import { OID } from '../../drivers/mib/oids.ts';
import { withPort } from '../../drivers/mib/port-list.ts';
import type { VarBind, WalkResult } from '../../drivers/snmp/session-types.ts';
import { MemorySnmp } from './memory-snmp.ts';
import { integer, objectId, octets, ticks } from './snmp-values.ts';

/** A PortList with the bits of these bridge ports, at least `length` octets long. */
export function portList(ports: readonly number[], length = 2): Uint8Array {
  return ports.reduce<Uint8Array>((list, port) => withPort(list, port, true), new Uint8Array(length));
}

export function bits(oid: string, list: Uint8Array): VarBind {
  return { oid, type: 'OctetString', value: list };
}

/** Columns of which rows are missing, by OID: why. They are read as they are. */
export class FlawedSnmp extends MemorySnmp {
  readonly flaws = new Map<string, string>();

  override async walk(columns: readonly string[]): Promise<WalkResult> {
    const result = await super.walk(columns);
    return { ...result, incomplete: new Map([...this.flaws].filter(([oid]) => columns.includes(oid))) };
  }
}

/** A port that is up, as the reader of IF-MIB answers it. */
export function interfaceRow(ifIndex: number, ifName: string, more: Partial<InterfaceRow> = {}): InterfaceRow {
  return {
    ifIndex,
    ifName,
    ifDescr: ifName,
    ifAlias: '',
    ifType: 6,
    mtu: null,
    macAddress: null,
    adminStatus: 1,
    operStatus: 1,
    speedMbps: null,
    ...more,
  };
}

export interface VlanSpec {
  readonly egress: readonly number[];
  readonly untagged?: readonly number[];
}

export interface SwitchSpec {
  /** Number of Ethernet ports: bridge port n is interface 100 + n, called "swp<n>". */
  readonly ports: number;
  readonly fixed?: Readonly<Record<number, VlanSpec>>;
  readonly current?: Readonly<Record<number, VlanSpec>>;
  /** By bridge port. */
  readonly pvid?: Readonly<Record<number, number>>;
  readonly frameTypes?: Readonly<Record<number, number>>;
  readonly ingressFiltering?: Readonly<Record<number, number>>;
  readonly objectId?: string;
}

/** What an agent with IF-MIB, BRIDGE-MIB and Q-BRIDGE-MIB answers. */
export function switchValues(spec: SwitchSpec): VarBind[] {
  const values: VarBind[] = [
    objectId(`${OID.sysObjectID}.0`, spec.objectId ?? '1.3.6.1.4.1.99999.1'),
    ticks(`${OID.sysUpTime}.0`, 1000),
    ticks(`${OID.ifTableLastChange}.0`, 10),
  ];
  for (let port = 1; port <= spec.ports; port++) {
    values.push(
      ...interfaceValues(100 + port, `swp${port}`),
      integer(`${OID.dot1dBasePortIfIndex}.${port}`, 100 + port),
    );
  }
  const length = Math.ceil(spec.ports / 8);
  for (const [id, { egress, untagged = [] }] of Object.entries(spec.fixed ?? {})) {
    values.push(
      octets(`${OID.dot1qVlanStaticName}.${id}`, `v${id}`),
      bits(`${OID.dot1qVlanStaticEgressPorts}.${id}`, portList(egress, length)),
      bits(`${OID.dot1qVlanStaticUntaggedPorts}.${id}`, portList(untagged, length)),
      integer(`${OID.dot1qVlanStaticRowStatus}.${id}`, 1),
    );
  }
  for (const [id, { egress, untagged = [] }] of Object.entries(spec.current ?? {})) {
    values.push(
      bits(`${OID.dot1qVlanCurrentEgressPorts}.0.${id}`, portList(egress, length)),
      bits(`${OID.dot1qVlanCurrentUntaggedPorts}.0.${id}`, portList(untagged, length)),
    );
  }
  const columns = [
    [OID.dot1qPvid, spec.pvid],
    [OID.dot1qPortAcceptableFrameTypes, spec.frameTypes],
    [OID.dot1qPortIngressFiltering, spec.ingressFiltering],
  ] as const;
  for (const [oid, column] of columns)
    for (const [port, value] of Object.entries(column ?? {})) values.push(integer(`${oid}.${port}`, value));
  return values;
}

/** An Ethernet interface that is up. */
export function interfaceValues(ifIndex: number, name: string, type = 6): VarBind[] {
  return [
    octets(`${OID.ifDescr}.${ifIndex}`, `Interface ${name}`),
    integer(`${OID.ifType}.${ifIndex}`, type),
    integer(`${OID.ifMtu}.${ifIndex}`, 1500),
    octets(`${OID.ifPhysAddress}.${ifIndex}`, [2, 0, 0, 0, ifIndex >> 8, ifIndex & 0xff]),
    integer(`${OID.ifAdminStatus}.${ifIndex}`, 1),
    integer(`${OID.ifOperStatus}.${ifIndex}`, 1),
    octets(`${OID.ifName}.${ifIndex}`, name),
    { oid: `${OID.ifHighSpeed}.${ifIndex}`, type: 'Gauge32', value: 10_000 },
    octets(`${OID.ifAlias}.${ifIndex}`, ''),
  ];
}
