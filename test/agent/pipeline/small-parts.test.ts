import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../agent/config/schema.ts';
import { backoffMs } from '../../../agent/pipeline/backoff.ts';
import { EventLog } from '../../../agent/pipeline/event-log.ts';
import { type Fabric, type FabricSwitch, resolvePort, resolveSwitch } from '../../../agent/pipeline/fabric.ts';
import { fallbackFor } from '../../../agent/pipeline/fallback.ts';
import { Health } from '../../../agent/pipeline/health.ts';
import { checkNeighbor } from '../../../agent/pipeline/neighbor-guard.ts';
import { Numbers } from '../../../agent/pipeline/numbers.ts';
import { answerRequest, parseRequest } from '../../../agent/pipeline/requests.ts';
import { identityChange } from '../../../agent/pipeline/switch-link.ts';
import { configured, switchport } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';
import { FakeSwitch, freshPort } from '../../support/fake-switch.ts';
import { TestClock } from '../../support/test-clock.ts';
import { access, TestRack } from '../../support/test-rack.ts';

const fake = new FakeSwitch(['swp1']);

function config(extra: Record<string, unknown> = {}) {
  return configSchema.parse({
    rack: 'r1',
    mqtt: { url: 'mqtt://127.0.0.1' },
    switches: { tor1: { driver: 'fake', host: 'h', username: 'u' } },
    networks: { idle: { nativeVLAN: 4000 }, inspection: { nativeVLAN: 900 } },
    publishers: { p: { vlans: ['100-199'] } },
    ...extra,
  });
}

describe('fallbackFor', () => {
  const to = { switchport: switchport('access', 150), adminState: 'up', mtu: null, description: null } as const;
  const base = { config: config(), driver: fake.driver, options: {}, owner: 'p/a', formerOwner: undefined };
  const from = (port: Parameters<typeof freshPort>[1]) => freshPort('swp1', port);
  const change = (port: Parameters<typeof freshPort>[1]) => ({ from: from(port), to, bounce: false });
  const vlanOf = (c: ReturnType<typeof fallbackFor>) => `${c.adminState} ${c.switchport.nativeVlan}`;

  it('puts a port back as it was when nobody else had it and it carries only what its publisher may use', () => {
    const was = { switchport: configured('access', 120) };
    expect(vlanOf(fallbackFor(change(was), from(was), base))).toBe('up 120');
    expect(vlanOf(fallbackFor(change(was), from(was), { ...base, formerOwner: 'p/a' }))).toBe('up 120');
    const provider = { switchport: configured('access', 900) };
    expect(vlanOf(fallbackFor(change(provider), from(provider), base))).toBe('up 900');
  });

  it.each([
    ['a former tenant had it', { switchport: configured('access', 120) }, { formerOwner: 'q/b' }],
    ['it was withdrawn', { switchport: configured('access', 120) }, { owner: null }],
    ['it carried a VLAN beyond policy', { switchport: configured('access', 300) }, {}],
    ['it was open for all', { switchport: configured('trunk', 1, VlanSet.ALL) }, {}],
    ['it mixed provider and tenant', { switchport: configured('trunk', 900, VlanSet.of(120)) }, {}],
    ['it leaked untagged', { switchport: configured('access', 120, VlanSet.EMPTY, VlanSet.of(121)) }, {}],
    ['no intent could ask for it', { switchport: configured('routed', null) }, {}],
  ])('puts it into the idle network when %s', (_, was, more) => {
    expect(vlanOf(fallbackFor(change(was), from(was), { ...base, ...more }))).toBe('up 4000');
  });

  it('shuts the port when there is no idle network, or that is what just failed', () => {
    const was = { switchport: configured('trunk', 1, VlanSet.ALL) };
    expect(fallbackFor(change(was), from(was), { ...base, config: config({ networks: {} }) }).adminState).toBe('down');
    const idle = { switchport: switchport('access', 4000), adminState: 'up', mtu: null, description: null } as const;
    expect(
      fallbackFor({ from: from(was), to: idle, bounce: false }, from(was), { ...base, owner: null }).adminState,
    ).toBe('down');
  });
});

