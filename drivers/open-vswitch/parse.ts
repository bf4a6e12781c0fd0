import type { SwitchReading } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { normalizeMac } from '../model/mac.ts';
import type { AdminState, OperState, PortState } from '../model/port.ts';
import { type ConfiguredSwitchport, configured } from '../model/switchport.ts';
import { sanitizeText } from '../model/text.ts';
import { isVlanId, VlanSet } from '../model/vlan-set.ts';
import type { KernelLink } from '../text/iproute.ts';
import { isWritableName } from './commands.ts';
import type { Row, Tables } from './tables.ts';

/** The bridge that is the switch. Throws {@link DriverError} `unsupported` when it is not there or not the only one. */
export function chooseBridge(tables: Tables, wanted: string | null): Row {
  const names = tables.bridges.map((row) => row.text('name') ?? '');
  const shown = names.map((name) => sanitizeText(name, 63)).join(', ') || 'none';
  if (wanted === null && names.length !== 1) {
    throw new DriverError('unsupported', `the option "bridge" must say which bridge is meant; there are: ${shown}`);
  }
  const row = wanted === null ? tables.bridges[0] : tables.bridges[names.indexOf(wanted)];
  if (row === undefined) {
    throw new DriverError('unsupported', `there is no bridge ${wanted} on this Open vSwitch; there are: ${shown}`);
  }
  return row;
}

/** The ports of one bridge with their Interface rows. Rows that the snapshot should have and has not are an error. */
export function bridgePorts(tables: Tables, bridge: Row): { port: Row; interfaces: Row[] }[] {
  const ports = byUuid(tables.ports);
  const interfaces = byUuid(tables.interfaces);
  return bridge.uuids('ports').map((uuid) => {
    const port = lookUp(ports, uuid, 'Port');
    return { port, interfaces: port.uuids('interfaces').map((id) => lookUp(interfaces, id, 'Interface')) };
  });
}

/** swp9 before swp10. Made once: `localeCompare` with options makes one for every comparison. */
const BY_NUMBER = new Intl.Collator('en', { numeric: true });

/**
 * The switch as read. Admin state, link state and MTU are those of the kernel's device, which is what counts and is never
 * late; ports that are no kernel devices (DPDK, dummy) have what ovs-vswitchd says of them.
 */
export function buildReading(
  tables: Tables,
  bridge: Row,
  links: ReadonlyMap<string, KernelLink>,
  management: ReadonlySet<string>,
): SwitchReading {
  const bridgeName = bridge.text('name') ?? '';
  const ports: PortState[] = [];
  let vlans = VlanSet.EMPTY;
  for (const { port, interfaces } of bridgePorts(tables, bridge)) {
    const rawName = port.text('name') ?? '';
    const members = interfaces.map((row) => memberState(row, links, management));
    const first = members[0];
    if (first === undefined) continue;
    const special = rawName === bridgeName || port.flag('fake_bridge');
    const switchport = readSwitchport(port);
    const description = sanitizeText(port.entry('external_ids', 'description') ?? '', 200);
    const carried = management.has(rawName);
    const name = shownName(rawName);
    if (members.length === 1) {
      const kind = special ? 'other' : first.kind;
      const aliases = first.name === name ? [] : [first.name];
      ports.push({
        ...first,
        name,
        aliases,
        kind,
        switchport,
        description,
        carriesManagement: carried || first.carriesManagement,
      });
    } else {
      ports.push({ ...bondState(name, members), switchport, description, carriesManagement: carried });
      ports.push(...members.map((member) => ({ ...member, lag: name })));
    }
    const named =
      switchport.nativeVlan === null ? switchport.taggedVlans : switchport.taggedVlans.with(switchport.nativeVlan);
    if (port.integers('trunks').length > 0 || switchport.taggedVlans.isEmpty) vlans = vlans.union(named);
  }
  ports.sort((a, b) => BY_NUMBER.compare(a.name, b.name));
  return { ports, vlans: vlans.ids().map((id) => ({ id, name: '' })), unsaved: false };
}

/**
 * Membership as ofproto-dpif makes it of the Port columns (ovs-vswitchd.conf.db(5), VLAN Configuration):
 * without vlan_mode a tag means access, else trunk; an absent tag is VLAN 0 where a tag counts; an empty `trunks` means
 * every VLAN; the native VLAN is carried, listed or not, and keeps VLAN 0 out. What carries VLAN 0 (untagged frames in no VLAN,
 * shared with every other such port) or 4095 is never what an intent asks for, and is `other`.
 */
