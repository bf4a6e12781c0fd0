import { basename, dirname } from 'node:path';
import type { StoreFileSystem } from '../../../agent/store/file-system.ts';

/** Thrown by every operation from the crash on: the process is gone. */
export class Crash extends Error {}

interface Inode {
  /** What a reader sees now. */
  data: Buffer;
  /** What is sure to survive a power cut; null: nothing was ever synced. */
  synced: Buffer | null;
}

type Entries = Map<string, Inode>;
type FolderChange = { readonly name: string; readonly inode: Inode | null }[];

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/**
 * A folder on a disk that loses what was not synced: after a power cut any subset of the unsynced folder changes is there
 * (each rename whole or not at all), and an unsynced file holds any prefix of its bytes, or zeros. Every operation counts as one step; at step `crashAt` the
 * process dies, before or after the operation took effect.
 */
export class CrashDisk {
  entries: Entries = new Map();
  #durable: Entries = new Map();
  #pending: FolderChange[] = [];
  steps = 0;
  crashAt = Number.POSITIVE_INFINITY;
  /** Operation (by its number) that fails with the code given. */
  failAt = new Map<number, string>();
  readonly log: string[] = [];
  readonly #random: () => number;
  #dead = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** The disk as the next process finds it. */
  afterPowerCut(): CrashDisk {
    const disk = new CrashDisk(this.#random);
    const survivors: Entries = new Map(this.#durable);
    for (const change of this.#pending) if (this.#random() < 0.5) apply(survivors, change);
    const copies = new Map<Inode, Inode>();
    for (const [name, inode] of survivors) {
      let copy = copies.get(inode);
      if (!copy) {
        const data = this.#remains(inode);
        copy = { data, synced: data };
        copies.set(inode, copy);
      }
      disk.entries.set(name, copy);
    }
    disk.#durable = new Map(disk.entries);
    return disk;
  }

  /** The disk as it is for another process after kill -9: the kernel keeps everything. */
  afterKill(): CrashDisk {
    const disk = new CrashDisk(this.#random);
    disk.entries = new Map(this.entries);
    disk.#durable = new Map(this.#durable);
    disk.#pending = [...this.#pending];
    return disk;
  }

  #remains(inode: Inode): Buffer {
    if (inode.synced?.equals(inode.data)) return inode.data;
    const length = Math.floor(this.#random() * (inode.data.length + 1));
    return this.#random() < 0.5 ? inode.data.subarray(0, length) : Buffer.alloc(length);
  }

  /** Runs one operation as one step. */
  #step<R>(what: string, run: () => R): R {
    if (this.#dead) throw new Crash('dead');
    const step = this.steps++;
    this.log.push(what);
    const code = this.failAt.get(step);
    if (code !== undefined) throw failure(code);
    if (step < this.crashAt) return run();
    this.#dead = true;
    if (this.#random() < 0.5) run();
    throw new Crash(`crash at step ${step}: ${what}`);
  }

  #change(change: FolderChange): void {
    apply(this.entries, change);
    this.#pending.push(change);
  }

  #get(path: string): Inode {
    const inode = this.entries.get(basename(path));
    if (!inode) throw failure('ENOENT');
    return inode;
  }

  readonly fs: StoreFileSystem = {
    makeDir: async () => this.#step('makeDir', () => undefined),
    mode: async () => 0o700,
    list: async () => this.#step('list', () => [...this.entries.keys()]),
    read: async (path, limit) => this.#step(`read ${path}`, () => this.#get(path).data.subarray(0, limit)),
    create: async (path) => {
      const inode = this.#step(`create ${path}`, () => {
        if (this.entries.has(basename(path))) throw failure('EEXIST');
        const made: Inode = { data: Buffer.alloc(0), synced: null };
        this.#change([{ name: basename(path), inode: made }]);
        return made;
      });
      return {
        write: async (data) =>
          this.#step('write', () => {
            inode.data = Buffer.from(data);
          }),
        sync: async () =>
          this.#step('sync', () => {
            inode.synced = inode.data;
          }),
        close: async () => this.#step('close', () => undefined),
      };
    },
    link: async (from, to) =>
      this.#step(`link ${from} ${to}`, () => {
        const inode = this.#get(from);
        if (this.entries.has(basename(to))) throw failure('EEXIST');
        this.#change([{ name: basename(to), inode }]);
      }),
    rename: async (from, to) =>
      this.#step(`rename ${from} ${to}`, () => {
        const inode = this.#get(from);
        if (this.entries.get(basename(to)) === inode) return;
        this.#change([
          { name: basename(to), inode },
          { name: basename(from), inode: null },
        ]);
      }),
    remove: async (path) =>
      this.#step(`remove ${path}`, () => {
        this.#get(path);
        this.#change([{ name: basename(path), inode: null }]);
      }),
    syncDir: async (dir) =>
      this.#step(`syncDir ${dir}`, () => {
        if (dir === dirname(ROOT)) return;
        this.#durable = new Map(this.entries);
        this.#pending = [];
      }),
  };

  /** Overwrites a file's bytes, as damage does. */
  damage(name: string, data: Buffer): void {
    const inode = { data, synced: data };
    this.entries.set(name, inode);
    this.#durable.set(name, inode);
  }

  text(name: string): string {
    return this.entries.get(name)?.data.toString() ?? '';
  }

  names(): string[] {
    return [...this.entries.keys()].sort();
  }
}

/** The folder that the disk stands for. */
export const ROOT = '/state/portkeeper';

function apply(entries: Entries, change: FolderChange): void {
  for (const { name, inode } of change) {
    if (inode) entries.set(name, inode);
    else entries.delete(name);
  }
}

/** A small repeatable random source (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
