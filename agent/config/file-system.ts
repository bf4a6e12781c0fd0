import { watch } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';

/** What is known of a file without its contents. */
export interface FileFacts {
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
  readonly gid: number;
}

/** The disk as the configuration needs it; passed in, so that tests need no disk and no waiting. */
export interface ConfigFileSystem {
  /** At most `limit` bytes of a regular file. Rejects with ENOENT, EACCES, EISDIR and the like. */
  read(path: string, limit: number): Promise<FileFacts>;
  /**
   * A text that differs whenever the file behind the path does: another target of a symlink anywhere in the path, another
   * inode, size or time. null: there is no file, or it cannot be looked at. Never rejects.
   */
  fingerprint(path: string): Promise<string | null>;
  /**
   * Calls `hint` when something changes in the folder, as far as the system can tell; a hint may be missing or come for
   * nothing. Returns a function that ends it. Never throws.
   */
  watchFolder(dir: string, hint: () => void): () => void;
  /** Group of this process; -1 where there is none. */
  readonly gid: number;
}

/** The real disk. */
export const diskConfigFiles: ConfigFileSystem = {
  gid: process.getgid?.() ?? -1,
  async read(path, limit) {
    const file = await open(path, 'r');
    try {
      const facts = await file.stat();
      if (facts.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
      // Not a pipe or device: reading one could wait for ever.
      if (!facts.isFile()) throw Object.assign(new Error('is not a regular file'), { code: 'EINVAL' });
      const buffer = Buffer.alloc(Math.min(limit, facts.size + 1));
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return { bytes: buffer.subarray(0, length), mode: facts.mode & 0o7777, gid: facts.gid };
    } finally {
      await file.close();
    }
  },
  async fingerprint(path) {
    try {
      const real = await realpath(path);
      const facts = await stat(real, { bigint: true });
      return [real, facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(' ');
    } catch {
      return null;
    }
  },
  watchFolder(dir, hint) {
    try {
      const watcher = watch(dir, { persistent: false }, hint);
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => undefined;
    }
  },
};
