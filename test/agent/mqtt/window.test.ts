import { describe, expect, it } from 'vitest';
import { createWindow } from '../../../agent/mqtt/window.ts';

describe('a window of messages in flight', () => {
  it('goes through any number of tasks that settle while they are started, in order', async () => {
    const window = createWindow(1);
    let release: (ok: boolean) => void = () => {};
    const first = window.run((settle) => {
      release = settle;
    });
    const order: number[] = [];
    const rest = Array.from({ length: 20_000 }, (_, i) =>
      window.run((settle) => {
        order.push(i);
        settle(i % 2 === 0);
      }),
    );
    release(true);
    expect(await first).toBe(true);
    const results = await Promise.all(rest);
    expect(order).toEqual(results.map((_, i) => i));
    expect(results.filter((ok) => ok).length).toBe(10_000);
  });

  it('starts no more than its size, and nothing after it was closed', async () => {
    const window = createWindow(2);
    const settles: ((ok: boolean) => void)[] = [];
    const runs = [1, 2, 3].map(() => window.run((settle) => settles.push(settle)));
    expect(settles.length).toBe(2);
    settles[0]?.(true);
    expect(settles.length).toBe(3);
    window.close();
    expect(await Promise.all(runs)).toEqual([true, false, false]);
    expect(await window.run(() => settles.push(() => {}))).toBe(false);
    expect(settles.length).toBe(3);
  });
});
