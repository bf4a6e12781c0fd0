import { dirname } from 'node:path';
import type { Clock } from '../../drivers/model/clock.ts';
import type { ConfigFileSystem } from './file-system.ts';

export interface WatchOptions {
  /** Absolute paths; a file that does not exist yet is waited for. */
  readonly files: readonly string[];
  readonly fs: Pick<ConfigFileSystem, 'fingerprint' | 'watchFolder'>;
  readonly clock: Clock;
  /** Called with the files that changed, appeared or went away, once they have stood still; never twice at a time. Must not reject. */
  readonly onChange: (changed: readonly string[]) => void | Promise<void>;
  /** Milliseconds between two looks; default 5000. */
  readonly intervalMs?: number;
  /** Milliseconds for which the files must stand still before the change is told; default 300. */
  readonly settleMs?: number;
}

/** A running watch. */
export interface FileWatch {
  /** Watches these files from now on; their present state counts as known. */
  setFiles(files: readonly string[]): Promise<void>;
  /** Looks now instead of at the next interval. */
  look(): void;
  stop(): void;
}

/**
 * Watches files by looking at them at intervals; changes in their folders (also those that a symlink leads to are seen at the
 * next look) only make it look earlier. What counts is the file behind the path, so that a swapped symlink anywhere in the
 * path, as Kubernetes does with mounted secrets, is a change. Resolves when the present state is known.
 */
export async function watchFiles(options: WatchOptions): Promise<FileWatch> {
  const watch = new PollingWatch(options);
  await watch.setFiles(options.files);
  return watch;
}

class PollingWatch implements FileWatch {
  readonly #options: WatchOptions;
  readonly #interval: number;
  readonly #settle: number;
  #known = new Map<string, string | null>();
  #hints: (() => void)[] = [];
  #cancel: () => void = () => undefined;
  #busy = false;
  /** Something happened while it was busy. */
  #again = false;
  #stopped = false;
  /** Raised with every new set of files, so that a look at the old set is dropped. */
  #generation = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#interval = options.intervalMs ?? 5000;
    this.#settle = options.settleMs ?? 300;
  }

  async setFiles(files: readonly string[]): Promise<void> {
    const generation = ++this.#generation;
    const known = await this.#snapshot(files);
    if (this.#stopped || generation !== this.#generation) return;
    this.#known = known;
    this.#endHints();
    const folders = new Set(files.map((file) => dirname(file)));
    this.#hints = [...folders].map((folder) => this.#options.fs.watchFolder(folder, () => this.look()));
    this.#schedule(this.#interval);
  }

  look(): void {
    if (this.#stopped) return;
    if (this.#busy) this.#again = true;
    else this.#schedule(this.#settle);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
    this.#endHints();
  }

  #endHints(): void {
    for (const end of this.#hints) end();
    this.#hints = [];
  }

  #schedule(ms: number): void {
    this.#cancel();
    if (!this.#stopped && !this.#busy) this.#cancel = this.#options.clock.after(ms, () => void this.#round());
  }

  async #round(): Promise<void> {
    this.#busy = true;
    this.#again = false;
    let next = this.#interval;
    try {
      if (await this.#check()) next = this.#settle;
    } finally {
      this.#busy = false;
      this.#schedule(this.#again ? this.#settle : next);
    }
  }

  /** One look; true when files are still changing, so that the next look should come soon. */
  async #check(): Promise<boolean> {
    const generation = this.#generation;
    const before = await this.#snapshot([...this.#known.keys()]);
    if (!this.#differs(before)) return false;
    await new Promise<void>((resolve) => {
      this.#options.clock.after(this.#settle, resolve);
    });
    const after = await this.#snapshot([...this.#known.keys()]);
    if (this.#stopped || generation !== this.#generation) return false;
    for (const [file, print] of after) if (before.get(file) !== print) return true;
    const changed = [...after].filter(([file, print]) => this.#known.get(file) !== print).map(([file]) => file);
    this.#known = after;
    if (changed.length > 0) await this.#options.onChange(changed);
    return false;
  }

  #differs(seen: ReadonlyMap<string, string | null>): boolean {
    for (const [file, print] of seen) if (this.#known.get(file) !== print) return true;
    return false;
  }

  async #snapshot(files: readonly string[]): Promise<Map<string, string | null>> {
    const prints = new Map<string, string | null>();
    for (const file of new Set(files)) prints.set(file, await this.#options.fs.fingerprint(file));
    return prints;
  }
}
