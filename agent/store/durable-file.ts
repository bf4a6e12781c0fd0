import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Adapter } from 'lowdb';
import { copyFileTo, type FileNames, fileNames, setAside, sweep } from './copies.ts';
import { seal, unseal } from './envelope.ts';
import { errorCode, StoreError, toStoreError } from './errors.ts';
import type { StoreFileSystem } from './file-system.ts';
import type { Upgraded } from './migrate.ts';

export interface DurableFileOptions<T> {
  /** Folder; made with mode 0700 when it is not there. Only one process may use it (see lock.ts). */
  readonly dir: string;
  /** File name in it, such as "state.json". */
  readonly name: string;
  readonly fs: StoreFileSystem;
  /** Milliseconds since the epoch, for the names of damaged files. */
  readonly now: () => number;
  /** Checks and migrates what was stored. */
  readonly decode: (stored: unknown) => Upgraded<T>;
  /** Program and version, kept in the file for the message of a later refusal. */
  readonly writtenBy: string;
  /** Largest file in bytes. */
  readonly maxBytes: number;
  /** Set damaged copies aside and start empty when no copy can be read. */
  readonly startEmpty?: boolean;
}

/** What {@link DurableFile.read} found. */
export interface ReadReport {
  /** `previous`: the file was damaged or missing and its previous copy was taken. `lost`: started empty on request. */
  readonly recovered: 'none' | 'previous' | 'lost';
  /** Where the damaged file is now. */
  readonly setAside: string | null;
  /** What was wrong with it; "" when nothing was. */
  readonly why: string;
  /** Version of the document that was read; null when there was none. */
  readonly storedVersion: number | null;
}

type Copy<T> =
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad'; readonly why: string }
  | { readonly kind: 'good'; readonly value: T; readonly version: number; readonly bytes: Uint8Array };

/**
 * A lowdb adapter that survives power cuts. A write goes to a new file that is synced, then replaces the old one by a
 * rename, then the folder is synced; the old file keeps a second name throughout and becomes the previous copy. At every
 * instant NAME is a complete old or new value, whatever subset of the folder changes the disk kept. A failed write leaves
 * the old value in place.
 */
export class DurableFile<T> implements Adapter<T> {
  readonly #options: DurableFileOptions<T>;
  readonly #names: FileNames;
  #report: ReadReport = { recovered: 'none', setAside: null, why: '', storedVersion: null };
  #warnings: string[] = [];

  constructor(options: DurableFileOptions<T>) {
    this.#options = options;
    this.#names = fileNames(options.dir, options.name);
  }

  get path(): string {
    return this.#names.current;
  }

  /** What the last {@link read} found. */
  get report(): ReadReport {
    return this.#report;
  }

  /** Things that did not stop a read or write but that somebody should look at; bounded. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /**
   * The stored value; null when there is none yet. A damaged file is set aside and the previous copy taken, see
   * {@link report}. Throws {@link StoreError}: `corrupt` when no copy is readable (nothing is touched then, unless
   * `startEmpty`), `newer-version`, `io`, `read-only`.
   */
  async read(): Promise<T | null> {
    const { fs, dir } = this.#options;
    try {
      await fs.makeDir(dir);
      // A new folder must survive a power cut, too; its parent may be unreadable for us, and then nothing can be done.
      await quiet(fs.syncDir(dirname(dir)));
      if (((await fs.mode(dir)) & 0o022) !== 0) this.#warn(`others may write to ${dir}; run: chmod 0700 ${dir}`);
      await sweep(fs, this.#names);
      return await this.#choose();
    } catch (error) {
      throw toStoreError(error, this.#names.current, 'read');
    }
  }

  /** Resolves when the value is on the disk; else throws {@link StoreError}, with the old value still in place. */
  async write(data: T): Promise<void> {
    const { fs, dir, maxBytes } = this.#options;
    const { current, keep, previous } = this.#names;
    const bytes = seal(JSON.stringify(data), this.#options.writtenBy);
    if (bytes.length > maxBytes) {
      const message = `${current} would have ${bytes.length} bytes, more than the limit of ${maxBytes}; nothing was changed`;
      throw new StoreError('too-large', current, message);
    }
    const temp = join(dir, `${this.#names.tempPrefix}${randomUUID()}`);
    let kept = false;
    try {
      await this.#fill(temp, bytes);
      kept = await this.#keep();
    } catch (error) {
      await quiet(fs.remove(temp));
      await quiet(fs.remove(keep));
      throw toStoreError(error, current, 'write');
    }
    try {
      await fs.rename(temp, current);
      await fs.syncDir(dir);
    } catch (error) {
      await quiet(fs.remove(temp));
      await this.#putBack(kept);
      throw toStoreError(error, current, 'write');
    }
    if (!kept) return;
    // The value is safe from here on; failing to move the old one only costs the previous copy.
    await fs.rename(keep, previous).catch(() => this.#warn(`cannot keep the previous copy as ${previous}`));
    await quiet(fs.remove(keep));
  }

  /** Keeps the current file under a name of its own (for going back to an older version); one that is there stays. */
  async backUp(suffix: string): Promise<void> {
    const to = `${this.#names.current}.${suffix}`;
    await copyFileTo(this.#options.fs, this.#names.current, to, this.#options.maxBytes).catch((error) => {
      if (errorCode(error) !== 'EEXIST') this.#warn(`cannot keep a copy as ${to}`);
    });
  }

  async #fill(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.#options.fs.create(path);
    try {
      await file.write(bytes);
      await file.sync();
    } catch (error) {
      await quiet(file.close());
      throw error;
    }
    await file.close();
  }

  /** Gives the current file a second name; false when there is no current file. */
  async #keep(): Promise<boolean> {
    const { fs, maxBytes } = this.#options;
    const { current, keep } = this.#names;
    for (let attempt = 0; ; attempt++) {
      try {
        await copyFileTo(fs, current, keep, maxBytes);
        return true;
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return false;
        if (errorCode(error) !== 'EEXIST' || attempt > 0) throw error;
        await fs.remove(keep);
      }
    }
  }

  /** Undoes a rename that may or may not have happened. */
  async #putBack(kept: boolean): Promise<void> {
    const { fs, dir } = this.#options;
    const { current, keep } = this.#names;
    try {
      if (kept) await fs.rename(keep, current);
      else await fs.remove(current);
    } catch (error) {
      // The old value is still there as the kept copy, which the next read looks at, too.
      if (errorCode(error) !== 'ENOENT') this.#warn(`cannot put ${current} back after a failed write`);
      return;
    }
    await quiet(fs.remove(keep));
    await quiet(fs.syncDir(dir));
  }

