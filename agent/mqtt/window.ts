/** At most so many tasks at once; the others wait their turn in order. */
export interface Window {
  /** Runs the task when there is room; it calls `settle` once. Resolves with what it settled, false after {@link close}. */
  run(task: (settle: (ok: boolean) => void) => void): Promise<boolean>;
  /** Changes how many run at once; at least 1. */
  limit(size: number): void;
  /** Settles everything that runs or waits with false. Nothing runs afterwards. */
  close(): void;
}

/** A sliding window for messages in flight (MQTT 5.0, 4.9: the broker's Receive Maximum must not be exceeded). */
export function createWindow(initialSize: number): Window {
  let size = initialSize;
  let closed = false;
  const running = new Set<(ok: boolean) => void>();
  const waiting: { readonly start: () => void; readonly refuse: () => void }[] = [];

  let starting = false;

  /** A task may settle while it is started: then the loop goes on, whatever the length of the queue. */
  const next = () => {
    if (starting) return;
    starting = true;
    while (!closed && running.size < size) {
      const task = waiting.shift();
      if (task === undefined) break;
      task.start();
    }
    starting = false;
  };

  return {
    run(task) {
      return new Promise((resolve) => {
        if (closed) {
          resolve(false);
          return;
        }
        const settle = (ok: boolean) => {
          if (!running.delete(settle)) return;
          resolve(ok);
          next();
        };
        waiting.push({
          start: () => {
            running.add(settle);
            task(settle);
          },
          refuse: () => resolve(false),
        });
        next();
      });
    },
    limit(newSize) {
      size = Math.max(1, newSize);
      next();
    },
    close() {
      closed = true;
      for (const settle of [...running]) settle(false);
      for (const task of waiting.splice(0)) task.refuse();
    },
  };
}
