import { spawn } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError, toStoreError } from './errors.ts';

/** Who holds a lock, as written in the lock file. */
export interface LockHolder {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process (field 22 of /proc/PID/stat); "" where there is no /proc. */
  readonly startTime: string;
  /** RFC 3339. */
  readonly since: string;
}

/** What locking needs of the system; passed in, so that tests can do without `flock` or /proc. */
export interface LockSystem {
  readonly pid: number;
  readonly now: () => number;
  /** Locks an open file for as long as this process lives; `missing`: the system has no way to do that. */
  kernelLock(fd: number): Promise<'locked' | 'busy' | 'missing'>;
  /** Start time of a process as in {@link LockHolder}; null: no such process. */
  startTime(pid: number): Promise<string | null>;
}

/** A state folder held by this process. */
export interface FolderLock {
  readonly path: string;
  /** Gives the folder free; also happens by itself when the process ends, in whatever way. */
  release(): Promise<void>;
}

/**
 * Takes the state folder for this process. The lock is the kernel's (flock on DIR/lock), so a killed process leaves none
 * behind, and two containers that share the folder exclude each other; where the system has no `flock` program, the
 * process ID and start time in the file decide. Throws {@link StoreError} `locked` with the holder, or `read-only`, `io`.
 */
export async function lockFolder(dir: string, system: LockSystem = thisSystem): Promise<FolderLock> {
  const path = join(dir, 'lock');
  // A plain descriptor: a FileHandle would be closed, and the lock lost, by the garbage collector.
  let fd: number;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // a+: made when missing, and never emptied before it is ours.
    fd = openSync(path, 'a+', 0o600);
  } catch (error) {
    throw toStoreError(error, path, 'open');
  }
  try {
    const holder = parseHolder(await readFile(path, 'utf8'));
    const locked = await system.kernelLock(fd);
    if (locked === 'busy' || (locked === 'missing' && holder !== null && (await isAlive(holder, system)))) {
      throw taken(dir, path, holder);
    }
    const own: LockHolder = {
      pid: system.pid,
      startTime: (await system.startTime(system.pid)) ?? '',
      since: new Date(system.now()).toISOString(),
    };
    ftruncateSync(fd, 0);
    writeRecord(fd, own);
  } catch (error) {
    closeSync(fd);
    throw toStoreError(error, path, 'lock');
  }
  let released = false;
  return {
    path,
    async release() {
      if (released) return;
      released = true;
      // The file itself stays: removing it would let two later processes lock two different files of the same name.
      ftruncateSync(fd, 0);
      closeSync(fd);
    },
  };
}

/** For people and for systems without `flock`; a full disk must not keep the daemon from starting. */
function writeRecord(fd: number, own: LockHolder): void {
  try {
    writeSync(fd, `${JSON.stringify(own)}\n`);
  } catch (error) {
    if (toStoreError(error, '', 'write').code !== 'disk-full') throw error;
  }
}

async function isAlive(holder: LockHolder, system: LockSystem): Promise<boolean> {
  const started = await system.startTime(holder.pid);
  return started !== null && started === holder.startTime && holder.pid !== system.pid;
}

function taken(dir: string, path: string, holder: LockHolder | null): StoreError {
  const who = holder === null ? 'another process' : `process ${holder.pid} (since ${holder.since})`;
  const message = `${dir} is in use by ${who}; stop that portkeeper first, or give this one another stateDir`;
  return new StoreError('locked', path, message);
}

function parseHolder(text: string): LockHolder | null {
  try {
    const value: unknown = JSON.parse(text.slice(0, 512));
    if (typeof value !== 'object' || value === null) return null;
    const { pid, startTime, since } = value as Record<string, unknown>;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return null;
    if (typeof startTime !== 'string' || typeof since !== 'string' || !/^[0-9TZ:.+-]{1,40}$/.test(since)) return null;
    return { pid, startTime, since };
  } catch {
    return null;
  }
}

/** The machine itself. */
export const thisSystem: LockSystem = {
  pid: process.pid,
  now: () => Date.now(),
  kernelLock(fd) {
    return new Promise((resolve) => {
      // flock(2) belongs to the open file, which the child shares: the lock stays with this process when the child ends.
      const child = spawn('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
      child.once('error', () => resolve('missing'));
      child.once('exit', (code) => resolve(code === 0 ? 'locked' : code === 1 ? 'busy' : 'missing'));
    });
  },
  async startTime(pid) {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      // The program name (field 2) may contain blanks and brackets; fields are counted from its last bracket.
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    } catch {
      return processExists(pid) ? '' : null;
    }
  },
};

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
