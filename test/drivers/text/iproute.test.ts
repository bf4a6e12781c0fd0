import { describe, expect, it } from 'vitest';
import { neighborMac, parseLinks, parseRoute } from '../../../drivers/text/iproute.ts';

describe('ip -j link show', () => {
  it('gives the devices that make sense', () => {
    const rows = [
      {
        ifindex: 3,
        link: 'h1',
        ifname: 'swp1',
        flags: ['BROADCAST', 'UP'],
        mtu: 9000,
        operstate: 'LOWERLAYERDOWN',
        address: 'AA:bb:cc:dd:ee:ff',
      },
      { ifindex: 4, link_index: 9, ifname: 'swp2', flags: [], mtu: 1500, operstate: 'NEWWORD', address: '0.0.0.0' },
      { ifindex: -1, ifname: 'bad', flags: [], mtu: 1 },
      { ifname: 7 },
      null,
    ];
    expect([...(parseLinks(JSON.stringify(rows))?.values() ?? [])]).toEqual([
      {
        name: 'swp1',
        ifIndex: 3,
        macAddress: 'aa:bb:cc:dd:ee:ff',
        mtu: 9000,
        adminUp: true,
        operState: 'lowerLayerDown',
        parent: 'h1',
      },
      { name: 'swp2', ifIndex: 4, macAddress: null, mtu: 1500, adminUp: false, operState: 'unknown', parent: null },
    ]);
    expect(parseLinks('Object "-j" is unknown')).toBeNull();
    expect(parseLinks('{}')).toBeNull();
  });
});

describe('the way to an address', () => {
  it('is the device and next hop, and that one’s MAC', () => {
    const direct = '[{"dst":"10.9.9.2","dev":"br0","prefsrc":"10.9.9.1","flags":[],"uid":0,"cache":[]}]';
    expect(parseRoute(direct)).toEqual({ device: 'br0', nextHop: '10.9.9.2' });
    expect(parseRoute('[{"dst":"10.1.1.1","gateway":"10.9.9.254","dev":"br0"}]')?.nextHop).toBe('10.9.9.254');
    expect(parseRoute('RTNETLINK answers: Network is unreachable')).toBeNull();
    const table =
      '[{"dst":"10.9.9.2","dev":"eth0","lladdr":"02:00:00:00:00:01"},{"dst":"10.9.9.2","dev":"br0","lladdr":"02:00:00:00:00:02"}]';
    expect(neighborMac(table, '10.9.9.2', 'br0')).toBe('02:00:00:00:00:02');
    expect(neighborMac(table, '10.9.9.3', 'br0')).toBeNull();
    expect(neighborMac('', '10.9.9.2', 'br0')).toBeNull();
  });
});
