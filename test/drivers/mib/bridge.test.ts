import { describe, expect, it } from 'vitest';
import { readBridge } from '../../../drivers/mib/bridge.ts';
import { OID } from '../../../drivers/mib/oids.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { FlawedSnmp } from '../../support/snmp-switch.ts';
import { integer, octets } from '../../support/snmp-values.ts';

const port = (index: string, ifIndex: number) => integer(`${OID.dot1dBasePortIfIndex}.${index}`, ifIndex);

describe('the ports of a bridge', () => {
  it('lead to interfaces; several may lead to one', async () => {
    const bridge = await readBridge(
      new MemorySnmp([port('1', 513), port('2', 513), octets(`${OID.dot1dBaseBridgeAddress}.0`, [2, 0, 0, 0, 0, 9])]),
    );
    expect([...bridge.ports]).toEqual([
      [1, 513],
      [2, 513],
    ]);
    expect([bridge.address, bridge.incomplete]).toEqual(['02:00:00:00:00:09', null]);
  });

  it('are those with an interface: not bridge port 0, not ifIndex 0', async () => {
    const { ports } = await readBridge(new MemorySnmp([port('0', 5), port('3', 0), port('1.4', 7), port('70000', 8)]));
    expect([...ports]).toEqual([]);
  });

  it('come from IEEE8021-BRIDGE-MIB where there is no BRIDGE-MIB', async () => {
    const newer = (index: string, ifIndex: number) => integer(`${OID.ieee8021BridgeBasePortIfIndex}.${index}`, ifIndex);
    const only = await readBridge(new MemorySnmp([newer('1.7', 107), newer('2.8', 108)]));
    expect([...only.ports]).toEqual([[7, 107]]);
    const both = await readBridge(new MemorySnmp([newer('1.7', 107), port('9', 109)]));
    expect([...both.ports]).toEqual([[9, 109]]);
  });

  it('may be missing when the table is not whole', async () => {
    const session = new FlawedSnmp([port('1', 101)]);
    session.flaws.set(OID.dot1dBasePortIfIndex, 'timeout');
    expect((await readBridge(session)).incomplete).toBe('timeout');
  });

  it.each([
    ['text', octets(`${OID.dot1dBasePortIfIndex}.2`, 'bogus')],
    ['negative', port('2', -1)],
  ])('may be missing when a row leads nowhere: %s', async (_, row) => {
    const bridge = await readBridge(new MemorySnmp([port('1', 101), row]));
    expect([...bridge.ports]).toEqual([[1, 101]]);
    expect(bridge.incomplete).toContain('not an ifIndex');
  });
});
