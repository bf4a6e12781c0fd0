import type { Capabilities, Driver } from '../driver.ts';
import { openSnmp } from '../transport/snmp.ts';
import { ALIAS_LENGTH, cannotExpress, renderChanges } from './render.ts';
import { snmpSwitchSession, snmpTargetOf } from './session.ts';

const CAPABILITIES: Capabilities = {
  modes: ['access', 'trunk', 'hybrid'],
  nativeVlanOnTrunk: true,
  hybridPortType: false,
  modesByMembership: true,
  mtu: null,
  descriptionLength: ALIAS_LENGTH,
  adminState: true,
  lag: false,
  vlanObjects: true,
  save: true,
  absoluteWrites: false,
};

/**
 * Any switch that shows and takes its VLANs by Q-BRIDGE-MIB (RFC 4363) over SNMP. Which port the agent's own path runs over cannot be
 * told this way: list it in `protectedPorts`.
 */
export const snmp: Driver = {
  name: 'snmp',
  capabilities: CAPABILITIES,
  checkOptions: (options) =>
    Object.entries(options).flatMap(([key, value]) => {
      if (key === 'parkingVlan') return [];
      if (key !== 'save') return [`"${key}" is not an option of the snmp driver; it has save`];
      return value === 'auto' || value === 'immediate' ? [] : ['save must be "auto" or "immediate"'];
    }),
  unsupported: (config) => cannotExpress(config),
  render: (changes) => renderChanges(changes),
  open: async (target, context) => {
    const session = await openSnmp(snmpTargetOf(target), context.clock);
    return snmpSwitchSession(session, target, context);
  },
};
