import { describe, expect, it } from 'vitest';
import { configured } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';
import { FakeSwitch } from '../../support/fake-switch.ts';
import { settled } from '../../support/test-clock.ts';
import { access, TestRack } from '../../support/test-rack.ts';

const PORTS = ['swp1', 'swp2', 'swp3', 'swp4'];

async function startRack(options: Partial<ConstructorParameters<typeof TestRack>[0]> = {}) {
  const tor1 = new FakeSwitch(PORTS);
  const rack = await new TestRack({ switches: { tor1 }, ...options }).start();
  return { rack, tor1 };
}

describe('a rack in mode manage', () => {
  it('puts every managed port without attachment into the idle network', async () => {
    const { tor1 } = await startRack();
    for (const port of PORTS) expect(tor1.ports.get(port)?.switchport).toEqual(configured('access', 4000));
    expect(tor1.vlans.get(4000)).toBe('pk-4000');
  });

  it('applies an intent, proves it and says so', async () => {
    const { rack, tor1 } = await startRack();
    const result = await rack.publish('ironic', 1, { 'w1/eno1': access('swp1', 100) });
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
    expect(result).toMatchObject({ revision: 1, state: 'applied', counts: { applied: 1 } });
    expect(result.attachments['w1/eno1']).toMatchObject({
      state: 'applied',
      switch: 'tor1',
      port: 'swp1',
      readBack: { mode: 'access', nativeVLAN: 100 },
    });
    expect(result.attachments['w1/eno1']?.changedAt).not.toBeNull();
  });

  it('says pending before it says applied, and never applied of a port that is not', async () => {
    const { rack, tor1 } = await startRack();
    tor1.beforeStep = async (step) => {
      await settled();
      const said = rack.results('ironic').at(-1)?.attachments['w1/eno1'];
      if (step.subject === 'swp1') expect(said?.state).toBe('pending');
    };
    await rack.publish('ironic', 1, { 'w1/eno1': access('swp1', 100) });
    await rack.quiet();
    await rack.publish('ironic', 2, { 'w1/eno1': access('swp1', 200) });
    await rack.quiet();
    await rack.publish('ironic', 3, { 'w1/eno1': access('swp1', 100) });
    await rack.quiet();
    const states = rack.results('ironic').map((r) => `${r.revision} ${r.attachments['w1/eno1']?.state}`);
    expect(states.filter((s, i) => s !== states[i - 1])).toEqual([
      '1 pending',
      '1 applied',
      '2 pending',
      '2 applied',
      '3 pending',
      '3 applied',
    ]);
  });

  it('does not take the old reading as proof when the wish returns to what it was while another change is under way', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    tor1.beforeStep = () => gate;
    await rack.publish('ironic', 2, { a: access('swp1', 200) });
    const back = await rack.publish('ironic', 3, { a: access('swp1', 100) });
    expect(back.attachments['a']?.state).toBe('pending');
    release();
    tor1.beforeStep = () => Promise.resolve();
    await rack.clock.advance(1);
    expect(rack.result('ironic').attachments['a']?.state).toBe('applied');
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
  });

  it('reads again before it calls a new document applied that needs no change', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    tor1.change('swp2', { switchport: configured('access', 666) });
    const result = await rack.publish('ironic', 2, {
      a: access('swp1', 100),
      b: { port: { switchId: 'tor1', portId: 'swp2' }, network: 'idle' },
    });
    expect(result.attachments['b']?.state).toBe('applied');
    expect(tor1.ports.get('swp2')?.switchport).toEqual(configured('access', 4000));
  });

  it('changes nothing when a port moves between networks that need the same switchport', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: { port: { switchId: 'tor1', portId: 'swp1' }, network: 'inspection' } });
    const before = tor1.sent.length;
    const result = await rack.publish('ironic', 2, {
      a: { port: { switchId: 'tor1', portId: 'swp1' }, network: 'cleaning' },
    });
    expect(tor1.sent.length).toBe(before);
    expect(result.attachments['a']?.state).toBe('applied');
  });

  it('returns a withdrawn port to idle and then forgets the attachment', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: access('swp1', 100), b: access('swp2', 100) });
    const result = await rack.publish('ironic', 2, { b: access('swp2', 100) });
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 4000));
    expect(Object.keys(result.attachments)).toEqual(['b']);
    expect(rack.results('ironic').some((r) => r.attachments['a']?.state === 'withdrawing')).toBe(true);
    expect(rack.happened('withdrawn')).toHaveLength(1);
  });

  it('accepts a withdrawal at once while the switch is dead, and carries it out when it is back', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    tor1.fault.open = 'unreachable';
    tor1.cut();
    await rack.clock.advance(31_000);
    expect(rack.result('ironic').attachments['a']).toMatchObject({ state: 'pending', reason: 'SwitchUnreachable' });
    const withdrawn = await rack.publish('ironic', 2, {});
    expect(withdrawn).toMatchObject({
      revision: 2,
      attachments: { a: { state: 'withdrawing', reason: 'SwitchUnreachable' } },
    });
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
    tor1.fault.open = null;
    await rack.clock.advance(61_000);
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 4000));
    expect(rack.result('ironic').attachments).toEqual({});
  });

  it('keeps one bad port from spoiling the others, puts it back, and tries again later', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.apply = (step) => (step.subject === 'swp2' ? 'rejected' : null);
    const result = await rack.publish('ironic', 1, {
      a: access('swp1', 100),
      b: access('swp2', 100),
      c: access('swp3', 100),
    });
    expect(result.state).toBe('failed');
    expect(result.attachments['a']?.state).toBe('applied');
    expect(result.attachments['c']?.state).toBe('applied');
    expect(result.attachments['b']).toMatchObject({ state: 'failed', reason: 'CommandRejected' });
    expect(tor1.ports.get('swp2')?.switchport).toEqual(configured('access', 4000));
    tor1.fault.apply = () => null;
    await rack.clock.advance(31_000);
    expect(rack.result('ironic').attachments['b']?.state).toBe('applied');
  });

  it('calls a change that the switch swallowed VerifyFailed', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.apply = (step) => (step.subject === 'swp1' ? 'ignore' : null);
    const result = await rack.publish('ironic', 1, { a: access('swp1', 100) });
    expect(result.attachments['a']).toMatchObject({ state: 'failed', reason: 'VerifyFailed' });
    expect(result.attachments['a']?.message).toContain('native VLAN is 4000, not 100');
  });

  it('converges after the session was lost in the middle of a batch', async () => {
    const { rack, tor1 } = await startRack();
    tor1.fault.cutAfter = 2;
    const result = await rack.publish('ironic', 1, {
      a: access('swp1', 100),
      b: access('swp2', 100),
      c: access('swp3', 100),
    });
    expect(result.state).toBe('applied');
    for (const port of ['swp1', 'swp2', 'swp3'])
      expect(tor1.ports.get(port)?.switchport).toEqual(configured('access', 100));
    expect(tor1.opens).toBe(2);
  });

  it('repairs drift and reports it', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    tor1.change('swp1', { switchport: configured('trunk', 1, VlanSet.ALL) });
    await rack.clock.advance(31_000);
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
    expect(rack.happened('drift')).toHaveLength(1);
    expect(rack.result('ironic').attachments['a']?.state).toBe('applied');
  });

  it('only reports drift when told so, until somebody asks for a reconcile', async () => {
    const { rack, tor1 } = await startRack({ config: { drift: 'report' } });
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    tor1.change('swp1', { switchport: configured('access', 200) });
    await rack.clock.advance(31_000);
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 200));
    expect(rack.result('ironic').attachments['a']).toMatchObject({ state: 'failed', reason: 'DriftReported' });
    const round = rack.rack.request('tor1', { read: true, repair: true });
    await rack.clock.advance(1);
    await round;
    expect(rack.result('ironic').attachments['a']?.state).toBe('applied');
  });

  it('finds and repairs a VLAN that leaks untagged besides the wanted one', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    tor1.change('swp1', { switchport: configured('access', 100, VlanSet.EMPTY, VlanSet.of(200)) });
    await rack.clock.advance(31_000);
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
  });

  it('removes only VLANs that it made, when nothing uses them', async () => {
    const { rack, tor1 } = await startRack();
    tor1.vlans.set(300, 'pk-300');
    tor1.vlans.set(301, 'storage');
    await rack.publish('ironic', 1, { a: access('swp1', 100), b: access('swp2', 301) });
    expect(tor1.vlans.get(100)).toBe('pk-100');
    await rack.publish('ironic', 2, {});
    expect([...tor1.vlans.keys()].sort()).toEqual([1, 300, 301, 4000]);
  });

  it('leaves a VLAN alone that somebody renamed: it is theirs now', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    tor1.vlans.set(100, 'tenant-a');
    await rack.clock.advance(31_000);
    await rack.publish('ironic', 2, {});
    expect(tor1.vlans.get(100)).toBe('tenant-a');
  });

  it('puts MTU and description back to what the port had before', async () => {
    const { rack, tor1 } = await startRack();
    tor1.change('swp1', { mtu: 2000, description: 'rack note' });
    await rack.clock.advance(31_000);
    await rack.publish('ironic', 1, {
      a: { ...access('swp1', 100), switchport: { mode: 'access', nativeVLAN: 100, mtu: 9000 }, description: 'w1 eno1' },
    });
    expect(tor1.ports.get('swp1')).toMatchObject({ mtu: 9000, description: 'w1 eno1' });
    await rack.publish('ironic', 2, {});
    expect(tor1.ports.get('swp1')).toMatchObject({ mtu: 2000, description: 'rack note' });
    tor1.change('swp1', { description: 'changed later' });
    await rack.clock.advance(31_000);
    expect(tor1.ports.get('swp1')?.description).toBe('changed later');
  });

  it('saves once after a batch, and again after a failed save', async () => {
    const { rack, tor1 } = await startRack();
    await rack.clock.advance(1_000);
    const before = tor1.saves;
    await rack.publish('ironic', 1, { a: access('swp1', 100), b: access('swp2', 100) });
    await rack.publish('ironic', 2, { a: access('swp1', 200), b: access('swp2', 100) });
    expect(tor1.saves).toBe(before);
    await rack.clock.advance(1_000);
    expect(tor1.saves).toBe(before + 1);
    tor1.fault.save = 'rejected';
    await rack.publish('ironic', 3, { a: access('swp1', 100) });
    await rack.clock.advance(1_000);
    const agent = () => rack.published.filter((r) => r.kind === 'agent').at(-1)?.document;
    expect(agent()).toMatchObject({ switches: { tor1: { notPersisted: true } } });
    tor1.fault.save = null;
    await rack.clock.advance(121_000);
    expect(agent()).toMatchObject({ switches: { tor1: { notPersisted: false } } });
  });

  it('re-converges a switch that rebooted and lost its configuration', async () => {
    const { rack, tor1 } = await startRack({ config: { drift: 'report' } });
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    tor1.change('swp1', { switchport: configured('trunk', 1, VlanSet.ALL) });
    tor1.vlans.delete(100);
    tor1.identity = { ...tor1.identity, bootId: 'b2' };
    tor1.cut();
    await rack.clock.advance(31_000);
    expect(rack.happened('switch-rebooted')).toHaveLength(1);
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
    expect(rack.result('ironic').attachments['a']?.state).toBe('applied');
  });

  it('writes nothing to another switch at the same address until it is accepted', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    tor1.identity = { ...tor1.identity, serial: 'S2' };
    tor1.change('swp1', { switchport: configured('access', 1) });
    tor1.cut();
    await rack.clock.advance(31_000);
    expect(rack.result('ironic').attachments['a']).toMatchObject({ state: 'held', reason: 'SwitchChanged' });
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 1));
    const accepted = rack.rack.acceptSwitch('tor1');
    await rack.clock.advance(1);
    await accepted;
    await rack.clock.advance(1);
    expect(rack.result('ironic').attachments['a']?.state).toBe('applied');
  });

  it('tells the truth while the store cannot be written, and goes on when it can', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    rack.store.failing = true;
    await expect(rack.publish('ironic', 2, { a: access('swp1', 200) })).rejects.toThrow('no space left');
    expect(rack.result('ironic')).toMatchObject({ revision: 1, attachments: { a: { state: 'applied' } } });
    tor1.change('swp1', { switchport: configured('access', 300) });
    await rack.clock.advance(31_000);
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
    rack.store.failing = false;
    expect((await rack.publish('ironic', 2, { a: access('swp1', 200) })).state).toBe('applied');
  });

  it('does not hammer a refused login', async () => {
    const { rack, tor1 } = await startRack();
    let attempts = 0;
    tor1.cut();
    tor1.refuseLogin = () => attempts++;
    await rack.clock.advance(600_000);
    expect(attempts).toBeGreaterThan(1);
    expect(attempts).toBeLessThan(10);
  });
});

