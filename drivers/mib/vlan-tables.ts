import type { Column, SnmpSession, WalkResult } from '../snmp/session-types.ts';
import { integerOf, octetsOf, textOf, undecoded } from './decode.ts';
import type { BridgePorts, VlanFacts } from './facts.ts';
import { incompleteness, readPortRows } from './port-vlan-rows.ts';
import type { PortRows, VlanLayout, VlanTableOptions, VlanTables } from './vlan-layout.ts';
import { type Members, readMembers } from './vlan-members.ts';
import { currentRows, staticRows, type TableRows } from './vlan-rows.ts';

const MAX_VALUES = 100_000;
const MAX_PROBLEMS = 16;
/** RowStatus active (RFC 2579). */
const ACTIVE = 1;

/** Reads one edition of the VLAN tables in one walk; null when the switch has none of its columns. */
export async function readVlanTables(
  session: SnmpSession,
  bridge: BridgePorts,
  layout: VlanLayout,
  options: VlanTableOptions,
): Promise<VlanTables | null> {
  const { fixed, current, port, component } = layout;
  const columns = [...Object.values(fixed), ...Object.values(current), ...Object.values(port)];
  const walked = await session.walk(columns, { maxRows: MAX_VALUES });
  const column = (oid: string): Column => walked.columns.get(oid) ?? new Map();
  if (columns.every((oid) => column(oid).size === 0)) return null;
  const own = readPortRows(walked, bridge, layout);
  const ports = own.rows.size === 0 && own.problems.length === 0 ? (options.ports ?? own) : own;
  const names = new Map([...staticRows(column(fixed.name), component)].map(([id, value]) => [id, textOf(value)]));
  const configured = readMembers(
    staticRows(column(fixed.egress), component),
    staticRows(column(fixed.untagged), component),
    bridge,
    options.junos === true,
  );
  const operational = readMembers(
    currentRows(column(current.egress), component),
    currentRows(column(current.untagged), component),
    bridge,
    options.junos === true,
  );
  const build = (table: string, basis: VlanFacts['basis'], members: Members, oids: readonly string[]) =>
    factsOf({ source: `${layout.source}${table}`, basis, members, oids, ports, names, walked, layout }, options);
  const outOfService = inactive(staticRows(column(fixed.rowStatus), component), configured);
  for (const id of configured.rows.keys()) if (!names.has(id)) names.set(id, '');
  return {
    configured: build('StaticTable', 'configured', { ...configured, doubtful: outOfService }, [
      fixed.egress,
      fixed.untagged,
      fixed.rowStatus,
    ]),
    operational: build('CurrentTable', 'operational', operational, [current.egress, current.untagged]),
    names,
    ports,
    form: configured.form,
  };
}

/** The doubtful ports of the static table, and with them those that are members of a VLAN whose row is not in force. */
function inactive(rowStatus: TableRows, members: Members): ReadonlyMap<number, string> {
  const doubtful = new Map(members.doubtful);
  for (const [id, value] of rowStatus) {
    const status = integerOf(value);
    if (status === null || status === ACTIVE) continue;
    for (const ifIndex of members.rows.get(id)?.egress ?? [])
      doubtful.set(ifIndex, `VLAN ${id} is made, but not in force (RowStatus ${status})`);
  }
  return doubtful;
}

interface Read {
  readonly source: string;
  readonly basis: VlanFacts['basis'];
  readonly members: Members;
  /** The columns that membership depends on, besides those of the ports. */
  readonly oids: readonly string[];
  readonly ports: PortRows;
  readonly names: ReadonlyMap<number, string>;
  readonly walked: WalkResult;
  readonly layout: VlanLayout;
}

function factsOf(read: Read, { bridgeIncomplete }: VlanTableOptions): VlanFacts | null {
  const { source, basis, members, oids, ports, names, walked, layout } = read;
  if (members.rows.size === 0) return null;
  const [egress = '', untagged = ''] = oids;
  const general = [
    ...(members.doubt === null ? [] : [`${source}: ${members.doubt}`]),
    ...oids.flatMap((oid) => incompleteness(oid, walked)),
    ...ports.problems,
  ];
  const wrong = [egress, untagged].flatMap((oid) =>
    undecoded(oid, walked.columns.get(oid) ?? new Map(), 'a port list', octetsOf),
  );
  const missing = bridgeIncomplete ? [`dot1dBasePortIfIndex may lack rows: ${bridgeIncomplete}`] : [];
  const vlans = new Map([...members.rows].map(([id, row]) => [id, { ...row, name: names.get(id) ?? '' }]));
  const facts = { source, basis, vlans, ports: ports.rows };
  const unnamed = incompleteness(layout.fixed.name, walked);
  const problems = [...general, ...wrong, ...missing, ...unnamed].slice(0, MAX_PROBLEMS);
  if (general.length > 0) return { ...facts, problems };
  return { ...facts, problems, doubtful: new Map([...members.doubtful, ...ports.doubtful]) };
}