describe('resolving names', () => {
  const entry = (name: string, chassisId: string | null, systemName: string): FabricSwitch => ({
    name,
    config: config().switches['tor1'] as FabricSwitch['config'],
    driver: fake.driver,
    identity: chassisId === null ? null : { chassisId, systemName },
    ports: chassisId === null ? null : [freshPort('Ethernet1', { aliases: ['Et1'] }), freshPort('Ethernet10')],
    uplinks: new Map(),
  });
  const rack = (...list: FabricSwitch[]): Fabric => new Map(list.map((s) => [s.name, s]));

  it('finds a switch by name, chassis MAC in any notation and system name, and never guesses', () => {
    const fabric = rack(entry('tor1', '02:00:00:00:00:01', 'leaf-a'), entry('tor2', '02:00:00:00:00:02', 'leaf-b'));
    for (const id of ['tor1', 'TOR1', '02:00:00:00:00:01', '0200.0000.0001', '02-00-00-00-00-01', 'LEAF-A']) {
      expect(resolveSwitch(id, fabric)).toMatchObject({ found: { name: 'tor1' } });
    }
    expect(resolveSwitch('leaf-c', fabric)).toMatchObject({ refusal: { reason: 'SwitchUnknown' } });
    const twins = rack(entry('tor1', '02:00:00:00:00:01', 'leaf'), entry('tor2', '02:00:00:00:00:02', 'leaf'));
    expect(resolveSwitch('leaf', twins)).toMatchObject({ refusal: { reason: 'SwitchUnknown' } });
  });

  it('waits with its answer while a switch that might be meant has not answered', () => {
    expect(resolveSwitch('leaf-a', rack(entry('tor1', null, '')))).toHaveProperty('unresolved');
    expect(resolvePort({ switchId: 'tor1', portId: 'Ethernet1' }, entry('tor1', null, ''))).toHaveProperty(
      'unresolved',
    );
  });

  it('finds a port by long and short name, and not by half a name', () => {
    const on = entry('tor1', '02:00:00:00:00:01', 'leaf-a');
    expect(resolvePort({ switchId: 'tor1', portId: 'et1' }, on)).toMatchObject({ found: { name: 'Ethernet1' } });
    expect(resolvePort({ switchId: 'tor1', portId: 'Ethernet' }, on)).toMatchObject({
      refusal: { reason: 'PortUnknown' },
    });
  });
});

describe('checkNeighbor', () => {
  const seen = {
    port: 'swp1',
    chassisId: { subtype: 'mac' as const, value: '02:00:00:00:aa:01' },
    portId: { subtype: 'mac' as const, value: '02:00:00:00:aa:02' },
    systemName: 'worker-1',
    systemDescription: '',
    portDescription: 'eno1',
    capabilities: [],
    managementAddresses: [],
    ttlSeconds: null,
  };

  it.each([
    [{ macAddress: '0200.0000.AA02' }],
    [{ macAddress: '02-00-00-00-aa-01' }],
    [{ chassisId: '02:00:00:00:AA:01', systemName: 'WORKER-1' }],
    [{ portId: 'eno1' }],
  ])('accepts %j', (expected) => {
    expect(
      checkNeighbor(expected, [{ ...seen, systemName: 'other', chassisId: { subtype: 'local', value: 'x' } }, seen]),
    ).toBeNull();
  });

  it('takes silence for no proof of a wrong cable', () => {
    expect(checkNeighbor({ systemName: 'worker-1' }, [])).toBeNull();
  });

  it('says whom it expected and whom it sees; every key given must fit', () => {
    expect(checkNeighbor({ systemName: 'worker-1', portId: 'eno2' }, [seen])).toBe(
      'expected worker-1 eno2, see worker-1 02:00:00:00:aa:02',
    );
  });
});

