import { link, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';

/** A file that is being written. */
export interface NewFile {
  /** Writes all bytes. */
  write(data: Uint8Array): Promise<void>;
  /** Resolves when the bytes are on the disk (fsync). */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The file operations that the store needs, one system call each, so that a test can let every single one fail or be the
 * last one before a power cut. All reject with the operating system's errors (`code` "ENOENT" and so on).
 */
export interface StoreFileSystem {
  /** Makes the folder and its parents (mode 0700) unless they exist. */
  makeDir(path: string): Promise<void>;
  /** Permission bits of a file or folder. */
  mode(path: string): Promise<number>;
  /** Names in a folder. */
  list(dir: string): Promise<string[]>;
  /** At most `limit` bytes from the start of a file. */
  read(path: string, limit: number): Promise<Uint8Array>;
  /** Creates a file (mode 0600); rejects with EEXIST when there is one, also a dangling symlink. */
  create(path: string): Promise<NewFile>;
  /** Gives a file a second name; rejects with EEXIST when the name is taken. */
  link(from: string, to: string): Promise<void>;
  /** Renames within one folder, atomically replacing `to`. Does nothing when both names are the same file. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves when the names in the folder are on the disk (fsync of the folder). */
  syncDir(dir: string): Promise<void>;
}

/** The real disk. */
export const diskFileSystem: StoreFileSystem = {
  async makeDir(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  async mode(path) {
    return (await stat(path)).mode & 0o7777;
  },
  list: (dir) => readdir(dir),
  async read(path, limit) {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, limit));
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  },
  async create(path) {
    const file = await open(path, 'wx', 0o600);
    return {
      write: (data) => file.writeFile(data),
      sync: () => file.sync(),
      close: () => file.close(),
    };
  },
  link,
  rename,
  remove: unlink,
  async syncDir(dir) {
    const folder = await open(dir, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
};
