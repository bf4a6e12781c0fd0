import { describe, expect, it } from 'vitest';
import { parseLldpDetail } from '../../../drivers/text/lldp-detail.ts';

const block = (port: string, description = 'Linux\nsecond line', name = 'System Name: worker-1') => `
------------------------------------------------
Local Intf: ${port}
Chassis id: 0c42.a1de.0001
Port id: 0c42.a1de.0011
Port Description: eno1
${name}

System Description:
${description}

Time remaining: 95 seconds
System Capabilities: B,R,S
Enabled Capabilities: S,B
Management Addresses:
    IP: 192.0.2.9
    IPV6: 2001:db8::9
Auto Negotiation - supported, enabled
Vlan ID: - not advertised
`;
const total = (count: number) => `\n\nTotal entries displayed: ${count}\n`;

describe('parseLldpDetail', () => {
  it('reads what a neighbour says of itself', () => {
    const { neighbors, trusted } = parseLldpDetail(block('swp1') + block('swp2') + total(2));
    expect(trusted).toBe(true);
    expect(neighbors.map((n) => n.port)).toEqual(['swp1', 'swp2']);
    expect(neighbors[0]).toEqual({
      port: 'swp1',
      chassisId: { subtype: 'mac', value: '0c:42:a1:de:00:01' },
      portId: { subtype: 'mac', value: '0c:42:a1:de:00:11' },
      systemName: 'worker-1',
      systemDescription: 'Linux second line',
      portDescription: 'eno1',
      capabilities: ['bridge', 'station'],
      managementAddresses: ['192.0.2.9', '2001:db8::9'],
      ttlSeconds: 95,
    });
  });

  it('takes what is not advertised for empty', () => {
    const [neighbor] = parseLldpDetail(block('swp1', '', 'System Name - not advertised') + total(1)).neighbors;
    expect(neighbor).toMatchObject({ systemName: '', systemDescription: '' });
  });

  it('does not trust blocks that a neighbour made up in its description', () => {
    const forged = `x\n\nTime remaining: 9 seconds\n${block('swp9')}${total(2)}`;
    expect(parseLldpDetail(block('swp1', forged) + block('swp2') + total(2)).trusted).toBe(false);
  });

  it('makes text of a neighbour safe to show, and bounds it', () => {
    const [neighbor] = parseLldpDetail(
      block('swp1', `\u001b[31m${'x'.repeat(5000)}`, 'System Name: a\u0007\u202eb') + total(1),
    ).neighbors;
    expect(neighbor?.systemName).toBe('a\ufffd\ufffdb');
    expect(neighbor?.systemDescription.length).toBeLessThanOrEqual(255);
    expect(neighbor?.systemDescription).not.toContain('\u001b');
  });

  it('answers nothing for a switch without neighbours', () => {
    expect(parseLldpDetail(total(0))).toEqual({ neighbors: [], trusted: true });
    expect(parseLldpDetail('')).toEqual({ neighbors: [], trusted: true });
  });
});
