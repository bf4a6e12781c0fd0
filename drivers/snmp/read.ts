import type { SwitchReading } from '../driver.ts';
import { type Bridge, readBridge } from '../mib/bridge.ts';
import { enterpriseOf } from '../mib/enterprise.ts';
import type { InterfaceRow, PrivateVlanMib, VlanFacts } from '../mib/facts.ts';
import { OPER_STATES, readInterfaces } from '../mib/if-mib.ts';
import { readLagMembers } from '../mib/lag.ts';
import type { PortState } from '../model/port.ts';
import { type ConfiguredSwitchport, configured } from '../model/switchport.ts';
import { VlanSet } from '../model/vlan-set.ts';
import { comparePortNames } from '../text/port-name.ts';
import { readVlanBasis, type VlanBasis } from './basis.ts';
import { type NamedInterface, namePorts } from './port-names.ts';
import type { SnmpSession } from './session-types.ts';
import { type AgentState, readSteadily } from './steady.ts';
import { switchportsOf } from './switchports.ts';

/** A reading by SNMP, with what the one who writes or explains needs besides. */
export interface SnmpReading extends SwitchReading {
  /** The table that membership is from, and whether it says what is configured or what operates; null: no table shows any. */
  readonly vlanSource: Pick<VlanFacts, 'source' | 'basis'> | null;
  /** What could not be read or understood, as sentences; bounded. Ports that it is about are `other`. */
  readonly problems: readonly string[];
  /** By ifIndex: ports and all else. */
  readonly interfaces: ReadonlyMap<number, InterfaceRow>;
  readonly bridge: Bridge;
}

export interface ReadOptions {
  /** MIBs of vendors for the VLANs; of these only those are asked that the switch's sysObjectID says may be there. */
  readonly private?: readonly PrivateVlanMib[];
}

const UP = 1;
/** Bytes; agents say 0 or 2^31-1 of interfaces that have none. */
const [MTU_MIN, MTU_MAX] = [64, 65_535];
const MAX_PROBLEMS = 24;
const NONE = configured('none', null);

/**
 * Ports and VLANs of a switch. What a table lacks makes the ports that it is about `other`, never something else. Throws
 * `unreachable` or `busy` when the switch changes all the time while it is read, and what the session throws.
 */
export function readSwitch(session: SnmpSession, options: ReadOptions = {}): Promise<SnmpReading> {
  return readSteadily(
    session,
    (state) => readOnce(session, state, options.private ?? []),
    (reading) => sameInterfaces(session, reading),
  );
}

async function readOnce(
  session: SnmpSession,
  { objectId }: AgentState,
  mibs: readonly PrivateVlanMib[],
): Promise<SnmpReading> {
  const [interfaces, bridge] = await Promise.all([readInterfaces(session), readBridge(session)]);
  const enterprise = enterpriseOf(objectId);
  const input = { enterprise, bridge, interfaces: interfaces.rows, private: mibs };
  const [lag, basis] = await Promise.all([readLagMembers(session, interfaces.rows), readVlanBasis(session, input)]);
  const bridged = new Set(bridge.ports.values());
  const { ports: named, problems: naming } = namePorts(interfaces.rows.values(), {
    bridged,
    aggregates: new Set(lag.members.values()),
    namesIncomplete: interfaces.namesIncomplete,
  });
  const switchports = readSwitchports(named, basis, bridge, bridged);
  const names = new Map(named.map(({ row, name }) => [row.ifIndex, name]));
  const ports = named.map((port): PortState => {
    const { ifIndex } = port.row;
    const aggregate = lag.members.get(ifIndex);
    const own = switchports.get(ifIndex) ?? NONE;
    return portState(port, {
      lag: aggregate === undefined ? null : (names.get(aggregate) ?? `interface ${aggregate}`),
      switchport: aggregate !== undefined ? ofMember(own, bridged.has(ifIndex)) : certain(own, port, lag.incomplete),
    });
  });
  const problems = [
    ...interfaces.problems,
    ...(bridge.incomplete === null ? [] : [`bridge ports may be missing: ${bridge.incomplete}`]),
    ...(lag.incomplete === null ? [] : [lag.incomplete]),
    ...naming,
    ...(basis.facts?.problems ?? []),
  ];
  return {
    ports: ports.sort((a, b) => comparePortNames(a.name, b.name)),
    vlans: basis.vlans,
    unsaved: null,
    vlanSource: basis.facts === null ? null : { source: basis.facts.source, basis: basis.facts.basis },
    problems: [...new Set(problems)].slice(0, MAX_PROBLEMS),
    interfaces: interfaces.rows,
    bridge,
  };
}

