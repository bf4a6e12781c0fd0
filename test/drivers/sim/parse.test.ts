import { describe, expect, it } from 'vitest';
import { DriverError } from '../../../drivers/errors.ts';
import { parsePorts, parseVersion, parseVlans } from '../../../drivers/sim/parse.ts';
import { unsavedChanges } from '../../../drivers/text/ios-config.ts';
import { parseSwitchport } from '../../../drivers/text/ios-switchport.ts';

const RUNNING = `Building configuration...

Current configuration : 1432 bytes
!
hostname tor1
!
vlan 100
 name pk-100
!
interface Port-channel3
 switchport mode trunk
!
interface swp1
 description worker-1 eno1
 switchport access vlan 100
 switchport mode access
 mtu 9000
!
interface swp2
 switchport trunk native vlan 120
 switchport trunk allowed vlan 1,10,20-25
 switchport trunk allowed vlan add 120,4000-4003
 switchport mode trunk
 shutdown
!
interface swp10
 no switchport
 ip address 192.0.2.7 255.255.255.0
!
interface swp3
 switchport mode access
 channel-group 3 mode active
!
interface Vlan1
 ip address 192.0.2.8 255.255.255.0
!
end
`;

const INTERFACES = `swp1 is up, line protocol is up (connected)
  Hardware is Ten Gigabit Ethernet, address is 0011.2233.4401 (bia 0011.2233.4401)
  Description: swp9 is up, line protocol is up (connected)
  MTU 9000 bytes, BW 10000000 Kbit/sec, DLY 10 usec,
  Full-duplex, 10Gb/s, media type is SFP
swp2 is administratively down, line protocol is down (disabled)
  Hardware is Ten Gigabit Ethernet, address is 0011.2233.4402 (bia 0011.2233.4402)
  MTU 1500 bytes, BW 10000000 Kbit/sec, DLY 10 usec,
swp3 is down, line protocol is down (err-disabled)
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
swp10 is up, line protocol is up (connected)
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
`;

const shown = (...lines: string[]) => {
  const { mode, nativeVlan, taggedVlans, detail } = parseSwitchport(lines);
  return [mode, nativeVlan, taggedVlans.toString(), detail];
};

