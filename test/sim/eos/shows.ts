import type { Clock } from '../../../drivers/model/clock.ts';
import { runningConfig } from './config.ts';
import type { EosModel } from './model.ts';

const MAC = '00:1c:73:aa:bb:00';

/** What the show commands print. */
export function show(model: EosModel, command: string, clock: Clock): string[] {
  if (command === 'show running-config') return runningConfig(model.running);
  const data = jsonOf(model, command, clock);
  return data === null ? ['% Invalid input'] : JSON.stringify(data, null, 4).split('\n');
}

function jsonOf(model: EosModel, command: string, clock: Clock): object | null {
  switch (command) {
    case 'show version | json':
      return {
        modelName: 'DCS-7050SX3-48YC8-F',
        version: '4.31.2F',
        serialNumber: 'JPE00000001',
        systemMacAddress: MAC,
        bootupTimestamp: model.bootedAt + 0.25,
        uptime: clock.now() / 1000 - model.bootedAt,
      };
    case 'show vlan | json':
      return {
        vlans: Object.fromEntries(
          [...model.running.vlans].map(([id, name]) => [
            String(id),
            { name, dynamic: false, status: 'active', interfaces: {} },
          ]),
        ),
        sourceDetail: '',
      };
    case 'show interfaces | json':
      return {
        interfaces: Object.fromEntries(
          [...model.running.ports].map(([name, port], i) => [
            name,
            {
              name,
              interfaceStatus: port.shutdown ? 'disabled' : 'connected',
              lineProtocolStatus: port.shutdown ? 'down' : 'up',
              physicalAddress: `00:1c:73:aa:bb:${String(i + 1).padStart(2, '0')}`,
              bandwidth: 25_000_000_000,
              mtu: 9214,
              description: port.description,
              hardware: 'ethernet',
              forwardingModel: port.routed ? 'routed' : 'bridged',
            },
          ]),
        ),
      };
    case 'show configuration sessions detail | json':
      return {
        maxSavedSessions: 1,
        maxOpenSessions: 5,
        sessions: Object.fromEntries(
          [...model.sessions.values()].map(({ name, state, user }) => [
            name,
            {
              state: state === 'committed' || state === 'aborted' || state === 'pending' ? state : 'pendingCommitTimer',
              commitUser: '',
              description: '',
              instances: { '1': { user, terminal: 'vty3', currentTerminal: false } },
            },
          ]),
        ),
        ...(model.newTimerForm && model.timedSession !== null
          ? { commitTimerSessionName: model.timedSession, commitTimerExpireTime: 300 }
          : {}),
      };
    case 'show lldp neighbors detail | json':
      return {
        lldpNeighbors: {
          Ethernet1: {
            lldpNeighborInfo: [
              {
                chassisIdType: 'macAddress',
                chassisId: '0c42.a1b2.c3d4',
                systemName: 'worker-1',
                systemDescription: 'Debian GNU/Linux 12',
                ttl: 120,
                systemCapabilities: { bridge: false, router: false, stationOnly: true },
                managementAddresses: [{ address: '198.51.100.7', addressType: 'ipv4' }],
                neighborInterfaceInfo: {
                  interfaceIdType: 'interfaceName',
                  interfaceId: '"eno1"',
                  interfaceDescription: 'tor01#',
                },
              },
            ],
          },
          Ethernet2: { lldpNeighborInfo: [] },
        },
      };
    default:
      return null;
  }
}
