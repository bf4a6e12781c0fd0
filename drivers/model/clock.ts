/** Time as the program sees it. Passed in, so that tests need no sleeping. */
export interface Clock {
  /** Milliseconds since the epoch; may jump. Only for showing. */
  now(): number;
  /** Milliseconds from an arbitrary start; never jumps. For ages, deadlines and back-off. */
  monotonic(): number;
  /** Calls `run` once after `ms` milliseconds; the returned function cancels. */
  after(ms: number, run: () => void): () => void;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`; on abort of `signal` it resolves at once. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
