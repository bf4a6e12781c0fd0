import { join } from 'node:path';
import type { ConfigFileSystem, FileFacts } from './file-system.ts';
import { type Issue, issue } from './problem.ts';

/** Largest file of a secret or certificate in bytes. */
export const MAX_SECRET_BYTES = 65_536;

/** Where relative file names are looked for, in this order. */
export type FileFolders = readonly string[];

/** A file named by the configuration, as read. */
export interface NamedFile {
  /** Path that was used. */
  readonly path: string;
  /** Text without the newline at its end; null when it could not be used, and the issues say why. */
  readonly text: string | null;
  /** Every path that was looked at, so that a file that appears later is noticed. */
  readonly looked: readonly string[];
  readonly issues: readonly Issue[];
}

/** Rules for one kind of file. */
export interface FileKind {
  /** Others must not be able to read it. */
  readonly secret: boolean;
  /** A password: one line, without NUL. */
  readonly oneLine: boolean;
}

/** Reads one file that the configuration names at `at`; never rejects. */
export async function readNamedFile(
  fs: ConfigFileSystem,
  folders: FileFolders,
  name: string,
  kind: FileKind,
  at: readonly PropertyKey[],
): Promise<NamedFile> {
  if (name.startsWith('~')) {
    const found = issue('error', at, '"~" is not understood here; write the whole path');
    return { path: name, text: null, looked: [], issues: [found] };
  }
  const candidates = name.startsWith('/') ? [name] : folders.map((folder) => join(folder, name));
  const looked: string[] = [];
  for (const [index, path] of candidates.entries()) {
    looked.push(path);
    try {
      const file = await fs.read(path, MAX_SECRET_BYTES + 1);
      return { path, looked, ...checkText(file, path, kind, fs.gid, at) };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (code === 'ENOENT' && index < candidates.length - 1) continue;
      const missing = code === 'ENOENT' || code === 'ENOTDIR';
      const found = issue('error', at, unreadable(code, missing ? candidates : [path]));
      return { path, text: null, looked, issues: [missing ? { ...found, fileMissing: true } : found] };
    }
  }
  return { path: name, text: null, looked, issues: [issue('error', at, unreadable('ENOENT', [name]))] };
}

function unreadable(code: string, paths: readonly string[]): string {
  const shown = paths.join(' or ');
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no file ${shown}; create it, or correct the path`;
  if (code === 'EACCES' || code === 'EPERM') {
    return `${shown} may not be read by this user; give it to the user or group that runs portkeeper`;
  }
  if (code === 'EISDIR') return `${shown} is a folder; name the file in it`;
  if (code === 'EINVAL') return `${shown} is not a regular file`;
  return `${shown} cannot be read (${code === '' ? 'unknown error' : code})`;
}

function checkText(
  file: FileFacts,
  path: string,
  kind: FileKind,
  gid: number,
  at: readonly PropertyKey[],
): { readonly text: string | null; readonly issues: readonly Issue[] } {
  const fail = (message: string) => ({ text: null, issues: [issue('error', at, message)] });
  if (file.bytes.length > MAX_SECRET_BYTES) return fail(`${path} is larger than ${MAX_SECRET_BYTES} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(file.bytes).replace(/\r?\n$/, '');
  } catch {
    return fail(`${path} is not UTF-8 text`);
  }
  if (text.trim() === '') return fail(`${path} is empty`);
  if (kind.oneLine && /[\r\n\0]/.test(text))
    return fail(`${path} has more than one line; it must hold the password only`);
  const warning = kind.secret ? openToOthers(file, path, gid) : null;
  return { text, issues: warning === null ? [] : [issue('warning', at, warning)] };
}

/** Access by the groups root and this process's own is how systemd and packages hand out secrets. */
function openToOthers(file: FileFacts, path: string, gid: number): string | null {
  const mode = `0${(file.mode & 0o777).toString(8)}`;
  if ((file.mode & 0o007) !== 0) {
    return `${path} has mode ${mode}: every local user has access; run: chmod o= ${path}`;
  }
  if ((file.mode & 0o070) !== 0 && file.gid !== 0 && file.gid !== gid) {
    return `${path} has mode ${mode}: group ${file.gid} has access; run: chmod g= ${path}`;
  }
  return null;
}