describe('numbers, events, health, back-off', () => {
  it('never gives a number twice, also when the process ends at any moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { maxLength: 8 }), async (lives) => {
        let stored = 0;
        const given = new Set<number>();
        for (const count of lives) {
          const numbers = new Numbers(stored, 4, async (ceiling) => {
            stored = ceiling;
          });
          for (let i = 0; i < count; i++) {
            const number = await numbers.take();
            expect(given.has(number)).toBe(false);
            given.add(number);
          }
        }
      }),
    );
    const failing = new Numbers(0, 4, () => Promise.reject(new Error('disk full')));
    await expect(failing.take()).rejects.toThrow('disk full');
  });

  it('numbers events over restarts, bounds and cleans them', () => {
    let ceiling = 0;
    const open = (history: ReturnType<EventLog['recent']>) =>
      new EventLog('r1', new TestClock(), ceiling, history, (c) => {
        ceiling = c;
      });
    const first = open([]);
    for (let i = 0; i < 600; i++) first.add('drift', `bad \u001b[2J${'x'.repeat(2000)}`);
    const kept = first.recent(1000);
    expect(kept.length).toBe(512);
    expect(kept.every((e) => e.message.length <= 500 && !e.message.includes('\u001b'))).toBe(true);
    const second = open(kept);
    second.add('drift', 'next');
    expect(second.after(kept.at(-1)?.sequence ?? 0)).toHaveLength(1);
  });

  it('keeps the time at which a health item came up, worst first', () => {
    const clock = new TestClock();
    const health = new Health(clock);
    health.set('b', 'warning', 'first', 'fix');
    clock.jump(60_000);
    health.set('b', 'warning', 'second', 'fix');
    health.set('a', 'error', 'x', 'fix');
    expect(health.items.map((i) => `${i.code} ${i.message} ${i.since.slice(11, 16)}`)).toEqual([
      'a x 00:01',
      'b second 00:00',
    ]);
    health.clear('a');
    expect(health.items).toHaveLength(1);
  });

  it('backs off within its bounds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, random) => {
          const ms = backoffMs(attempt, 1000, 60_000, () => random);
          expect(ms).toBeGreaterThanOrEqual(500);
          expect(ms).toBeLessThanOrEqual(60_000);
        },
      ),
    );
  });

  it('tells another switch by serial number or chassis ID, and not by what is not told', () => {
    const known = { serial: 'S1', chassisId: null, systemName: 'a', bootId: 'b' };
    const now = { ...fake.identity, serial: 'S1', chassisId: '02:00:00:00:00:09' };
    expect(identityChange(null, now)).toBeNull();
    expect(identityChange(known, now)).toBeNull();
    expect(identityChange(known, { ...now, serial: null })).toBeNull();
    expect(identityChange(known, { ...now, serial: 'S2' })).toMatchObject({ reason: 'SwitchChanged' });
  });
});

describe('requests', () => {
  it('salvages where to answer from a request that is wrong otherwise', () => {
    expect(parseRequest({ command: 'dance', requestId: 'r', responseTopic: 'a/b' })).toMatchObject({
      command: null,
      requestId: 'r',
      responseTopic: 'a/b',
    });
    expect(parseRequest({ command: 'ping', responseTopic: 'a/#' })).toMatchObject({
      command: null,
      responseTopic: null,
    });
    expect(parseRequest('ping')).toMatchObject({ command: null, requestId: null });
  });

  it('plans a document without storing or sending anything', async () => {
    const tor1 = new FakeSwitch(['swp1', 'swp2']);
    const rack = await new TestRack({ switches: { tor1 } }).start();
    const before = { sent: tor1.sent.length, state: rack.store.value };
    const ask = (command: unknown) =>
      answerRequest(parseRequest(command), {
        rack: 'r1',
        input: () => rack.rack.input,
        inputWith: (p, d) => rack.rack.inputWith(p, d),
        request: (n, r) => rack.rack.request(n, r),
      });
    const answer = await ask({
      command: 'plan',
      publisher: 'p',
      document: { revision: 1, attachments: { a: access('swp1', 100) } },
    });
    expect(answer).toMatchObject({
      ok: true,
      plan: { writes: true, createVLANs: [{ id: 100 }], changes: [{ port: 'swp1', for: 'p/a' }] },
    });
    expect(await ask({ command: 'plan', document: { revision: 1, attachments: {} } })).toMatchObject({
      ok: false,
      errors: [{ path: 'publisher' }],
    });
    expect(await ask({ command: 'plan' })).toMatchObject({ ok: true, plan: { changes: [] } });
    expect({ sent: tor1.sent.length, state: rack.store.value }).toEqual(before);
  });
});
