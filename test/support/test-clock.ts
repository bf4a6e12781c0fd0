import type { Clock } from '../../drivers/model/clock.ts';

/** A clock that goes only when told to. */
export class TestClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  #mono = 0;
  #timers: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#mono;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#mono + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((t) => t !== timer);
    };
  }

  /** The wall clock jumps; timers do not notice. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Lets `ms` pass, running what is due on the way, and waits for everything that follows from it. */
  async advance(ms: number): Promise<void> {
    const end = this.#mono + ms;
    await settled();
    for (;;) {
      const due = this.#timers.filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((t) => t !== due);
      this.#now += Math.max(0, due.at - this.#mono);
      this.#mono = Math.max(this.#mono, due.at);
      due.run();
      await settled();
    }
    this.#now += end - this.#mono;
    this.#mono = end;
    await settled();
  }
}

/** Resolves when all that can run without time passing has run. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}
