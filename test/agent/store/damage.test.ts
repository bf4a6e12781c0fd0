import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seal, unseal } from '../../../agent/store/envelope.ts';
import { Crash, CrashDisk, seeded } from './crash-disk.ts';
import { open, plusOne } from './support.ts';

/** A disk with state.json at 3 and its previous copy at 2. */
async function written(seed = 1): Promise<CrashDisk> {
  const disk = new CrashDisk(seeded(seed));
  const store = await open(disk);
  for (let i = 0; i < 3; i++) await store.update(plusOne);
  return disk.afterKill();
}

const sealed = (value: unknown) => Buffer.from(seal(JSON.stringify(value), 'portkeeper 9.9.9'));

const DAMAGE: [string, (good: Buffer) => Buffer][] = [
  ['empty', () => Buffer.alloc(0)],
  ['zeros', (good) => Buffer.alloc(good.length)],
  ['cut off', (good) => good.subarray(0, good.length - 5)],
  ['a changed digit', (good) => Buffer.from(good.toString().replace('"count":3', '"count":7'))],
  ['other JSON', () => Buffer.from('{"version":1,"count":3,"text":""}')],
  ['null', () => Buffer.from('null')],
  ['another shape', () => sealed({ version: 1, count: 'three', text: '' })],
  ['an unknown key', () => sealed({ version: 1, count: 3, text: '', more: 1 })],
  ['no version', () => sealed({ count: 3, text: '' })],
  ['too large', () => Buffer.alloc(70 * 1024, 32)],
];

describe('a damaged file', () => {
  test.each(DAMAGE)('with %s is set aside and the previous copy taken, and that is said', async (_what, damage) => {
    const disk = await written();
    const bad = damage(Buffer.from(disk.text('state.json')));
    disk.damage('state.json', bad);
    const store = await open(disk, { maxBytes: 64 * 1024 });
    expect(store.value.count).toBe(2);
    expect(store.health).toMatchObject({
      recovered: 'previous',
      setAside: '/state/portkeeper/state.json.corrupt-2026-01-02T000000000Z',
    });
    expect(store.health.why).not.toBe('');
    expect(disk.entries.get('state.json.corrupt-2026-01-02T000000000Z')?.data.equals(bad)).toBe(true);
    await store.update(plusOne);
    const again = await open(disk.afterPowerCut());
    expect(again.value.count).toBe(3);
    expect(again.health.recovered).toBe('none');
  });

  test('of which only the name is gone is replaced by the previous copy', async () => {
    const disk = await written();
    disk.entries.delete('state.json');
    const store = await open(disk);
    expect(store.value.count).toBe(2);
    expect(store.health).toMatchObject({ recovered: 'previous', setAside: null, why: 'the file is missing' });
  });

  test('never overwrites an earlier one that was set aside; five are kept', async () => {
    let disk = await written();
    for (let i = 0; i < 8; i++) {
      disk.damage('state.json', Buffer.from(`bad ${i}`));
      await open(disk);
      disk = disk.afterPowerCut();
    }
    const aside = disk.names().filter((name) => name.includes('.corrupt-'));
    expect(aside).toHaveLength(5);
    expect(new Set(aside.map((name) => disk.text(name))).size).toBe(5);
    expect(aside.map((name) => disk.text(name))).toContain('bad 7');
  });

  test('and a damaged previous copy stop the start and are left where they are, at every start', async () => {
    const disk = await written();
    disk.damage('state.json', Buffer.from('one'));
    disk.damage('state.json.prev', Buffer.from('two'));
    for (let i = 0; i < 2; i++) {
      await expect(open(disk)).rejects.toMatchObject({
        code: 'corrupt',
        message: expect.stringMatching(/state\.json: .*state\.json\.prev: .*backup/),
      });
    }
    expect([disk.text('state.json'), disk.text('state.json.prev')]).toEqual(['one', 'two']);
  });

  test('is replaced by an empty value only on request, and stays reported', async () => {
    const disk = await written();
    disk.damage('state.json', Buffer.from('one'));
    disk.damage('state.json.prev', Buffer.from('two'));
    const store = await open(disk, { startEmpty: true });
    expect(store.value.count).toBe(0);
    expect(store.health.recovered).toBe('lost');
    const aside = disk.names().filter((name) => name.includes('.corrupt-'));
    expect(aside.map((name) => disk.text(name)).sort()).toEqual(['one', 'two']);
    expect((await open(disk.afterPowerCut())).health.recovered).toBe('none');
  });

  test('that was set aside keeps a later start from being silently empty', async () => {
    const disk = new CrashDisk(seeded(1));
    disk.damage('state.json.corrupt-2025-01-01T000000000Z', Buffer.from('x'));
    await expect(open(disk)).rejects.toMatchObject({ code: 'corrupt' });
  });

  test('is recovered also when the power fails at any step of the recovery', async () => {
    for (let seed = 0; seed < 300; seed++) {
      const disk = await written(seed);
      disk.damage('state.json', Buffer.from('bad'));
      disk.crashAt = disk.steps + (seed % 24);
      const outcome = await open(disk).catch((error) => error);
      if (outcome instanceof Error) expect(outcome.cause ?? outcome).toBeInstanceOf(Crash);
      const after = disk.afterPowerCut();
      expect((await open(after)).value.count, `seed ${seed}`).toBe(2);
      expect(after.names().some((name) => after.text(name) === 'bad')).toBe(true);
    }
  });
});

test('a file that cannot be read is not taken for damaged', async () => {
  const disk = await written();
  const before = disk.text('state.json');
  for (let step = 0; step < 6; step++) {
    const probe = await written();
    probe.failAt.set(step, 'EIO');
    const outcome = await open(probe).catch((error) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'io' });
    expect(probe.text('state.json')).toBe(before);
    expect(probe.names().some((name) => name.includes('corrupt'))).toBe(false);
  }
});

test('no flipped byte ever yields another value', async () => {
  const good = Buffer.from(seal('{"version":1,"count":3,"text":"abc"}', 'portkeeper 1.0.0'));
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ flip;
      const opened = unseal(bad);
      // Only the name of the writer is outside the checksum.
      if (opened.kind === 'ok') expect(opened.data).toEqual({ version: 1, count: 3, text: 'abc' });
    }),
    { numRuns: 2000 },
  );
});

test('any bytes at all are answered without an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(unseal(bytes).kind).toBe('damaged');
    }),
  );
});
