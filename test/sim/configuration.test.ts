import { describe, expect, it } from 'vitest';
import { openTerminal } from './terminal.ts';
import { listItems } from './vlan-list.ts';

function inPort(options: Parameters<typeof openTerminal>[0] = {}, port = 'swp1') {
  const terminal = openTerminal({ config: ['vlan 10,20,30'], ...options });
  terminal.runAll('configure terminal', `interface ${port}`);
  const allowed = () => listItems(terminal.sim.model.port(port).allowed).join(',');
  return { terminal, allowed };
}

describe('allowed VLAN lists', () => {
  it('add on a default trunk is a no-op, a plain list replaces', () => {
    const { terminal, allowed } = inPort();
    terminal.runAll('switchport mode trunk', 'switchport trunk allowed vlan add 10');
    expect(allowed()).toBe('1-4094');
    terminal.run('switchport trunk allowed vlan 10,20');
    terminal.run('switchport trunk allowed vlan 30');
    expect(allowed()).toBe('30');
    terminal.run('switchport trunk allowed vlan add 20-22');
    terminal.run('switchport trunk allowed vlan remove 21');
    expect(allowed()).toBe('20,22,30');
    terminal.run('switchport trunk allowed vlan except 2-4094');
    expect(allowed()).toBe('1');
    terminal.run('switchport trunk allowed vlan none');
    expect(allowed()).toBe('');
    terminal.run('switchport trunk allowed vlan all');
    expect(allowed()).toBe('1-4094');
  });

  it('"no ... allowed vlan remove X" opens the port to all VLANs', () => {
    const { terminal, allowed } = inPort();
    terminal.run('switchport trunk allowed vlan 10');
    expect(terminal.run('no switchport trunk allowed vlan remove 10')).toBe('');
    expect(allowed()).toBe('1-4094');
  });

  it('none, all and a list are three things in running-config', () => {
    const { terminal } = inPort();
    const shown = () => terminal.run('do show running-config interface swp1');
    expect(shown()).not.toContain('allowed');
    terminal.run('switchport trunk allowed vlan none');
    expect(shown()).toContain(' switchport trunk allowed vlan none');
    terminal.run('switchport trunk allowed vlan 10,11');
    expect(shown()).toContain(' switchport trunk allowed vlan 10,11');
  });

  it('a refused list changes nothing', () => {
    const { terminal, allowed } = inPort();
    terminal.run('switchport trunk allowed vlan 10');
    expect(terminal.run('switchport trunk allowed vlan 20,')).toBe(
      'Command rejected: Bad VLAN list - character #3 is a comma at end of list.',
    );
    expect(terminal.run('switchport trunk allowed vlan 20, 30')).toContain("% Invalid input detected at '^' marker.");
    expect(allowed()).toBe('10');
  });
});

describe('access ports and modes', () => {
  it('"no switchport access vlan" falls to VLAN 1, whatever follows', () => {
    const { terminal } = inPort();
    terminal.run('switchport access vlan 10');
    expect(terminal.run('no switchport access vlan 10')).toBe('');
    expect(terminal.sim.model.carried('swp1').untagged).toBe(1);
  });

  it('creates a missing access VLAN and says so', () => {
    const { terminal } = inPort();
    expect(terminal.run('switchport access vlan 77')).toBe('% Access VLAN does not exist. Creating vlan 77');
    expect(terminal.sim.model.config.vlans.get(77)?.name).toBe('VLAN0077');
    expect(terminal.run('switchport access vlan 77')).toBe('');
  });

  it('refuses nonegotiate on a dynamic port, and a dynamic mode with nonegotiate', () => {
    const { terminal } = inPort();
    const words = /^Command rejected: An interface must be configured to the "Access" or "Trunk" modes/;
    expect(terminal.run('switchport nonegotiate')).toMatch(words);
    terminal.runAll('switchport mode trunk', 'switchport nonegotiate');
    expect(terminal.run('no switchport mode trunk')).toMatch(words);
    expect(terminal.sim.model.port('swp1').mode).toBe('trunk');
  });

  it('old hardware wants the encapsulation first, new hardware does not know it', () => {
    const { terminal } = inPort({ dualEncapsulation: true });
    expect(terminal.run('switchport mode trunk')).toBe(
      'Command rejected: An interface whose trunk encapsulation is "Auto" can not be configured to "trunk" mode.',
    );
    expect(terminal.runAll('switchport trunk encapsulation dot1q', 'switchport mode trunk')).toBe('');
    expect(inPort().terminal.run('switchport trunk encapsulation dot1q')).toContain('% Invalid input');
  });

  it('mtu is per port and bounded', () => {
    const { terminal } = inPort();
    expect(terminal.run('mtu 9217')).toContain('% Invalid input');
    terminal.run('mtu 9216');
    expect(terminal.sim.model.port('swp1').mtu).toBe(9216);
    terminal.run('no mtu');
    expect(terminal.sim.model.port('swp1').mtu).toBe(1500);
  });

  it('default interface leaves the port open in VLAN 1', () => {
    const { terminal } = inPort();
    terminal.runAll('switchport access vlan 10', 'shutdown');
    expect(terminal.run('default interface swp1')).toBe('Interface swp1 set to default configuration');
    expect(terminal.sim.model.carried('swp1')).toMatchObject({ untagged: 1, tagged: [] });
    expect(terminal.prompt()).toBe('tor1(config)#');
  });

  it('a description keeps its inner spaces; a longer one than 240 is cut', () => {
    const { terminal } = inPort();
    terminal.run('description  worker-1   eno1 ');
    expect(terminal.sim.model.port('swp1').description).toBe('worker-1   eno1');
    terminal.run(`description ${'x'.repeat(241)}`);
    expect(terminal.sim.model.port('swp1').description).toBe('x'.repeat(240));
  });
});

