import type { VlanFacts } from '../mib/facts.ts';
import { type JunosVlans, junosNumbering } from '../mib/junos-vlan.ts';

/** IANA enterprise numbers of the switches that are read differently. */
const JUNIPER = 2636;
const FOUNDRY = 1991;
/** Dell, Aruba. Not Force10 (Dell OS9), whose untagged lists name tagged members, too. */
const ONE_SETTING: ReadonlySet<number> = new Set([674, 47196]);

/** How the VLAN tables of one vendor differ from the standards. */
export interface VlanQuirks {
  /** Junos writes its port lists as text. */
  readonly junos: boolean;
  /**
   * The switch has no dot1qPvid, and its command line one setting for the VLAN of untagged frames in both directions: "switchport access
   * vlan" (Dell OS10), "vlan access" and "vlan trunk native" (Aruba CX).
   */
  readonly untaggedIsPvid: boolean;
}

export function vlanQuirks(enterprise: number | null): VlanQuirks {
  return {
    junos: enterprise === JUNIPER,
    untaggedIsPvid: enterprise !== null && ONE_SETTING.has(enterprise),
  };
}

/** Why the standard tables of this vendor are not to be relied on; null: they are. `junos`: its own table of VLANs, where there is one. */
export function distrust(enterprise: number | null, facts: VlanFacts, junos: JunosVlans | null): string | null {
  if (enterprise === FOUNDRY) return 'the port lists of this switch are not bitmaps, and not understood';
  return enterprise === JUNIPER ? distrustJunos(facts, junos) : null;
}

function distrustJunos(facts: VlanFacts, junos: JunosVlans | null): string | null {
  const numbering = junos === null ? null : junosNumbering(junos, facts.vlans.keys());
  if (numbering === 'id') return null;
  if (numbering === 'own') return 'the VLANs of this table are numbered by an internal index in place of their ID';
  return pvidsAgree(facts)
    ? null
    : 'the VLANs of this table may be numbered by an internal index in place of their ID, as on some Junos';
}

/** Some port is untagged in the VLAN of its PVID, and none that has a PVID is untagged in another: the index is the VLAN ID. */
function pvidsAgree({ vlans, ports }: VlanFacts): boolean {
  let agreeing = 0;
  for (const { id, untagged } of vlans.values()) {
    for (const ifIndex of untagged ?? []) {
      const pvid = ports.get(ifIndex)?.pvid ?? null;
      if (pvid === id) agreeing++;
      else if (pvid !== null) return false;
    }
  }
  return agreeing > 0;
}
