import type { BridgePorts, PortVlanRow, VlanFacts } from './facts.ts';
import type { PortListForm } from './port-list.ts';

/** Where one edition of the VLAN tables has its columns (OIDs without index), and how they are indexed. */
export interface VlanLayout {
  /** What the names of its tables begin with. */
  readonly source: string;
  readonly fixed: {
    readonly name: string;
    readonly egress: string;
    readonly untagged: string;
    readonly rowStatus: string;
  };
  readonly current: { readonly egress: string; readonly untagged: string };
  readonly port: { readonly pvid: string; readonly frameTypes: string; readonly ingressFiltering: string };
  /** Every index has a component ID before the VLAN or the port. */
  readonly component: boolean;
  /** Value of the frame types column: untagged frames are dropped. */
  readonly taggedOnly: number;
  /** Tagged frames are dropped; null: the MIB cannot say that. */
  readonly untaggedOnly: number | null;
}

export interface VlanTableOptions {
  /** Bridge ports may be missing from `bridge`, for this reason. */
  readonly bridgeIncomplete?: string | null;
  /** The switch runs Junos, which writes its lists as text. */
  readonly junos?: boolean;
  /** PVIDs and frame types by another edition, for where this one has none. */
  readonly ports?: PortRows;
}

/** What the port table says, by ifIndex. */
export interface PortRows {
  readonly rows: ReadonlyMap<number, PortVlanRow>;
  /** Ports whose row contradicts itself, with the reason. */
  readonly doubtful: ReadonlyMap<number, string>;
  /** Why rows may be missing or wrong, as sentences. */
  readonly problems: readonly string[];
}

/** What one edition of the VLAN tables says. */
export interface VlanTables {
  /** The static table: what is configured; null when it shows no membership. */
  readonly configured: VlanFacts | null;
  /** The current table: what the switch does now; null when there is none. */
  readonly operational: VlanFacts | null;
  /** The VLANs of the static table with their names, whether it shows membership or not. */
  readonly names: ReadonlyMap<number, string>;
  readonly ports: PortRows;
  /** How the lists of the static table are written: others than `bits` cannot be written back. */
  readonly form: PortListForm;
}

/** ifIndexes with several bridge ports, with these. */
export function sharedInterfaces(bridge: BridgePorts): ReadonlyMap<number, readonly number[]> {
  const ports = new Map<number, number[]>();
  for (const [port, ifIndex] of bridge) {
    const known = ports.get(ifIndex);
    if (known) known.push(port);
    else ports.set(ifIndex, [port]);
  }
  return new Map([...ports].filter(([, list]) => list.length > 1));
}
