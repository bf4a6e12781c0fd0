import { describe, expect, it } from 'vitest';
import type { PortOutcome } from '../../../agent/pipeline/batch.ts';
import { afterBatch, afterReading, type LeftHalf } from '../../../agent/pipeline/left-half.ts';
import { type ConfiguredSwitchport, configured } from '../../../drivers/model/switchport.ts';
import { FakeSwitch, freshPort } from '../../support/fake-switch.ts';
import { access, TestRack } from '../../support/test-rack.ts';

const reading = (switchport: ConfiguredSwitchport) => ({
  ports: [freshPort('swp1', { switchport })],
  vlans: [],
  unsaved: null,
});
const outcome = (failed: boolean, broughtBack: boolean): PortOutcome => ({
  port: 'swp1',
  failure: failed ? { reason: 'CommandRejected', message: 'no' } : null,
  transcript: [],
  broughtBack,
});
const HALF = configured('trunk', 120);

describe('a port that was left half changed', () => {
  const left = afterBatch(new Map(), [outcome(true, false)], reading(HALF));

  it('stays so when another attempt leaves it as it was before that attempt', () => {
    expect([...left.keys()]).toEqual(['swp1']);
    expect([...afterBatch(left, [outcome(true, true)], reading(HALF)).keys()]).toEqual(['swp1']);
    expect([...afterReading(left, reading(HALF)).keys()]).toEqual(['swp1']);
  });

  it('is whole when it is as wanted, parked, changed by somebody, or gone', () => {
    const parked = configured('access', 4000);
    const ends: LeftHalf[] = [
      afterBatch(left, [outcome(false, true)], reading(HALF)),
      afterBatch(left, [outcome(true, true)], reading(parked)),
      afterReading(left, reading(parked)),
      afterReading(left, { ports: [], vlans: [], unsaved: null }),
      afterBatch(left, [outcome(true, false)], { ports: [], vlans: [], unsaved: null }),
    ];
    expect(ends.map((half) => half.size)).toEqual([0, 0, 0, 0, 0]);
  });

  it('keeps the switch from being saved, through later attempts and documents, until it is whole', async () => {
    const tor1 = new FakeSwitch(['swp1', 'swp2']);
    const rack = await new TestRack({ switches: { tor1 } }).start();
    await rack.publish('ironic', 1, { a: access('swp1', 100) });
    await rack.clock.advance(5_000);
    const saves = tor1.saves;
    // The first command empties the port, and nothing else works on it.
    let emptied = false;
    tor1.fault.apply = (step) => {
      if (step.subject !== 'swp1') return null;
      if (!emptied) tor1.change('swp1', { switchport: HALF });
      emptied = true;
      return 'rejected';
    };
    for (const [revision, vlan] of [
      [2, 200],
      [3, 300],
    ] as const) {
      await rack.publish('ironic', revision, { a: access('swp1', vlan), b: access('swp2', vlan) });
      await rack.clock.advance(120_000);
      expect(rack.result('ironic').attachments['b']?.state).toBe('applied');
      expect(tor1.saves).toBe(saves);
    }
    tor1.fault.apply = () => null;
    await rack.clock.advance(1_200_000);
    expect(rack.result('ironic').state).toBe('applied');
    expect(tor1.saves).toBe(saves + 1);
  });
});
