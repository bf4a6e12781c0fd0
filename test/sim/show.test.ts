import { describe, expect, it } from 'vitest';
import { hostNeighbor, type SimNeighbor } from './index.ts';
import { openTerminal } from './terminal.ts';
import { ALL_VLANS, listItems, parseVlanList, subtract } from './vlan-list.ts';

const HOST = hostNeighbor('worker-1', 'eno1', 'AA:BB:CC:00:00:01');

function rack(...config: string[]) {
  const terminal = openTerminal({ naming: 'ethernet', config: ['vlan 10,20', 'vlan 30', 'name prov', ...config] });
  terminal.sim.cable('Ethernet1/1', HOST);
  return terminal;
}

/** All lists of an answer put together: the first line, its indented or "add" continuations. */
function union(text: string, line: RegExp): string {
  return [...text.matchAll(line)].map((m) => m[1]?.replace(/,$/, '')).join(',');
}

describe('show running-config', () => {
  it('splits a long allowed list into add lines that give the list back', () => {
    const odd = Array.from({ length: 300 }, (_, i) => 2 * i + 1);
    const terminal = rack();
    terminal.sim.model.setPort('Ethernet1/1', { allowed: new Set(odd) });
    const text = terminal.run('show running-config interface et1/1');
    expect(text.match(/allowed vlan add /g)?.length).toBeGreaterThan(5);
    expect(parseVlanList(union(text, /allowed vlan (?:add )?([0-9,-]+)/g))).toEqual(new Set(odd));
    expect(Math.max(...text.split('\n').map((l) => l.length))).toBeLessThanOrEqual(80);
  });

  it('shows both access and trunk settings, whatever the mode', () => {
    const terminal = rack(
      'interface Et1/2',
      'switchport access vlan 10',
      'switchport trunk native vlan 20',
      'switchport trunk allowed vlan 20,30',
      'switchport mode trunk',
      'mtu 9000',
      'shutdown',
      'description to be cabled',
    );
    expect(terminal.run('show running-config interface et1/2').split('\n').slice(4)).toEqual([
      'interface Ethernet1/2',
      ' description to be cabled',
      ' switchport access vlan 10',
      ' switchport trunk native vlan 20',
      ' switchport trunk allowed vlan 20,30',
      ' switchport mode trunk',
      ' mtu 9000',
      ' shutdown',
      'end',
      '',
    ]);
  });

  it('has the VLANs in it, unnamed ones in one line', () => {
    const text = rack().run('show running-config');
    expect(text).toContain('\nvlan 10,20\n!\nvlan 30\n name prov\n');
    expect(text).toContain('\nhostname tor1\n');
  });

  it('typed in again gives the same switch', () => {
    const terminal = rack(
      'interface Et1/2',
      'switchport mode trunk',
      'switchport trunk allowed vlan 10,20',
      'interface Et1/3',
      'no switchport',
    );
    const lines = terminal.run('show startup-config').split('\n');
    const config = lines
      .slice(0, lines.indexOf('interface Vlan1'))
      .filter((l) => /^( |vlan|interface|hostname|lldp)/.test(l) && l !== ' no ip address');
    const again = openTerminal({ naming: 'ethernet', config });
    expect(again.run('show startup-config').split('\n').slice(4)).toEqual(lines.slice(4));
  });

  it('is unknown for an unknown port', () => {
    expect(rack().run('show running-config interface et1/9')).toContain("% Invalid input detected at '^' marker.");
  });
});

describe('show interfaces switchport', () => {
  it('wraps long lists onto indented lines', () => {
    const even = Array.from({ length: 120 }, (_, i) => 2 * i + 2);
    const terminal = rack('interface et1/1', 'switchport mode trunk');
    terminal.sim.model.setPort('Ethernet1/1', { allowed: new Set(even) });
    const text = terminal.run('show interfaces et1/1 switchport');
    const block = /Trunking VLANs Enabled: ((?:[0-9,-]+\n {5})*[0-9,-]+)\n/.exec(text)?.[1] ?? '';
    expect(block.split('\n').length).toBeGreaterThan(3);
    expect(block.replace(/\s/g, '')).toBe(listItems(new Set(even)).join(','));
  });

  it('knows ALL, NONE, inactive VLANs and routed ports', () => {
    const terminal = rack('interface et1/1', 'switchport access vlan 10');
    const show = () => terminal.run('show interfaces et1/1 switchport');
    expect(show()).toContain('Trunking VLANs Enabled: ALL');
    expect(show()).toContain('Administrative Mode: dynamic auto\nOperational Mode: static access');
    terminal.sim.model.setPort('Ethernet1/1', { allowed: new Set() });
    expect(show()).toContain('Trunking VLANs Enabled: NONE');
    terminal.sim.model.setPort('Ethernet1/1', { allowed: subtract(ALL_VLANS, new Set([5])) });
    expect(show()).toContain('Trunking VLANs Enabled: 1-4,6-4094');
    terminal.sim.model.deleteVlan(10);
    expect(show()).toContain('Access Mode VLAN: 10 (Inactive)');
    terminal.sim.model.setPort('Ethernet1/1', { mode: 'routed' });
    expect(show()).toBe('Name: Et1/1\nSwitchport: Disabled\n');
  });
});