describe('reading the simulated switch', () => {
  it('puts configuration and state together, in natural order', () => {
    const ports = parsePorts(RUNNING, INTERFACES, '192.0.2.7');
    expect(ports.map((p) => p.name)).toEqual(['Port-channel3', 'swp1', 'swp2', 'swp3', 'swp10']);
    const [lag, swp1, swp2, swp3, swp10] = ports;
    expect(lag).toMatchObject({ kind: 'lag', operState: 'unknown' });
    expect(swp1).toMatchObject({
      kind: 'physical',
      adminState: 'up',
      operState: 'up',
      speedMbps: 10_000,
      mtu: 9000,
      description: 'worker-1 eno1',
      macAddress: '00:11:22:33:44:01',
      problem: null,
      carriesManagement: false,
    });
    expect(swp1?.switchport).toMatchObject({ mode: 'access', nativeVlan: 100 });
    expect(swp2).toMatchObject({ adminState: 'down', operState: 'down', speedMbps: null, mtu: 1500 });
    expect(swp2?.switchport.taggedVlans.toString()).toBe('1,10,20-25,4000-4003');
    expect(swp2?.switchport.nativeVlan).toBe(120);
    expect(swp3).toMatchObject({ lag: 'Port-channel3', problem: 'err-disabled', operState: 'down' });
    expect(swp10).toMatchObject({ carriesManagement: true });
    expect(swp10?.switchport.mode).toBe('routed');
  });

  it.each([
    ['a list cut off', RUNNING.replace(/interface swp10[\s\S]*/, '')],
    ['no ports', 'hostname tor1\nend\n'],
    ['nonsense in a list', RUNNING.replace('1,10,20-25', '1,10,20-')],
    ['a reversed range in a list', RUNNING.replace('20-25', '25-20')],
  ])('refuses an answer with %s instead of reading half of it', (_, text) => {
    expect(() => parsePorts(text, INTERFACES, '')).toThrow(DriverError);
  });

  it.each([
    [[], ['other', null, '', 'dynamic auto']],
    [['switchport mode dynamic desirable'], ['other', null, '', 'dynamic desirable']],
    [['switchport mode access'], ['access', 1, '', '']],
    [
      ['switchport access vlan 7', 'switchport mode access', 'switchport nonegotiate'],
      ['access', 7, '', ''],
    ],
    [['switchport mode trunk'], ['trunk', 1, '2-4094', '']],
    [
      ['switchport mode trunk', 'switchport trunk allowed vlan none'],
      ['trunk', null, '', ''],
    ],
    [
      ['switchport trunk allowed vlan 200', 'switchport mode trunk'],
      ['trunk', null, '200', ''],
    ],
    [
      ['switchport trunk native vlan 9', 'switchport trunk allowed vlan 9', 'switchport mode trunk'],
      ['trunk', 9, '', ''],
    ],
    [
      ['switchport trunk allowed vlan except 3-4094', 'switchport mode trunk'],
      ['trunk', 1, '2', ''],
    ],
    [
      ['switchport mode access', 'switchport voice vlan 20'],
      ['other', null, '', 'voice VLAN 20'],
    ],
    [
      ['switchport mode access', 'switchport private-vlan mapping 20 501'],
      ['other', null, '', 'switchport private-vlan mapping 20 501'],
    ],
    [['switchport mode dot1q-tunnel'], ['other', null, '', 'dot1q-tunnel']],
    [['no switchport'], ['routed', null, '', '']],
  ])('reads %j', (lines, expected) => {
    expect(shown(...lines)).toEqual(expected);
  });

  it('reads VLANs with the port lists left out', () => {
    const text = `
VLAN Name                             Status    Ports
---- -------------------------------- --------- -------------------------------
1    default                          active    swp1, swp2, swp3, swp4
                                                swp5, swp6
100  pk-100                           active    swp7
200  active                           act/lshut
1002 fddi-default                     act/unsup
`;
    expect(parseVlans(text)).toEqual([
      { id: 1, name: 'default' },
      { id: 100, name: 'pk-100' },
      { id: 200, name: 'active' },
      { id: 1002, name: 'fddi-default' },
    ]);
    expect(() => parseVlans('')).toThrow(DriverError);
  });

  it('reads who the switch is', () => {
    const text = `Cisco IOS Software, C3750E Software (C3750E-UNIVERSALK9-M), Version 15.2(4)E10, RELEASE SOFTWARE (fc2)
sw-1.example uptime is 1 week, 2 days, 3 hours, 4 minutes
System restarted at 10:00:00 UTC Mon Mar 1 2021
Base ethernet MAC Address       : 00:11:22:33:44:00
Model number                    : WS-C3750E-48PD
System serial number            : FDO1234X0AB
`;
    expect(parseVersion(text, 'sw-1')).toEqual({
      vendor: 'Cisco',
      model: 'WS-C3750E-48PD',
      version: '15.2(4)E10',
      serial: 'FDO1234X0AB',
      chassisId: '00:11:22:33:44:00',
      systemName: 'sw-1.example',
      bootId: '10:00:00 UTC Mon Mar 1 2021',
    });
    expect(() => parseVersion('% Invalid', 'x')).toThrow(DriverError);
  });

  it.each([
    ['12:00:01', '12:00:00', true],
    ['12:00:00', '12:00:01', false],
    ['12:00:00', '12:00:00', null],
  ])('compares the last change %s with the last save %s', (changed, saved, unsaved) => {
    const head = `! Last configuration change at ${changed} UTC Tue Dec 1 2026 by admin
! NVRAM config last updated at ${saved} UTC Tue Dec 1 2026
!`;
    expect(unsavedChanges(head)).toBe(unsaved);
    expect(unsavedChanges('hostname x')).toBeNull();
  });
});
