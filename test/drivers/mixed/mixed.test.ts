import { describe, expect, it } from 'vitest';
import type { SwitchReading, SwitchSession } from '../../../drivers/driver.ts';
import { mixed, type Reader } from '../../../drivers/mixed/index.ts';
import type { PortState } from '../../../drivers/model/port.ts';
import { configured, switchport } from '../../../drivers/model/switchport.ts';
import { FakeSwitch } from '../../support/fake-switch.ts';
import { sshTarget } from '../../support/ssh-target.ts';
import { TestClock } from '../../support/test-clock.ts';

const TARGET = sshTarget({ address: { host: '127.0.0.1', port: 22 }, hostKeyFingerprint: '' });

/** A switch that is written one way and watched another, which calls ports by other names. */
async function start(change: (port: PortState) => Partial<PortState> = () => ({})) {
  const device = new FakeSwitch(['swp1', 'swp2', 'swp3']);
  const clock = new TestClock();
  const watched = (): SwitchReading => ({
    ports: [...device.ports.values()].map((port, i) => ({
      ...port,
      aliases: [port.name],
      name: `port ${i + 1}`,
      ifIndex: 100 + i,
      ...change(port),
    })),
    vlans: [...device.vlans].map(([id, name]) => ({ id, name })),
    unsaved: null,
  });
  const reader: Reader = {
    alive: true,
    identify: async () => device.identity,
    read: async () => watched(),
    neighbors: async () => device.neighbors.map((n) => ({ ...n, port: n.port.replace('swp', 'port ') })),
    linkStates: async () => [],
    close: async () => {},
  };
  const driver = mixed(device.driver, async () => reader);
  const session = await driver.open(TARGET, { clock, trace: () => {} });
  return { device, driver, session, clock, reader };
}

const portOf = (reading: SwitchReading, name: string) => reading.ports.find((p) => p.name === name);

async function move(session: SwitchSession, driver: ReturnType<typeof mixed>, vlan: number, name = 'swp1') {
  const from = portOf(await session.read(), name);
  if (!from) throw new Error('no port');
  const to = { switchport: switchport('access', vlan), adminState: 'up' as const, mtu: null, description: null };
  return session.apply(driver.render({ createVlans: [], ports: [{ from, to, bounce: false }], deleteVlans: [] }, {}));
}

describe('a switch that is watched over SNMP and written over SSH', () => {
  it('is read by its driver only when something changed, by whomever, or long ago', async () => {
    const { device, driver, session, clock } = await start();
    await session.read();
    await session.read();
    expect(device.reads).toBe(1);
    device.change('swp2', { operState: 'down' });
    expect(portOf(await session.read(), 'swp2')?.operState).toBe('down');
    expect(device.reads).toBe(1);
    device.change('swp2', { switchport: configured('access', 66) });
    expect(portOf(await session.read(), 'swp2')?.switchport).toEqual(configured('access', 66));
    expect(device.reads).toBe(2);
    await move(session, driver, 100);
    expect(portOf(await session.read(), 'swp1')?.switchport).toEqual(configured('access', 100));
    expect(device.reads).toBe(3);
    await clock.advance(601_000);
    await session.read();
    expect(device.reads).toBe(4);
  });

  it('has the driver’s names, and the numbers and neighbours of the other side', async () => {
    const { device, session } = await start();
    device.neighbors = [
      {
        port: 'swp2',
        chassisId: { subtype: 'mac', value: '02:00:00:00:00:09' },
        portId: { subtype: 'ifname', value: 'eno1' },
        systemName: 'worker-1',
        systemDescription: '',
        portDescription: '',
        capabilities: [],
        managementAddresses: [],
        ttlSeconds: null,
      },
    ];
    const { ports } = await session.read();
    expect(ports.map((p) => [p.name, p.ifIndex])).toEqual([
      ['swp1', 100],
      ['swp2', 101],
      ['swp3', 102],
    ]);
    expect((await session.neighbors()).map((n) => n.port)).toEqual(['swp2']);
  });

  it('does not write a port that it cannot tell on the other side', async () => {
    const { device, driver, session } = await start((port) => (port.name === 'swp3' ? { aliases: [] } : {}));
    const reading = await session.read();
    expect(portOf(reading, 'swp3')?.switchport).toMatchObject({
      mode: 'other',
      detail: expect.stringContaining('not told apart'),
    });
    const results = await move(session, driver, 100, 'swp3');
    expect(results.map((r) => r.error?.kind)).toEqual(['unsupported']);
    expect(device.ports.get('swp3')?.switchport).toEqual(configured('access', 1));
    expect((await move(session, driver, 100, 'swp2')).map((r) => r.error)).toEqual([null]);
  });

  it('is not one switch when the two sides say so', async () => {
    const { session, reader, device } = await start();
    expect(await session.identify()).toMatchObject({ serial: 'S1' });
    reader.identify = async () => ({ ...device.identity, serial: 'S2' });
    await expect(session.identify()).rejects.toMatchObject({ kind: 'host-key' });
  });

  it('leaves no session open when one side cannot be reached', async () => {
    const device = new FakeSwitch(['swp1']);
    const driver = mixed(device.driver, () => Promise.reject(new Error('no')));
    await expect(driver.open(TARGET, { clock: new TestClock(), trace: () => {} })).rejects.toThrow('no');
    expect(device.opens).toBe(1);
  });
});