describe('other tables', () => {
  it('show vlan brief lists access ports and not working trunks; a trunk whose link is down looks like an access port', () => {
    const terminal = rack('interface range Et1/1-2', 'switchport mode trunk');
    const first = terminal
      .run('show vlan brief')
      .split('\n')
      .find((l) => l.startsWith('1 '));
    expect(first).toBe(`1    default${' '.repeat(26)}active    Et1/2, Et1/3, Et1/4, Et1/5`);
    expect(terminal.run('show vlan brief')).toContain(`\n${' '.repeat(48)}Et1/6, Et1/7, Et1/8\n`);
    expect(terminal.run('show vlan brief')).toContain('1002 fddi-default                     act/unsup');
    expect(terminal.run('show vlan id 99')).toBe('VLAN id 99 not found in current VLAN database');
  });

  it('show interfaces status has a word for every state', () => {
    const terminal = rack(
      'interface Et1/2',
      'shutdown',
      'interface Et1/3',
      'no switchport',
      'interface Et1/1',
      'description connected to a host with a long name',
      'switchport mode trunk',
    );
    const rows = terminal.run('show interfaces status').split('\n');
    expect(rows[1]).toBe('Port      Name               Status       Vlan       Duplex  Speed Type');
    expect(rows[2]).toBe('Et1/1     connected to a hos connected    trunk      a-full  a-25G SFP-25GBase-CR');
    expect(rows[3]).toBe('Et1/2                        disabled     1            auto   auto SFP-25GBase-CR');
    expect(rows[4]).toBe('Et1/3                        notconnect   routed       auto   auto SFP-25GBase-CR');
  });

  it('show interfaces gives state, description and MTU', () => {
    const terminal = rack('interface Et1/1', 'mtu 9000', 'description worker-1 eno1');
    const text = terminal.run('show interfaces et1/1');
    expect(text).toContain('Ethernet1/1 is up, line protocol is up (connected)');
    expect(text).toContain('  Description: worker-1 eno1\n  MTU 9000 bytes, BW 25000000 Kbit/sec');
    terminal.sim.model.setPort('Ethernet1/1', { shutdown: true });
    expect(terminal.run('show interfaces et1/1')).toContain(
      'is administratively down, line protocol is down (disabled)',
    );
  });

  it('show lldp neighbors detail shows what was sent, and "not advertised" without a colon', () => {
    const terminal = rack();
    const evil: SimNeighbor = { chassisId: 'aabb.cc00.0009', portId: 'eth\x1b[2J0', systemDescription: 'two\nlines' };
    terminal.sim.cable('et1/2', evil);
    const text = terminal.run('show lldp neighbors detail');
    expect(text).toContain(
      'Local Intf: Et1/1\nChassis id: aabb.cc00.0001\nPort id: aabb.cc00.0001\nPort Description: eno1\nSystem Name: worker-1\n',
    );
    expect(text).toContain('Port id: eth\x1b[2J0\nPort Description - not advertised\nSystem Name - not advertised\n');
    expect(text).toContain('System Description: \ntwo\nlines\n');
    expect(text).toContain('Total entries displayed: 2');
    terminal.sim.byHand(['interface et1/1', 'shutdown', 'no lldp run']);
    expect(terminal.run('show lldp neighbors detail')).toBe('% LLDP is not enabled');
  });

  it('several speakers on one port make several blocks', () => {
    const terminal = rack();
    terminal.sim.cable('et1/1', { ...HOST, also: [hostNeighbor('bmc-1', 'bmc', 'aa:bb:cc:00:00:02')] });
    expect(terminal.run('show lldp neighbors detail').match(/Local Intf: Et1\/1/g)?.length).toBe(2);
    expect(terminal.run('show lldp neighbors')).toContain('Total entries displayed: 2');
  });

  it('show version, clock and MAC table', async () => {
    const terminal = rack();
    await terminal.clock.advance(61_000);
    expect(terminal.run('show version')).toContain('tor1 uptime is 3 days, 0 hours, 1 minute\n');
    expect(terminal.run('show version')).toContain('System restarted at 00:00:00 UTC Mon Dec 29 2025');
    expect(terminal.run('show version')).toContain('Processor board ID SIM0000TOR1');
    expect(terminal.run('show clock')).toBe('*00:01:01.000 UTC Thu Jan 1 2026');
    expect(terminal.run('show mac address-table')).toContain('   1    aabb.cc00.0001    DYNAMIC     Et1/1');
  });
});
