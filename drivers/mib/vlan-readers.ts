import { ciscoVlans } from './cisco-vlan.ts';
import type { PrivateVlanMib } from './facts.ts';
import { rapidCityVlans } from './rapid-city-vlan.ts';

/** MIBs of vendors for the VLANs; each is asked for only on switches of its vendors. */
export const PRIVATE_VLAN_MIBS: readonly PrivateVlanMib[] = [ciscoVlans, rapidCityVlans];