describe('modes', () => {
  it('a refused interface line leaves the session in the previous submode', () => {
    const { terminal } = inPort();
    expect(terminal.run('interface swp99')).toContain("% Invalid input detected at '^' marker.");
    expect(terminal.prompt()).toBe('tor1(config-if)#');
    terminal.run('switchport access vlan 30');
    expect(terminal.sim.model.port('swp1').accessVlan).toBe(30);
  });

  it('a range changes all its ports', () => {
    const { terminal } = inPort();
    terminal.run('interface range SWP2 - 3 , swp5');
    expect(terminal.prompt()).toBe('tor1(config-if-range)#');
    terminal.run('switchport access vlan 20');
    const vlans = terminal.sim.model.portNames.map((name) => terminal.sim.model.port(name).accessVlan);
    expect(vlans).toEqual([1, 20, 20, 1, 20, 1, 1, 1]);
    expect(terminal.run('interface range swp7 - 9')).toContain('% Invalid input');
  });

  it('takes Ethernet names in any unambiguous form', () => {
    const { terminal } = inPort({ naming: 'ethernet' }, 'Ethernet1/1');
    for (const [name, vlan] of [
      ['et1/2', 10],
      ['ETHERNET1/3', 10],
      ['e1/4', 10],
      ['Ethernet 1/5', 10],
    ] as const) {
      expect(terminal.runAll(`int ${name}`, `sw acc vl ${vlan}`)).toBe('');
    }
    const vlans = terminal.sim.model.portNames.map((name) => terminal.sim.model.port(name).accessVlan);
    expect(vlans).toEqual([1, 10, 10, 10, 10, 1, 1, 1]);
    expect(terminal.run('do show interfaces et1/2 switchport')).toMatch(/^Name: Et1\/2\n/);
  });

  it('a VLAN is committed when config-vlan is left, by exit, end or another command', () => {
    for (const leave of ['exit', 'end', 'interface swp2', 'hostname tor1', '\x1a']) {
      const { terminal } = inPort();
      terminal.runAll('vlan 40', 'name tenant-a');
      expect(terminal.sim.model.config.vlans.has(40)).toBe(false);
      terminal.type(leave === '\x1a' ? leave : `${leave}\n`);
      expect(terminal.sim.model.config.vlans.get(40)?.name).toBe('tenant-a');
    }
  });

  it('a session that dies in config-vlan loses the VLAN', () => {
    const { terminal } = inPort();
    terminal.run('vlan 40');
    terminal.cli.close();
    expect(terminal.sim.model.config.vlans.has(40)).toBe(false);
  });

  it('the error for a VLAN comes on the line that leaves the mode', () => {
    const { terminal } = inPort();
    terminal.runAll('vlan 40', 'name one', 'exit', 'vlan 41', 'name one');
    expect(terminal.run('interface swp2')).toBe('% VLAN #41 and #40 have an identical name: one');
    expect(terminal.sim.model.config.vlans.has(41)).toBe(false);
  });

  it('a VLAN that the hardware keeps is not created, and only the log says so', () => {
    const { terminal } = inPort();
    terminal.sim.model.internalVlans.add(1010);
    const log: string[] = [];
    terminal.sim.model.onLog((message) => log.push(message));
    expect(terminal.runAll('vlan 1010', 'exit')).toBe('');
    expect(terminal.sim.model.config.vlans.has(1010)).toBe(false);
    expect(log.join()).toContain('%SW_VLAN-4-VLAN_CREATE_FAIL: Failed to create VLANs 1010');
  });

  it('default VLANs stay', () => {
    const { terminal } = inPort();
    expect(terminal.run('no vlan 1')).toBe('%Default VLAN 1 may not be deleted.');
    expect(terminal.run('no vlan 1003')).toBe('%Default VLAN 1003 may not be deleted.');
    terminal.run('no vlan 10,20');
    expect([...terminal.sim.model.config.vlans.keys()].filter((id) => id < 1000)).toEqual([1, 30]);
  });

  it('a VTP client refuses VLANs', () => {
    const { terminal } = inPort({ vtp: 'client', config: [] });
    expect(terminal.run('vlan 40')).toBe('VTP VLAN configuration not allowed when device is in CLIENT mode.');
    expect(terminal.prompt()).toBe('tor1(config-if)#');
  });

  it('a port-channel made by hand is layer 3 and takes no layer 2 member', () => {
    const { terminal } = inPort();
    terminal.runAll('interface port-channel 5', 'interface swp1');
    expect(terminal.run('channel-group 5 mode active')).toBe(
      'Command rejected (Port-channel5, swp1): Either port is L2 and port-channel is L3, or vice-versa',
    );
    expect(terminal.run('channel-group 6 mode active')).toContain('Creating a port-channel interface Port-channel 6');
    expect(terminal.sim.model.port('swp1').channelGroup).toEqual({ id: 6, mode: 'active' });
  });
});

