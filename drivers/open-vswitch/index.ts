import type { Driver } from '../driver.ts';
import { connectSsh } from '../transport/ssh.ts';
import { OVS_CAPABILITIES, ovsUnsupported, renderOvs } from './commands.ts';
import { checkOvsOptions } from './options.ts';
import { openVswitchSession } from './session.ts';

/**
 * Open vSwitch 2.8 or later on Linux, by `ovs-vsctl` over SSH exec, with `ip` for the admin state and lldpd for
 * neighbours. VLAN settings count where the bridge switches by OpenFlow's `normal` action, which is Open vSwitch's default.
 */
export const openVswitch: Driver = {
  name: 'open-vswitch',
  capabilities: OVS_CAPABILITIES,
  checkOptions: checkOvsOptions,
  unsupported: ovsUnsupported,
  render: renderOvs,
  open: async (target, context) => openVswitchSession(await connectSsh(target, context.clock), target, context),
};

export { openVswitchSession } from './session.ts';
