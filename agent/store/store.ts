import { Low } from 'lowdb';
import type { z } from 'zod';
import type { Clock } from '../../drivers/model/clock.ts';
import { DurableFile, type ReadReport } from './durable-file.ts';
import { StoreError, toStoreError } from './errors.ts';
import type { StoreFileSystem } from './file-system.ts';
import { deepFreeze } from './freeze.ts';
import { describeIssues, type Migration, upgrade } from './migrate.ts';

export interface StoreOptions<T> {
  /** Folder; private to one process (see lock.ts). Made when it is not there. */
  readonly dir: string;
  /** File name, such as "state.json". */
  readonly name: string;
  /** Shape of the document, `version` included; without transforms, since every value is checked before it is written. */
  readonly schema: z.ZodType<T>;
  /** Version that `schema` describes. */
  readonly version: number;
  /** The value of a new store. */
  readonly initial: () => T;
  readonly fs: StoreFileSystem;
  readonly clock: Clock;
  readonly migrations?: readonly Migration[];
  /** Program and version, such as "portkeeper 1.2.0". */
  readonly writtenBy?: string;
  /** Largest file in bytes; default 64 MiB. */
  readonly maxBytes?: number;
  /** Start empty when no copy can be read; only ever set on a person's explicit request. */
  readonly startEmpty?: boolean;
}

/** How the store is. */
export interface StoreHealth extends ReadReport {
  /** Failure of the last write; null when it went well. */
  readonly lastError: StoreError | null;
  /** Milliseconds since the epoch of the last durable write of this process; null: none yet. */
  readonly lastWriteAt: number | null;
  readonly writes: number;
  /** Duration of the last write in milliseconds. */
  readonly lastWriteMs: number | null;
  readonly warnings: readonly string[];
}

/** A durable value. */
export interface Store<T> {
  /** The value as it is on the disk; frozen all the way down. */
  readonly value: T;
  /**
   * Replaces the value by `change(value)` and resolves with a value that contains the change when it is durable. Changes
   * run one after the other; those that wait while the disk is busy share one write. `change` must be pure, must not
   * alter its argument, and may return it to change nothing. On failure the value stays as it was, and the promise rejects
   * with {@link StoreError}, or with what `change` threw.
   */
  update(change: (value: T) => T): Promise<T>;
  /** Resolves when no update is waiting any more. */
  idle(): Promise<void>;
  readonly health: StoreHealth;
}

/**
 * Opens a store, migrating and recovering where needed; a new, migrated or recovered value is on the disk when this
 * resolves. Throws {@link StoreError} (`corrupt`, `newer-version`, `io`, `read-only`, `disk-full`); never starts empty unless
 * nothing was ever stored or `startEmpty` is set.
 */
export async function openStore<T>(options: StoreOptions<T>): Promise<Store<T>> {
  const file = new DurableFile<T>({
    dir: options.dir,
    name: options.name,
    fs: options.fs,
    now: () => options.clock.now(),
    decode: (stored) => upgrade(stored, options.version, options.migrations ?? [], options.schema),
    writtenBy: options.writtenBy ?? 'portkeeper',
    maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
    startEmpty: options.startEmpty ?? false,
  });
  const low = new Low<T>(file, options.initial());
  await low.read();
  const { storedVersion, recovered } = file.report;
  if (storedVersion === null) await low.write();
  else if (storedVersion !== options.version) {
    if (recovered === 'none') await file.backUp(`v${storedVersion}`);
    await low.write();
  }
  return new LowStore(low, file, options.schema, options.clock);
}

interface Waiting<T> {
  readonly change: (value: T) => T;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

class LowStore<T> implements Store<T> {
  readonly #low: Low<T>;
  readonly #file: DurableFile<T>;
  readonly #schema: z.ZodType<T>;
  readonly #clock: Clock;
  #value: T;
  #queue: Waiting<T>[] = [];
  #running: Promise<void> | null = null;
  #lastError: StoreError | null = null;
  #lastWriteAt: number | null = null;
  #lastWriteMs: number | null = null;
  #writes = 0;

  constructor(low: Low<T>, file: DurableFile<T>, schema: z.ZodType<T>, clock: Clock) {
    this.#low = low;
    this.#file = file;
    this.#schema = schema;
    this.#clock = clock;
    this.#value = deepFreeze(low.data);
  }

  get value(): T {
    return this.#value;
  }

  get health(): StoreHealth {
    return {
      ...this.#file.report,
      lastError: this.#lastError,
      lastWriteAt: this.#lastWriteAt,
      writes: this.#writes,
      lastWriteMs: this.#lastWriteMs,
      warnings: this.#file.warnings,
    };
  }

  update(change: (value: T) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ change, resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #drain(): Promise<void> {
    // Updates of the same turn of the event loop share the first write, and reports that are due go out before it.
    await new Promise<void>((done) => setImmediate(done));
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      await this.#commit(batch);
    }
    this.#running = null;
  }

  /** Writes a batch as one value; when that value is refused, one by one, so that one bad change spoils no other. */
  async #commit(batch: readonly Waiting<T>[]): Promise<void> {
    let next = this.#value;
    const taken: Waiting<T>[] = [];
    for (const waiting of batch) {
      try {
        next = deepFreeze(waiting.change(next));
        taken.push(waiting);
      } catch (error) {
        waiting.reject(error);
      }
    }
    if (taken.length === 0) return;
    try {
      if (next !== this.#value) await this.#write(next);
    } catch (error) {
      const failure = toStoreError(error, this.#file.path, 'write');
      if (taken.length > 1 && (failure.code === 'invalid' || failure.code === 'too-large')) {
        for (const waiting of taken) await this.#commit([waiting]);
        return;
      }
      this.#lastError = failure;
      for (const waiting of taken) waiting.reject(failure);
      return;
    }
    for (const waiting of taken) waiting.resolve(this.#value);
  }

  async #write(next: T): Promise<void> {
    const checked = this.#schema.safeParse(next);
    if (!checked.success) {
      const message = `refused to store a value that could not be read again (${describeIssues(checked.error)})`;
      throw new StoreError('invalid', this.#file.path, message);
    }
    const started = this.#clock.monotonic();
    // lowdb writes its own `data`; it is put back on failure, so that memory and disk stay the same.
    this.#low.data = next;
    try {
      await this.#low.write();
    } catch (error) {
      this.#low.data = this.#value;
      throw error;
    }
    this.#value = next;
    this.#lastError = null;
    this.#writes++;
    this.#lastWriteAt = this.#clock.now();
    this.#lastWriteMs = this.#clock.monotonic() - started;
  }
}
