import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BootWitness } from '../../../drivers/snmp/boot-id.ts';
import { TestClock } from '../../support/test-clock.ts';

const SECOND = 100;
const DAY = 86_400 * SECOND;
const WRAP = 2 ** 32;

const up = (uptimeTicks: number) => ({ engineId: null, engineBoots: null, uptimeTicks: uptimeTicks % WRAP });

describe('by snmpEngineBoots', () => {
  it('differs after each start, and for another engine', () => {
    const witness = new BootWitness(new TestClock());
    const engine = { engineId: '8000000001020304', engineBoots: 7, uptimeTicks: 100 };
    expect(witness.idOf(engine)).toBe('engine/8000000001020304/7');
    expect(witness.idOf({ ...engine, uptimeTicks: 5 })).toBe('engine/8000000001020304/7');
    expect(witness.idOf({ ...engine, engineBoots: 8 })).toBe('engine/8000000001020304/8');
    expect(witness.idOf({ ...engine, engineId: '8000000009' })).toBe('engine/8000000009/7');
  });

  it('needs the engine as well as its count', () => {
    const witness = new BootWitness(new TestClock());
    expect(witness.idOf({ engineId: null, engineBoots: 7, uptimeTicks: null })).toBeNull();
    expect(witness.idOf({ engineId: '8000000009', engineBoots: null, uptimeTicks: null })).toBeNull();
    expect(witness.idOf({ engineId: '8000000009', engineBoots: null, uptimeTicks: 1 })).toMatch(/^uptime\//);
  });
});

describe('by sysUpTime', () => {
  it('stays the same for years, over wraps, with a switch whose clock runs apart', async () => {
    const clock = new TestClock();
    const witness = new BootWitness(clock);
    const first = witness.idOf(up(0));
    let uptime = 0;
    for (let day = 0; day < 1500; day++) {
      await clock.advance(86_400_000);
      uptime += DAY * 1.0001;
      expect(witness.idOf(up(Math.round(uptime)))).toBe(first);
    }
  });

  it('stays the same when the wall clock is set', async () => {
    const clock = new TestClock();
    const witness = new BootWitness(clock);
    const first = witness.idOf(up(10 * DAY));
    clock.jump(-3 * 3_600_000);
    await clock.advance(60_000);
    expect(witness.idOf(up(10 * DAY + 60 * SECOND))).toBe(first);
    clock.jump(86_400_000);
    expect(witness.idOf(up(10 * DAY + 60 * SECOND))).toBe(first);
  });

  it('stays the same when the machine slept, so that its steady clock stood still', () => {
    const clock = new TestClock();
    const witness = new BootWitness(clock);
    const first = witness.idOf(up(10 * DAY));
    clock.jump(8 * 3_600_000);
    expect(witness.idOf(up(10 * DAY + 8 * 3600 * SECOND))).toBe(first);
  });

  it('stays the same when answers are late or the agent keeps an old value', async () => {
    const clock = new TestClock();
    const witness = new BootWitness(clock);
    const first = witness.idOf(up(DAY));
    await clock.advance(60_000);
    expect(witness.idOf(up(DAY))).toBe(first);
    expect(witness.idOf(up(DAY + 90 * SECOND))).toBe(first);
  });

  it('differs after a reboot', async () => {
    const clock = new TestClock();
    const witness = new BootWitness(clock);
    const first = witness.idOf(up(10 * DAY));
    await clock.advance(120_000);
    const second = witness.idOf(up(30 * SECOND));
    expect(second).not.toBe(first);
    await clock.advance(60_000);
    expect(witness.idOf(up(90 * SECOND))).toBe(second);
  });

  it('differs after a reboot while nobody looked, even when the uptime is longer than before', async () => {
    const clock = new TestClock();
    const witness = new BootWitness(clock);
    const first = witness.idOf(up(3600 * SECOND));
    await clock.advance(30 * 3_600_000);
    expect(witness.idOf(up(25 * 3600 * SECOND))).not.toBe(first);
  });

  it('is the same for another process a moment later, given what was stored', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: WRAP - 1 }),
        fc.integer({ min: -60, max: 60 }),
        fc.integer({ min: 0, max: 3 * 10 ** 7 }),
        (uptime, error, seconds) => {
          const before = new TestClock();
          const stored = new BootWitness(before).idOf(up(uptime));
          const after = new TestClock();
          after.jump(seconds * 1000);
          const later = (uptime + (seconds + error) * SECOND + WRAP) % WRAP;
          expect(new BootWitness(after, stored).idOf(up(later))).toBe(stored);
        },
      ),
    );
  });

  it('does not keep what was stored after a reboot', () => {
    const stored = new BootWitness(new TestClock()).idOf(up(10 * DAY));
    expect(new BootWitness(new TestClock(), stored).idOf(up(SECOND))).not.toBe(stored);
  });

  it('takes no other text for a stored boot ID', () => {
    const fresh = new BootWitness(new TestClock()).idOf(up(DAY));
    for (const known of ['', 'uptime/', 'uptime/99999999', 'System restarted at noon', 'engine/80/1'])
      expect(new BootWitness(new TestClock(), known).idOf(up(DAY))).toBe(fresh);
  });
});

it('is null when the agent tells nothing', () => {
  expect(new BootWitness(new TestClock()).idOf({ engineId: null, engineBoots: null, uptimeTicks: null })).toBeNull();
});