describe('saving and restarting', () => {
  it('a reload loses what was not saved, VLANs too', () => {
    const { terminal } = inPort();
    terminal.runAll('switchport access vlan 10', 'vlan 40', 'end');
    expect(terminal.sim.model.unsaved).toBe(true);
    const booted = terminal.sim.model.bootedAt;
    terminal.sim.reboot();
    expect(terminal.sim.model.port('swp1').accessVlan).toBe(1);
    expect(terminal.sim.model.config.vlans.has(40)).toBe(false);
    expect(terminal.sim.model.bootedAt).not.toBe(booted);
    expect(terminal.sim.model.unsaved).toBe(false);
  });

  it('in VTP server mode VLANs up to 1005 survive and are not in running-config', () => {
    const { terminal } = inPort({ vtp: 'server' });
    terminal.runAll('vlan 40', 'name kept', 'vlan 2000', 'end');
    expect(terminal.run('show running-config')).not.toContain('name kept');
    expect(terminal.run('show running-config')).toContain('vlan 2000');
    terminal.sim.reboot();
    expect(terminal.sim.model.config.vlans.has(40)).toBe(true);
    expect(terminal.sim.model.config.vlans.has(2000)).toBe(false);
  });

  it('write memory answers [OK] after the time it takes', async () => {
    const { terminal } = inPort();
    terminal.runAll('switchport access vlan 10', 'end');
    terminal.sim.faults.saveMs = 5000;
    expect(terminal.type('write memory\n')).toBe('write memory\r\nBuilding configuration...\r\n');
    expect(terminal.sim.model.unsaved).toBe(true);
    await terminal.clock.advance(4999);
    expect(terminal.take()).toBe('');
    await terminal.clock.advance(1);
    expect(terminal.take()).toBe('[OK]\r\ntor1#');
    expect(terminal.sim.model.unsaved).toBe(false);
  });

  it('copy running-config startup-config asks for the file name', () => {
    const { terminal } = inPort();
    terminal.runAll('switchport access vlan 10', 'end');
    expect(terminal.type('copy run start\n')).toBe('copy run start\r\nDestination filename [startup-config]? ');
    expect(terminal.type('\n')).toBe('\r\nBuilding configuration...\r\n[OK]\r\ntor1#');
    expect(terminal.sim.model.unsaved).toBe(false);
    expect(terminal.run('show startup-config')).toContain(' switchport access vlan 10');
  });

  it('reload asks twice when something is unsaved', () => {
    const { terminal } = inPort();
    terminal.runAll('switchport access vlan 10', 'end');
    expect(terminal.type('reload\n')).toContain('System configuration has been modified. Save? [yes/no]: ');
    expect(terminal.type('no\n')).toContain('Proceed with reload? [confirm]');
    terminal.type('\r');
    expect(terminal.sim.model.port('swp1').accessVlan).toBe(1);
    expect(terminal.sim.model.bootReason).toBe('reload');
  });

  it('reload after yes keeps everything, and any other key than Enter or y calls it off', () => {
    const { terminal } = inPort();
    const booted = terminal.sim.model.bootedAt;
    terminal.runAll('switchport access vlan 10', 'end');
    terminal.type('reload\n');
    terminal.type('yes\n');
    terminal.type('n');
    expect(terminal.sim.model.bootedAt).toBe(booted);
    terminal.type('reload\n');
    terminal.type('y');
    expect(terminal.sim.model.port('swp1').accessVlan).toBe(10);
  });
});
