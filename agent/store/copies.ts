import { join } from 'node:path';
import { errorCode } from './errors.ts';
import type { StoreFileSystem } from './file-system.ts';

/** How many damaged files are kept for a person to look at. */
const ASIDE_LIMIT = 5;
/** Answers of file systems that have no hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** The names that belong to one durable file. */
export interface FileNames {
  readonly dir: string;
  readonly current: string;
  /** Second name of the current file while it is being replaced. */
  readonly keep: string;
  readonly previous: string;
  /** Base-name prefixes, without the folder. */
  readonly tempPrefix: string;
  readonly asidePrefix: string;
}

export function fileNames(dir: string, name: string): FileNames {
  return {
    dir,
    current: join(dir, name),
    keep: join(dir, `.${name}.keep`),
    previous: join(dir, `${name}.prev`),
    tempPrefix: `.${name}.tmp-`,
    asidePrefix: `${name}.corrupt-`,
  };
}

/** Removes temporary files that a crash left behind. */
export async function sweep(fs: StoreFileSystem, names: FileNames): Promise<void> {
  for (const name of await fs.list(names.dir)) {
    if (name.startsWith(names.tempPrefix)) await fs.remove(join(names.dir, name)).catch(() => undefined);
  }
}

/** Makes `to` the same file as `from`, or a synced copy where there are no hard links. Rejects with EEXIST, ENOENT. */
export async function copyFileTo(fs: StoreFileSystem, from: string, to: string, limit: number): Promise<void> {
  try {
    await fs.link(from, to);
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error;
    const bytes = await fs.read(from, limit);
    const file = await fs.create(to);
    try {
      await file.write(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/**
 * Moves a damaged file to NAME.corrupt-TIME without ever overwriting an earlier one, and removes the oldest beyond five.
 * Returns the new path.
 */
export async function setAside(
  fs: StoreFileSystem,
  names: FileNames,
  path: string,
  now: number,
  limit: number,
): Promise<string> {
  const stamp = new Date(now).toISOString().replaceAll(':', '').replace('.', '');
  let to = '';
  for (let attempt = 1; ; attempt++) {
    to = join(names.dir, `${names.asidePrefix}${stamp}${attempt === 1 ? '' : `-${attempt}`}`);
    try {
      await copyFileTo(fs, path, to, limit);
      break;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || attempt >= 100) throw error;
    }
  }
  // Else a power cut could keep the removal and lose the new name.
  await fs.syncDir(names.dir);
  await fs.remove(path);
  const kept = (await fs.list(names.dir)).filter((name) => name.startsWith(names.asidePrefix)).sort();
  for (const name of kept.slice(0, Math.max(0, kept.length - ASIDE_LIMIT))) {
    const old = join(names.dir, name);
    if (old !== to) await fs.remove(old).catch(() => undefined);
  }
  return to;
}