function readSwitchports(
  named: readonly NamedInterface[],
  { facts, untaggedIsPvid }: VlanBasis,
  bridge: Bridge,
  bridged: ReadonlySet<number>,
): ReadonlyMap<number, ConfiguredSwitchport> {
  const indexes = named.map(({ row }) => row.ifIndex);
  const silent = (detail: string) => new Map(indexes.map((ifIndex) => [ifIndex, other(detail)]));
  if (facts === null) return silent('the switch shows no table of VLANs and their ports');
  if (bridge.ports.size === 0 && facts.ports.size === 0)
    return silent(`dot1dBasePortIfIndex shows no interface: it is not told which ports ${facts.source} is about`);
  const up = new Set(named.filter(({ row }) => row.operStatus === UP).map(({ row }) => row.ifIndex));
  return switchportsOf(facts, indexes, { bridged, bridgeIncomplete: bridge.incomplete, up, untaggedIsPvid });
}

/** The VLANs of a member are those of its aggregate; that the member itself is in no table says nothing else. */
function ofMember(own: ConfiguredSwitchport, isBridged: boolean): ConfiguredSwitchport {
  return own.mode === 'other' && !isBridged ? NONE : own;
}

/** A port of which more than its VLANs is not told is not taken for known either. */
function certain(
  own: ConfiguredSwitchport,
  { row, kind }: NamedInterface,
  lagIncomplete: string | null,
): ConfiguredSwitchport {
  if (row.adminStatus === null || row.adminStatus < 1 || row.adminStatus > 3)
    return { ...own, mode: 'other', detail: 'ifAdminStatus is not told' };
  if (lagIncomplete !== null && kind === 'physical')
    return { ...own, mode: 'other', detail: `it may be a member of an aggregate: ${lagIncomplete}`.slice(0, 160) };
  return own;
}

function portState(
  { row, name, aliases, kind }: NamedInterface,
  { switchport, lag }: Pick<PortState, 'switchport' | 'lag'>,
): PortState {
  const operState = OPER_STATES[(row.operStatus ?? 0) - 1] ?? 'unknown';
  return {
    name,
    aliases,
    ifIndex: row.ifIndex,
    macAddress: row.macAddress,
    kind,
    // testing(3): nothing passes (RFC 2863). What is not told is not taken for shut.
    adminState: row.adminStatus === 2 || row.adminStatus === 3 ? 'down' : 'up',
    operState,
    speedMbps: operState === 'up' ? row.speedMbps : null,
    mtu: row.mtu !== null && row.mtu >= MTU_MIN && row.mtu <= MTU_MAX ? row.mtu : null,
    description: row.ifAlias,
    switchport,
    lag,
    carriesManagement: false,
    problem: null,
  };
}

function other(detail: string): ConfiguredSwitchport {
  return configured('other', null, VlanSet.EMPTY, VlanSet.EMPTY, detail);
}

async function sameInterfaces(session: SnmpSession, reading: SnmpReading): Promise<boolean> {
  const [{ rows }, { ports }] = await Promise.all([readInterfaces(session), readBridge(session)]);
  const shape = (interfaces: SnmpReading['interfaces'], bridge: Bridge['ports']) =>
    JSON.stringify([[...interfaces.values()].map((i) => [i.ifIndex, i.ifName, i.ifDescr]), [...bridge]]);
  return shape(rows, ports) === shape(reading.interfaces, reading.bridge.ports);
}