export function readSwitchport(port: Row): ConfiguredSwitchport {
  const tag = port.integer('tag');
  const mode = port.text('vlan_mode') ?? (tag === null ? 'trunk' : 'access');
  const listed = port.integers('trunks');
  const trunks = listed.length === 0 ? VlanSet.ALL : VlanSet.of(...listed.filter(isVlanId));
  const native = isVlanId(tag) ? tag : null;
  const other = (detail: string, nativeVlan: number | null, tagged: VlanSet) =>
    configured('other', nativeVlan, tagged, VlanSet.EMPTY, detail);
  switch (mode) {
    case 'access':
      if (native === null) return other(`access in VLAN ${tag ?? 0}`, null, VlanSet.EMPTY);
      return configured('access', native);
    case 'trunk':
      if (listed.length === 0) return other('trunk of every VLAN, untagged frames in VLAN 0', null, trunks);
      if (listed.includes(0)) return other('trunk with untagged frames in VLAN 0', null, trunks);
      if (listed.includes(4095)) return other('trunk with VLAN 4095', null, trunks);
      return configured('trunk', null, trunks);
    case 'native-untagged':
      if (native === null) return other(`native-untagged in VLAN ${tag ?? 0}`, null, trunks);
      if (listed.includes(4095)) return other('native-untagged with VLAN 4095', native, trunks);
      return configured('trunk', native, trunks);
    case 'native-tagged':
      // Untagged frames are taken in, but the native VLAN leaves tagged.
      return other(`native-tagged in VLAN ${tag ?? 0}`, null, native === null ? trunks : trunks.with(native));
    default:
      return other(sanitizeText(mode, 40), native, VlanSet.EMPTY);
  }
}

type Member = Omit<PortState, 'lag'> & { readonly lag: null };

function memberState(row: Row, links: ReadonlyMap<string, KernelLink>, management: ReadonlySet<string>): Member {
  const rawName = row.text('name') ?? '';
  const link = links.get(rawName);
  const type = row.text('type') ?? '';
  const adminState: AdminState = link
    ? link.adminUp
      ? 'up'
      : 'down'
    : row.text('admin_state') === 'up'
      ? 'up'
      : 'down';
  const reported: OperState =
    row.text('link_state') === 'up' ? 'up' : row.text('link_state') === 'down' ? 'down' : 'unknown';
  const operState = link === undefined || link.operState === 'unknown' ? reported : link.operState;
  const speed = row.integer('link_speed');
  const mac = row.text('mac_in_use');
  return {
    name: shownName(rawName),
    aliases: [],
    ifIndex: link?.ifIndex ?? row.integer('ifindex'),
    macAddress: link?.macAddress ?? (mac === null ? null : normalizeMac(mac)),
    kind: PHYSICAL_TYPES.has(type) ? 'physical' : 'other',
    adminState,
    operState: adminState === 'down' && operState === 'up' ? 'down' : operState,
    speedMbps: operState === 'up' && speed !== null && speed >= 1_000_000 ? Math.round(speed / 1_000_000) : null,
    mtu: link?.mtu ?? row.integer('mtu'),
    description: '',
    switchport: configured('none', null),
    lag: null,
    carriesManagement: management.has(rawName),
    problem: problemOf(row),
  };
}

/** Interface types that stand for a port with a plug; "" is a kernel device ("system"). */
const PHYSICAL_TYPES: ReadonlySet<string> = new Set([
  '',
  'system',
  'dpdk',
  'afxdp',
  'afxdp-nonpmd',
  'dummy',
  'dummy-pmd',
]);

function problemOf(row: Row): string | null {
  const error = row.text('error');
  if (error !== null && error !== '') return sanitizeText(error);
  const ofport = row.integer('ofport');
  if (ofport === null) return 'ovs-vswitchd has not set up this port yet';
  return ofport < 0 ? 'ovs-vswitchd could not set up this port' : null;
}

function bondState(
  name: string,
  members: readonly Member[],
): Omit<PortState, 'switchport' | 'description' | 'carriesManagement'> {
  const up = members.filter((member) => member.operState === 'up');
  const mtus = members.map((member) => member.mtu).filter((mtu) => mtu !== null);
  const speeds = up.map((member) => member.speedMbps ?? 0).reduce((sum, speed) => sum + speed, 0);
  return {
    name,
    aliases: [],
    ifIndex: null,
    macAddress: members[0]?.macAddress ?? null,
    kind: 'lag',
    adminState: members.some((member) => member.adminState === 'up') ? 'up' : 'down',
    operState: up.length > 0 ? 'up' : 'down',
    speedMbps: speeds > 0 ? speeds : null,
    mtu: mtus.length === 0 ? null : Math.min(...mtus),
    lag: null,
    problem: members.find((member) => member.problem !== null)?.problem ?? null,
  };
}

/** A name that may not be put into a command is shown in quotes, so that it can never be taken for another port's. */
function shownName(raw: string): string {
  return isWritableName(raw) ? raw : `"${sanitizeText(raw, 61)}"`;
}

function byUuid(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.uuids('_uuid')[0] ?? '', row]));
}

function lookUp(rows: ReadonlyMap<string, Row>, uuid: string, table: string): Row {
  const row = rows.get(uuid);
  if (row !== undefined) return row;
  throw new DriverError(
    'parse',
    `the ${table} table that Open vSwitch answered lacks a row that another row refers to`,
  );
}
