import { describe, expect, it } from 'vitest';
import { lldpNeighbors } from '../../../drivers/cli/lldp.ts';
import { DriverError } from '../../../drivers/errors.ts';
import type { PortState } from '../../../drivers/model/port.ts';
import { configured } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';

function port(name: string, operState: PortState['operState']): PortState {
  return {
    name,
    aliases: [],
    ifIndex: null,
    macAddress: null,
    kind: 'physical',
    adminState: 'up',
    operState,
    speedMbps: null,
    mtu: null,
    description: '',
    switchport: configured('access', 1, VlanSet.EMPTY),
    lag: null,
    carriesManagement: false,
    problem: null,
  };
}

const PORTS = [port('swp1', 'up'), port('swp2', 'down'), port('swp3', 'up')];

describe('lldpNeighbors', () => {
  it('asks for what strangers wrote as such, also port by port when the whole is refused', async () => {
    const asked: [string, boolean][] = [];
    const neighbors = await lldpNeighbors(
      async (command, untrusted) => {
        asked.push([command, untrusted]);
        throw new DriverError('rejected', 'the switch refused it');
      },
      async () => PORTS,
    );
    expect(neighbors).toEqual([]);
    expect(asked).toEqual([
      ['show lldp neighbors detail', true],
      ['show lldp neighbors swp1 detail', true],
      ['show lldp neighbors swp3 detail', true],
    ]);
  });

  it('passes on that the session is lost', async () => {
    const lost = new DriverError('unreachable', 'gone');
    await expect(
      lldpNeighbors(
        () => Promise.reject(lost),
        async () => PORTS,
      ),
    ).rejects.toBe(lost);
  });
});
