import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../agent/model/report.ts';
import { pause } from '../../../drivers/model/clock.ts';
import { configured } from '../../../drivers/model/switchport.ts';
import { VlanSet } from '../../../drivers/model/vlan-set.ts';
import { FakeSwitch, freshPort } from '../../support/fake-switch.ts';
import { settled } from '../../support/test-clock.ts';
import { access, TestRack } from '../../support/test-rack.ts';

const PORTS = ['swp1', 'swp2', 'swp3', 'swp4', 'swp5', 'swp6'];
/** swp5 is protected, swp6 not managed; both start like this and must stay so. */
const FOREIGN = configured('trunk', 1, VlanSet.ALL);
const VLANS = [100, 200, 300];

const attachments = fc.array(
  fc.record({ port: fc.constantFrom(...PORTS), vlan: fc.constantFrom(...VLANS), network: fc.boolean() }),
  { maxLength: 4 },
);
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('publish' as const), publisher: fc.constantFrom('p', 'q'), attachments }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const), after: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('refuse' as const),
      port: fc.constantFrom(...PORTS),
      how: fc.constantFrom('rejected' as const, 'ignore' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hand' as const),
      port: fc.constantFrom('swp1', 'swp2', 'swp3', 'swp4'),
      vlan: fc.constantFrom(1, ...VLANS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dead' as const), dead: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reboot' as const) }) },
  // There and back again, the second time while the first is under way.
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('flip' as const),
      port: fc.constantFrom('swp1', 'swp2'),
      ms: fc.constantFrom(0, 400, 800, 1500),
    }),
  },
  // A slow switch: documents come while a batch is under way.
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('slow' as const), ms: fc.constantFrom(0, 700) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 90 }) }) },
);

/** Ports that somebody changed past the agent and that it has not read since: of these `applied` may be out of date. */
class Truth {
  readonly unseen = new Map<string, number>();
  readonly lies: string[] = [];

  constructor(readonly fake: FakeSwitch) {}

  check(result: ResultDocument): void {
    for (const [name, a] of Object.entries(result.attachments)) {
      if (a.state !== 'applied' || a.port === null) continue;
      if (this.unseen.has(a.port)) {
        if (this.fake.reads > (this.unseen.get(a.port) ?? 0)) this.unseen.delete(a.port);
        else continue;
      }
      const is = this.fake.ports.get(a.port);
      const said = a.readBack;
      if (
        is?.switchport.mode !== said?.mode ||
        is?.switchport.nativeVlan !== said?.nativeVLAN ||
        is?.adminState !== said?.adminState
      ) {
        this.lies.push(
          `revision ${result.revision} ${name}: said ${said?.mode} ${said?.nativeVLAN}, is ${is?.switchport.mode} ${is?.switchport.nativeVlan}`,
        );
      }
    }
  }
}

function documentOf(
  publisher: string,
  wishes: readonly { port: string; vlan: number; network: boolean }[],
): Record<string, unknown> {
  const byPort = new Map(wishes.map((a) => [a.port, a]));
  return Object.fromEntries(
    [...byPort.values()].map((a) => [
      `${publisher}-${a.port}`,
      a.network ? { port: { switchId: 'tor1', portId: a.port }, network: 'inspection' } : access(a.port, a.vlan),
    ]),
  );
}