describe('policy', () => {
  it('never writes unmanaged and protected ports', async () => {
    const { rack, tor1 } = await startRack({ switchConfig: { managedPorts: ['swp1-swp3'], protectedPorts: ['swp3'] } });
    const result = await rack.publish('ironic', 1, {
      a: access('swp3', 100),
      b: access('swp4', 100),
      c: access('swp9', 100),
      d: access('swp1', 100, {}, 'nowhere'),
    });
    expect(result.attachments['a']).toMatchObject({ state: 'rejected', reason: 'PortProtected' });
    expect(result.attachments['b']).toMatchObject({ state: 'rejected', reason: 'PortNotManaged' });
    expect(result.attachments['c']).toMatchObject({ state: 'rejected', reason: 'PortUnknown' });
    expect(result.attachments['d']).toMatchObject({ state: 'rejected', reason: 'SwitchUnknown' });
    expect(tor1.ports.get('swp3')?.switchport).toEqual(configured('access', 1));
    expect(tor1.ports.get('swp4')?.switchport).toEqual(configured('access', 1));
  });

  it('keeps unset, empty and list apart for publishers, ports, VLANs and networks', async () => {
    const tor = (publishers: unknown) => startRack({ config: { publishers } });
    const one = { a: access('swp1', 100) };
    expect((await (await tor({})).rack.publish('x', 1, one)).reason).toBe('PublisherNotAllowed');
    expect((await (await tor({ x: {} })).rack.publish('x', 1, one)).state).toBe('applied');
    expect((await (await tor({ x: { vlans: [] } })).rack.publish('x', 1, one)).attachments['a']?.reason).toBe(
      'VlanNotAllowed',
    );
    expect((await (await tor({ x: { vlans: ['90-110'] } })).rack.publish('x', 1, one)).state).toBe('applied');
    expect((await (await tor({ x: { ports: {} } })).rack.publish('x', 1, one)).attachments['a']?.reason).toBe(
      'PortNotAllowed',
    );
    expect((await (await tor({ x: { ports: { tor1: ['swp1'] } } })).rack.publish('x', 1, one)).state).toBe('applied');
    const net = { a: { port: { switchId: 'tor1', portId: 'swp1' }, network: 'inspection' } };
    expect((await (await tor({ x: { networks: [] } })).rack.publish('x', 1, net)).attachments['a']?.reason).toBe(
      'NetworkNotAllowed',
    );
    expect((await (await tor({ x: { networks: ['inspection'] } })).rack.publish('x', 1, net)).state).toBe('applied');
  });

  it('puts a port whose attachment is refused into idle: nobody may keep what nobody asks for', async () => {
    const { rack, tor1 } = await startRack({ config: { publishers: { x: { vlans: [100] } } } });
    await rack.publish('x', 1, { a: access('swp1', 100) });
    const result = await rack.publish('x', 2, { a: access('swp1', 200) });
    expect(result.attachments['a']).toMatchObject({ state: 'rejected', reason: 'VlanNotAllowed' });
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 4000));
  });

  it('never lets a port carry a provider network together with a tenant', async () => {
    const { rack } = await startRack();
    const mixed = {
      port: { switchId: 'tor1', portId: 'swp1' },
      switchport: { mode: 'trunk', nativeVLAN: 900, allowedVLANs: [100] },
    };
    expect((await rack.publish('x', 1, { a: mixed })).attachments['a']).toMatchObject({
      state: 'rejected',
      reason: 'VlanNotAllowed',
    });
  });

  it('uses the switchport of an unknown network only when told so', async () => {
    const wish = { a: { ...access('swp1', 100), network: 'provisioning' } };
    expect((await (await startRack()).rack.publish('x', 1, wish)).attachments['a']?.reason).toBe('NetworkUnknown');
    const { rack } = await startRack({ config: { unknownNetwork: 'useSwitchport' } });
    expect((await rack.publish('x', 1, wish)).state).toBe('applied');
  });

  it('gives a port to who had it first, and to the next when it is free', async () => {
    const { rack, tor1 } = await startRack();
    await rack.publish('zeta', 1, { z: access('swp1', 100) });
    expect((await rack.publish('alpha', 1, { a: access('swp1', 200) })).attachments['a']).toMatchObject({
      state: 'rejected',
      reason: 'PortClaimed',
    });
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 100));
    await rack.publish('zeta', 2, {});
    expect(rack.result('alpha').attachments['a']?.state).toBe('applied');
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 200));
  });

  it('protects a port on which a bridge was seen before it was ever configured, and only then', async () => {
    const tor1 = new FakeSwitch(PORTS);
    const bridge = {
      port: 'swp2',
      chassisId: { subtype: 'mac' as const, value: '02:00:00:00:00:99' },
      portId: { subtype: 'ifname' as const, value: 'Eth1' },
      systemName: 'spine1',
      systemDescription: '',
      portDescription: '',
      capabilities: ['bridge'],
      managementAddresses: [],
      ttlSeconds: 120,
    };
    tor1.neighbors = [bridge];
    const rack = await new TestRack({ switches: { tor1 } }).start();
    expect(tor1.ports.get('swp2')?.switchport).toEqual(configured('access', 1));
    expect(
      (await rack.publish('x', 1, { a: access('swp2', 100), b: access('swp1', 100) })).attachments['a'],
    ).toMatchObject({ reason: 'PortProtected' });
    tor1.neighbors = [bridge, { ...bridge, port: 'swp1', systemName: 'liar' }];
    await rack.clock.advance(31_000);
    expect(rack.result('x').attachments['b']?.state).toBe('applied');
    await rack.publish('x', 2, {});
    expect(tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 4000));
  });

  it('warns of a wrong neighbour, or keeps the tenant off the port', async () => {
    const seen = {
      port: 'swp1',
      chassisId: { subtype: 'mac' as const, value: '02:00:00:00:aa:07' },
      portId: { subtype: 'ifname' as const, value: 'eno2' },
      systemName: 'worker-7',
      systemDescription: '',
      portDescription: '',
      capabilities: ['station'],
      managementAddresses: [],
      ttlSeconds: 120,
    };
    const wish = { a: access('swp1', 100, { expectedNeighbor: { systemName: 'worker-1' } }) };
    const warn = await startRack();
    warn.tor1.neighbors = [seen];
    await warn.rack.clock.advance(31_000);
    expect((await warn.rack.publish('x', 1, wish)).attachments['a']).toMatchObject({
      state: 'applied',
      reason: 'NeighborMismatch',
    });
    const hold = await startRack({ config: { cablingGuard: 'hold' } });
    hold.tor1.neighbors = [seen];
    await hold.rack.clock.advance(31_000);
    expect((await hold.rack.publish('x', 1, wish)).attachments['a']).toMatchObject({
      state: 'held',
      reason: 'NeighborMismatch',
    });
    expect(hold.tor1.ports.get('swp1')?.switchport).toEqual(configured('access', 4000));
    await hold.rack.clock.advance(120_000);
    expect(warn.rack.happened('neighbor-mismatch')).toHaveLength(1);
    expect(hold.rack.happened('held')).toMatchObject([{ port: 'swp1', publisher: 'x', attachment: 'a' }]);
  });

  it('answers Unsupported for a LAG and for what the driver cannot do, before the port is touched', async () => {
    const { rack, tor1 } = await startRack();
    const before = tor1.sent.length;
    const lag = {
      lag: { name: 'b', aggregationMode: 'lacp', members: [{ switchId: 'tor1', portId: 'swp1' }] },
      switchport: { mode: 'access', nativeVLAN: 100 },
    };
    const result = await rack.publish('x', 1, {
      l: lag,
      m: { port: { switchId: 'tor1', portId: 'swp2' }, switchport: { mode: 'access', nativeVLAN: 100, mtu: 64000 } },
    });
    expect(result.attachments['l']).toMatchObject({ state: 'rejected', reason: 'Unsupported' });
    expect(result.attachments['m']).toMatchObject({ state: 'rejected', reason: 'Unsupported' });
    expect(tor1.sent.length).toBe(before);
  });
});

describe('mode observe', () => {
  it('reports and plans but never writes', async () => {
    const { rack, tor1 } = await startRack({ config: { mode: 'observe' } });
    const result = await rack.publish('x', 1, { a: access('swp1', 100), b: access('swp2', 1) });
    expect(result.attachments['a']).toMatchObject({ state: 'pending', reason: 'ObserveOnly' });
    expect(result.attachments['b']?.state).toBe('applied');
    await rack.clock.advance(120_000);
    expect(tor1.sent).toEqual([]);
    expect(tor1.saves).toBe(0);
  });
});