  async #choose(): Promise<T | null> {
    const { fs } = this.#options;
    const { current, keep, previous } = this.#names;
    const first = await this.#inspect(current);
    if (first.kind === 'good') {
      await this.#settleKept(first.bytes);
      this.#report = { recovered: 'none', setAside: null, why: '', storedVersion: first.version };
      return first.value;
    }
    const why = first.kind === 'bad' ? first.why : 'the file is missing';
    const reasons = [`${current}: ${why}`];
    const bad: string[] = first.kind === 'bad' ? [current] : [];
    for (const path of [keep, previous]) {
      const copy = await this.#inspect(path);
      if (copy.kind === 'good') {
        const aside = first.kind === 'bad' ? await this.#aside(current) : null;
        await this.write(copy.value);
        this.#report = { recovered: 'previous', setAside: aside, why, storedVersion: copy.version };
        return copy.value;
      }
      if (copy.kind === 'bad') {
        bad.push(path);
        reasons.push(`${path}: ${copy.why}`);
      }
    }
    const names = await fs.list(this.#options.dir);
    const earlier = names.some((name) => name.startsWith(this.#names.asidePrefix));
    if (bad.length === 0 && !earlier) {
      this.#report = { recovered: 'none', setAside: null, why: '', storedVersion: null };
      return null;
    }
    if (!this.#options.startEmpty) throw this.#corrupt(reasons);
    let aside: string | null = null;
    for (const path of bad) {
      const to = await this.#aside(path);
      aside ??= to;
    }
    this.#report = { recovered: 'lost', setAside: aside, why, storedVersion: null };
    return null;
  }

  /** A kept copy that a crash left behind is either the current file itself or its true previous copy. */
  async #settleKept(current: Uint8Array): Promise<void> {
    const { fs } = this.#options;
    const { keep, previous } = this.#names;
    const kept = await this.#inspect(keep);
    if (kept.kind === 'absent') return;
    if (kept.kind === 'good' && !Buffer.from(current).equals(kept.bytes)) await quiet(fs.rename(keep, previous));
    await quiet(fs.remove(keep));
  }

  async #inspect(path: string): Promise<Copy<T>> {
    const { fs, maxBytes, decode } = this.#options;
    let bytes: Uint8Array;
    try {
      bytes = await fs.read(path, maxBytes + 1);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return { kind: 'absent' };
      throw toStoreError(error, path, 'read');
    }
    if (bytes.length > maxBytes) return { kind: 'bad', why: `it is larger than ${maxBytes} bytes` };
    const opened = unseal(bytes);
    if (opened.kind === 'damaged') return { kind: 'bad', why: opened.why };
    if (opened.kind === 'newer') throw newer(path, opened.writtenBy);
    const decoded = decode(opened.data);
    if (decoded.kind === 'newer') throw newer(path, opened.writtenBy);
    if (decoded.kind === 'wrong') return { kind: 'bad', why: decoded.why };
    return { kind: 'good', value: decoded.value, version: decoded.from, bytes };
  }

  #aside(path: string): Promise<string> {
    return setAside(this.#options.fs, this.#names, path, this.#options.now(), this.#options.maxBytes);
  }

  #corrupt(reasons: readonly string[]): StoreError {
    const { current } = this.#names;
    const message = `no readable copy of ${current} is left (${reasons.join('; ')}); restore it from a backup, or allow an empty start, which forgets every intent until its publisher sends it again`;
    return new StoreError('corrupt', current, message);
  }

  #warn(message: string): void {
    if (!this.#warnings.includes(message)) this.#warnings = [...this.#warnings, message].slice(-20);
  }
}

function newer(path: string, writtenBy: string): StoreError {
  const by = writtenBy === '' ? 'a newer portkeeper' : writtenBy;
  const message = `${path} was written by ${by}, which is newer than this program; install that version again, or restore an older copy (NAME.v1 and the like, made at each upgrade). It was not touched`;
  return new StoreError('newer-version', path, message);
}

async function quiet(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}
