import { describe, expect, it } from 'vitest';
import { hostNeighbor } from './index.ts';
import { openTerminal } from './terminal.ts';

const HOST = hostNeighbor('host1', 'eno1', 'aa:bb:cc:00:00:01');

function configured(...lines: string[]) {
  const terminal = openTerminal({ config: ['vlan 10,20,30', 'interface swp1'] });
  terminal.runAll('conf t', 'interface swp1', ...lines);
  return { ...terminal.sim.model.carried('swp1'), terminal };
}

describe('what a port forwards', () => {
  it('a port nobody configured is open in VLAN 1', () => {
    expect(configured()).toMatchObject({ untagged: 1, tagged: [], up: false });
  });

  it('up means cable plugged and not shut', () => {
    const { terminal } = configured('switchport access vlan 10');
    const { model } = terminal.sim;
    terminal.sim.cable('swp1', HOST);
    expect(model.carried('swp1')).toEqual({ untagged: 10, tagged: [], up: true });
    terminal.run('shutdown');
    expect(model.carried('swp1')).toEqual({ untagged: null, tagged: [], up: false });
    terminal.run('no shutdown');
    terminal.sim.cable('swp1', null);
    expect(model.carried('swp1')).toEqual({ untagged: 10, tagged: [], up: false });
  });

  it('a fresh trunk carries every VLAN there is, and the native one untagged', () => {
    expect(configured('switchport mode trunk')).toMatchObject({ untagged: 1, tagged: [10, 20, 30] });
  });

  it('the native VLAN passes only when it is in the allowed list', () => {
    const lines = ['switchport mode trunk', 'switchport trunk native vlan 10', 'switchport trunk allowed vlan 20'];
    expect(configured(...lines)).toMatchObject({ untagged: null, tagged: [20] });
    expect(configured(...lines, 'switchport trunk allowed vlan add 10')).toMatchObject({ untagged: 10, tagged: [20] });
  });

  it('a VLAN that does not exist forwards nothing', () => {
    expect(configured('switchport mode trunk', 'switchport trunk allowed vlan 20,99')).toMatchObject({ tagged: [20] });
    const { terminal } = configured('switchport mode access', 'switchport access vlan 10', 'no vlan 10');
    expect(terminal.sim.model.carried('swp1').untagged).toBeNull();
    expect(terminal.sim.model.port('swp1').accessVlan).toBe(10);
  });

  it('a suspended or shut VLAN forwards nothing', () => {
    for (const line of ['state suspend', 'shutdown']) {
      const { terminal } = configured('switchport access vlan 10', 'vlan 10', line, 'exit');
      expect(terminal.sim.model.carried('swp1').untagged).toBeNull();
    }
  });

  it('a routed port carries no VLAN and forgets its layer 2 settings', () => {
    const { terminal, untagged } = configured('switchport access vlan 10', 'no switchport');
    expect(untagged).toBeNull();
    expect(terminal.run('switchport access vlan 20')).toBe('Command rejected: swp1 not a switching port.');
    terminal.run('switchport');
    expect(terminal.sim.model.carried('swp1').untagged).toBe(1);
  });

  it('a dynamic port becomes a trunk when the other side asks for it', () => {
    const { terminal } = configured();
    terminal.sim.cable('swp1', { ...HOST, dtp: true });
    expect(terminal.sim.model.carried('swp1').tagged).toEqual([10, 20, 30]);
    terminal.run('switchport mode access');
    expect(terminal.sim.model.carried('swp1').tagged).toEqual([]);
  });

  it('an err-disabled port forwards nothing until it is shut and opened again', () => {
    const { terminal } = configured('switchport access vlan 10');
    terminal.sim.cable('swp1', HOST);
    terminal.sim.model.setErrDisabled('swp1', 'bpduguard');
    expect(terminal.sim.model.carried('swp1')).toEqual({ untagged: null, tagged: [], up: false });
    expect(terminal.run('do show interfaces swp1 status')).toContain('err-disabled');
    terminal.runAll('shutdown', 'no shutdown');
    expect(terminal.sim.model.carried('swp1').up).toBe(true);
  });

  it('a member that differs from its Port-channel is suspended', () => {
    const { terminal } = configured(
      'switchport mode access',
      'switchport access vlan 10',
      'channel-group 1 mode active',
    );
    terminal.sim.cable('swp1', HOST);
    expect(terminal.sim.model.carried('swp1').untagged).toBe(10);
    expect(terminal.sim.model.carried('Port-channel1')).toEqual({ untagged: 10, tagged: [], up: true });
    terminal.run('switchport access vlan 20');
    expect(terminal.sim.model.carried('swp1').untagged).toBeNull();
    expect(terminal.run('do show interfaces swp1 status')).toContain('suspended');
    terminal.runAll('interface port-channel 1', 'switchport access vlan 20');
    expect(terminal.sim.model.carried('swp1').untagged).toBe(20);
    terminal.runAll('no interface port-channel 1');
    expect(terminal.sim.model.port('swp1')).toMatchObject({ channelGroup: null, shutdown: true, accessVlan: 20 });
  });
});