describe('a rack, whatever happens', () => {
  it('never lies, never touches foreign ports, and converges to what is wanted when the faults are over', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 14 }), async (actions) => {
        const tor1 = new FakeSwitch(PORTS);
        for (const port of ['swp5', 'swp6']) tor1.ports.set(port, freshPort(port, { switchport: FOREIGN }));
        const rack = new TestRack({
          switches: { tor1 },
          switchConfig: { managedPorts: ['swp1-swp5'], protectedPorts: ['swp5'] },
        });
        const truth = new Truth(tor1);
        rack.onPublish = (report) => {
          if (report.kind === 'result') truth.check(report.document);
        };
        await rack.start();
        const wanted: Record<string, Record<string, unknown>> = { p: {}, q: {} };
        const revisions: Record<string, number> = { p: 0, q: 0 };
        const put = async (publisher: string, document: Record<string, unknown>) => {
          wanted[publisher] = document;
          revisions[publisher] = (revisions[publisher] ?? 0) + 1;
          await rack.publish(publisher, revisions[publisher] ?? 0, document);
        };
        for (const step of actions) {
          switch (step.kind) {
            case 'publish':
              await put(step.publisher, documentOf(step.publisher, step.attachments));
              break;
            case 'flip': {
              const to = (vlan: number) => ({
                ...wanted['p'],
                [`p-${step.port}`]: access(step.port, vlan),
                'p-swp3': access('swp3', vlan),
              });
              await put('p', to(100));
              await rack.clock.advance(3_000);
              await put('p', to(200));
              await rack.clock.advance(step.ms);
              await put('p', to(100));
              break;
            }
            case 'cut':
              tor1.fault.cutAfter = step.after;
              break;
            case 'refuse':
              tor1.fault.apply = (s) => (s.subject === step.port ? step.how : null);
              break;
            case 'hand':
              tor1.change(step.port, { switchport: configured('access', step.vlan) });
              truth.unseen.set(step.port, tor1.reads);
              break;
            case 'slow':
              tor1.beforeStep = () => (step.ms === 0 ? Promise.resolve() : pause(rack.clock, step.ms));
              break;
            case 'dead':
              tor1.fault.open = step.dead ? 'unreachable' : null;
              if (step.dead) tor1.cut();
              break;
            case 'reboot':
              tor1.identity = { ...tor1.identity, bootId: `${tor1.identity.bootId}+` };
              for (const port of ['swp1', 'swp2', 'swp3', 'swp4']) {
                tor1.change(port, { switchport: configured('access', 1) });
                truth.unseen.set(port, tor1.reads);
              }
              tor1.vlans.clear();
              tor1.vlans.set(1, 'default');
              tor1.cut();
              break;
            case 'wait':
              await rack.clock.advance(step.seconds * 1000);
              break;
          }
          await settled();
        }
        tor1.fault = {};
        tor1.beforeStep = () => Promise.resolve();
        await rack.clock.advance(1_300_000);
        expect(truth.lies).toEqual([]);
        expect(tor1.ports.get('swp5')?.switchport).toEqual(FOREIGN);
        expect(tor1.ports.get('swp6')?.switchport).toEqual(FOREIGN);
        expect(tor1.sent.filter((s) => s === 'port swp5' || s === 'port swp6')).toEqual([]);
        const holders = new Map<string, { nativeVLAN: number | null | undefined }>();
        for (const publisher of ['p', 'q']) {
          if (revisions[publisher] === 0) continue;
          const result = rack.result(publisher);
          expect(Object.keys(result.attachments).sort()).toEqual(Object.keys(wanted[publisher] ?? {}).sort());
          for (const [name, a] of Object.entries(result.attachments)) {
            expect(['applied', 'rejected']).toContain(a.state);
            if (a.state === 'applied') {
              const wish = wanted[publisher]?.[name] as { switchport?: { nativeVLAN: number } };
              expect(a.readBack?.nativeVLAN).toBe(wish.switchport?.nativeVLAN ?? 900);
              holders.set(a.port ?? '', { nativeVLAN: a.readBack?.nativeVLAN });
            } else {
              expect(['PortClaimed', 'PortProtected', 'PortNotManaged']).toContain(a.reason);
            }
          }
        }
        // What nobody holds is idle: every withdrawal has ended there.
        for (const port of ['swp1', 'swp2', 'swp3', 'swp4']) {
          expect(tor1.ports.get(port)?.switchport).toEqual(configured('access', holders.get(port)?.nativeVLAN ?? 4000));
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
