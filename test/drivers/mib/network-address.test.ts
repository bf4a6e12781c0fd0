import { describe, expect, it } from 'vitest';
import { managementAddress, networkAddress } from '../../../drivers/mib/network-address.ts';

const ascii = (text: string) => [...Buffer.from(text)];
const V6 = [0x2a, 2, 0xd4, 0x80, 4, 0x80, 0xee, 0, 0, 0, 0, 0, 0, 0, 0, 6];

describe('managementAddress', () => {
  it.each([
    ['IPv4 with its length', [1, 4, 192, 168, 168, 1], '192.168.168.1'],
    ['IPv4 without', [1, 192, 168, 168, 1], '192.168.168.1'],
    ['IPv4 without length that begins like one', [1, 3, 1, 2, 3], '3.1.2.3'],
    ['IPv4 with a zero too many', [1, 5, 172, 16, 251, 3, 0], '172.16.251.3'],
    ['IPv4 as text', [1, 10, ...ascii('172.17.0.8')], '172.17.0.8'],
    ['IPv6 with its length', [2, 16, ...V6], '2a02:d480:480:ee00::6'],
    ['IPv6 without', [2, ...V6], '2a02:d480:480:ee00::6'],
    ['a MAC address', [6, 6, 0x90, 0x20, 0xc2, 6, 0x84, 0x80], '90:20:c2:06:84:80'],
    ['a MAC address without length', [6, 0x90, 0x20, 0xc2, 6, 0x84, 0x80], '90:20:c2:06:84:80'],
  ])('reads %s', (_, index, address) => {
    expect(managementAddress(index)).toBe(address);
  });

  it.each([
    ['no address', [1, 4, 0, 0, 0, 0]],
    ['nothing', []],
    ['a subtype alone', [1]],
    ['another family', [16, 3, 1, 2, 3]],
    ['numbers that are no octets', [1, 4, 256, 1, 1, 1]],
    ['too few octets', [1, 2, 10, 0]],
    ['text that is no address', [1, 9, ...ascii('not-an-ip')]],
    ['a very long index', [1, ...Array<number>(200).fill(1)]],
    ['half a MAC address', [6, 3, 1, 2, 3]],
  ])('takes %s for none', (_, index) => {
    expect(managementAddress(index)).toBeNull();
  });
});

describe('networkAddress', () => {
  it('takes no scope and no name', () => {
    expect(networkAddress(Uint8Array.from(ascii('fe80::1%eth0')))).toBeNull();
    expect(networkAddress(Uint8Array.from(ascii('example.org')))).toBeNull();
  });
});
