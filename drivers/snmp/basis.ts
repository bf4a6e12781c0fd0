import type { Bridge } from '../mib/bridge.ts';
import type { InterfaceRow, PrivateVlanMib, VlanFacts } from '../mib/facts.ts';
import { readIeee8021QBridge } from '../mib/ieee8021-q-bridge.ts';
import { readJunosVlans } from '../mib/junos-vlan.ts';
import { readQBridge } from '../mib/q-bridge.ts';
import type { VlanTables } from '../mib/vlan-layout.ts';
import type { VlanEntry } from '../model/port.ts';
import { isVlanId } from '../model/vlan-set.ts';
import type { SnmpSession } from './session-types.ts';
import { distrust, vlanQuirks } from './vlan-quirks.ts';

/** What the switch tells of its VLANs. */
export interface VlanBasis {
  /** The one table that is believed; null: none shows membership. */
  readonly facts: VlanFacts | null;
  /** The VLANs that the switch has, ascending. */
  readonly vlans: readonly VlanEntry[];
  /** Where no port has a PVID: the untagged list tells it. */
  readonly untaggedIsPvid: boolean;
}

/** What is known before. */
export interface VlanBasisInput {
  readonly enterprise: number | null;
  readonly bridge: Bridge;
  readonly interfaces: ReadonlyMap<number, InterfaceRow>;
  readonly private: readonly PrivateVlanMib[];
}

/**
 * Reads the VLAN tables and chooses one, in this order:
 *
 * 1. what is configured before what operates: a port without link is missing from the latter on some switches, and a switchport is
 *    what somebody set; but a table without a single member, beside another that has some, is one that the agent does not fill;
 * 2. the vendor's MIB before the standard ones: it is asked only on switches of that vendor, and has the mode by the switch's own word;
 * 3. Q-BRIDGE-MIB before IEEE8021-Q-BRIDGE-MIB, which is asked only where the first shows no membership.
 *
 * Tables are never mixed, but for PVIDs that the switch has in Q-BRIDGE-MIB and lists in the other, and for the names of the VLANs on
 * Junos, which tells them, and what its other tables are numbered by, in a table of its own. Throws what {@link SnmpSession} throws.
 */
export async function readVlanBasis(session: SnmpSession, input: VlanBasisInput): Promise<VlanBasis> {
  const { enterprise, bridge, interfaces } = input;
  const quirks = vlanQuirks(enterprise);
  const found: VlanFacts[] = [];
  for (const mib of input.private) {
    if (enterprise === null || !mib.enterprises.includes(enterprise)) continue;
    const facts = await mib.read(session, bridge.ports, interfaces);
    if (facts !== null) found.push(facts);
    if (facts?.basis === 'configured') return result(facts, vlansOf(facts), quirks.untaggedIsPvid);
  }
  const options = { bridgeIncomplete: bridge.incomplete, junos: quirks.junos };
  const tables: VlanTables[] = [];
  const standard = await readQBridge(session, bridge.ports, options);
  if (standard !== null) tables.push(standard);
  if (standard === null || (standard.configured === null && standard.operational === null)) {
    const ports = standard === null ? {} : { ports: standard.ports };
    const successor = await readIeee8021QBridge(session, bridge.ports, { ...options, ...ports });
    if (successor !== null) tables.push(successor);
  }
  const junos = quirks.junos ? await readJunosVlans(session) : null;
  const trusted = (facts: VlanFacts | null): readonly VlanFacts[] => {
    if (facts === null) return [];
    const why = distrust(enterprise, facts, junos);
    return [why === null ? facts : doubted(facts, `${facts.source}: ${why}`)];
  };
  const configured = tables.flatMap((table) => trusted(table.configured));
  const operational = [...found, ...tables.flatMap((table) => trusted(table.operational))];
  const facts = [...configured, ...operational].find(hasMembers) ?? configured[0] ?? operational[0] ?? null;
  const vlans = new Map<number, string>();
  for (const { names } of junos === null ? tables : [junos]) for (const [id, name] of names) vlans.set(id, name);
  // The static table lists every VLAN that somebody made; where there is none, the others are all that is told.
  if (vlans.size === 0 && facts !== null) for (const { id, name } of vlansOf(facts)) vlans.set(id, name);
  return result(
    facts,
    [...vlans].map(([id, name]) => ({ id, name })),
    quirks.untaggedIsPvid,
  );
}

function result(facts: VlanFacts | null, vlans: readonly VlanEntry[], untaggedIsPvid: boolean): VlanBasis {
  const sorted = vlans.filter(({ id }) => isVlanId(id)).sort((a, b) => a.id - b.id);
  return { facts, vlans: sorted, untaggedIsPvid };
}

function hasMembers({ vlans }: VlanFacts): boolean {
  return [...vlans.values()].some(({ egress }) => egress !== null && egress.size > 0);
}

function vlansOf(facts: VlanFacts): VlanEntry[] {
  return [...facts.vlans.values()].map(({ id, name }) => ({ id, name }));
}

/** The facts with a problem that is about all ports. */
function doubted({ doubtful: _, ...facts }: VlanFacts, why: string): VlanFacts {
  return { ...facts, problems: [why, ...facts.problems] };
}
