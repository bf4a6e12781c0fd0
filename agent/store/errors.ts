/**
 * What can go wrong with the store. Nothing else leaves agent/store.
 *
 * - `disk-full`: no space or quota left; nothing was changed
 * - `read-only`: the folder or file system may not be written
 * - `io`: the disk or the operating system failed otherwise
 * - `corrupt`: no readable copy is left; the files are where they were
 * - `newer-version`: written by a newer portkeeper; not touched
 * - `locked`: another process uses the folder
 * - `too-large`: the value is over the size limit; nothing was changed
 * - `invalid`: the value has not the shape of the schema and would not be readable again; nothing was changed
 */
export type StoreErrorCode =
  | 'disk-full'
  | 'read-only'
  | 'io'
  | 'corrupt'
  | 'newer-version'
  | 'locked'
  | 'too-large'
  | 'invalid';

/** A typed failure of the store. `message` names the path and says what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** File or folder concerned. */
  readonly path: string;

  constructor(code: StoreErrorCode, path: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
  }
}

/** The `code` of an operating system error ("ENOENT"); "" for anything else. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Turns a failed file operation into a {@link StoreError}; one that already is stays as it is. `doing`: "write", "read". */
export function toStoreError(error: unknown, path: string, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = errorCode(error);
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StoreError('disk-full', path, `cannot ${doing} ${path}: no space left; free some space`, error);
    case 'EROFS':
      return new StoreError(
        'read-only',
        path,
        `cannot ${doing} ${path}: the file system is read-only; check the disk and remount it`,
        error,
      );
    case 'EACCES':
    case 'EPERM':
      return new StoreError(
        'read-only',
        path,
        `cannot ${doing} ${path}: permission denied; the folder must belong to the user that runs portkeeper`,
        error,
      );
    default: {
      const why = code === '' ? (error instanceof Error ? error.message : String(error)) : code;
      return new StoreError('io', path, `cannot ${doing} ${path}: ${why}; check the disk and the folder`, error);
    }
  }
}
