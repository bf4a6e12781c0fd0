import { aosVlans } from './aos-vlan.ts';
import { ciscoVlans } from './cisco-vlan.ts';
import type { PrivateVlanMib } from './facts.ts';
import { foundryVlans } from './foundry-vlan.ts';
import { huaweiVlans } from './huawei-vlan.ts';
import { rapidCityVlans } from './rapid-city-vlan.ts';
import { tplinkVlans } from './tplink-vlan.ts';

/** MIBs of vendors for the VLANs; each is asked for only on switches of its vendors. */
export const PRIVATE_VLAN_MIBS: readonly PrivateVlanMib[] = [
  aosVlans,
  ciscoVlans,
  foundryVlans,
  huaweiVlans,
  rapidCityVlans,
  tplinkVlans,
];
