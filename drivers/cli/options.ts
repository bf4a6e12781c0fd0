import { isVlanId } from '../model/vlan-set.ts';

/** Options that command line drivers share. */
export interface LineOptions {
  /** A VLAN that leads nowhere: the native VLAN of trunks that carry nothing untagged. */
  readonly parkingVlan: number | null;
  /** Ports that are configured become spanning-tree edge ports. */
  readonly edgePort: boolean;
}

/** The shared options; what is not given is off. Checked before by {@link lineOptionProblems}. */
export function lineOptions({ parkingVlan, edgePort }: Readonly<Record<string, unknown>>): LineOptions {
  return { parkingVlan: isVlanId(parkingVlan) ? parkingVlan : null, edgePort: edgePort === true };
}

/** Problems of the options of a driver that knows the named ones, as sentences. Pure. */
export function lineOptionProblems(
  driver: string,
  known: readonly (keyof LineOptions)[],
  options: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(options).flatMap(([key, value]) => {
    if (!(known as readonly string[]).includes(key))
      return [`"${key}" is not an option of the ${driver} driver; it has ${known.join(' and ')}`];
    if (key === 'edgePort') return typeof value === 'boolean' ? [] : ['edgePort must be true or false'];
    return value === undefined || isVlanId(value) ? [] : ['parkingVlan must be a VLAN ID from 1 to 4094'];
  });
}
