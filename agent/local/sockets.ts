import { chmod, chown, lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';

/** Longest path of a unix socket on Linux: sun_path of unix(7), 108 bytes with the closing NUL. */
const LONGEST_PATH = 107;

export type SocketErrorCode = 'in-use' | 'path-too-long' | 'not-a-socket' | 'no-permission' | 'failed';

/** The local API cannot listen; the message names the path and says what to do. */
export class SocketError extends Error {
  override readonly name = 'SocketError';
  readonly code: SocketErrorCode;
  readonly path: string;
  constructor(code: SocketErrorCode, path: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
  }
}

export interface SocketPlace {
  readonly path: string;
  /** Permission bits; who may connect. */
  readonly mode: number;
  /** Group to own the socket; null: the process's own. */
  readonly groupId: number | null;
}

export interface BoundSocket {
  /** What the group could not be set to, as a sentence; null when all is as asked. */
  readonly warning: string | null;
  /** Stops listening, cuts connections and removes the file, unless another process has put its own there meanwhile. */
  close(): Promise<void>;
}

/**
 * Listens on a unix socket. The socket is bound under a private name and moved into place with its final mode, so that
 * it can never be reached with any other. A file that is in the way is removed only when it is a socket that nobody
 * answers on. Throws {@link SocketError}.
 */
export async function listenOnPath(server: Server, place: SocketPlace): Promise<BoundSocket> {
  const { path } = place;
  const folder = dirname(path);
  const temporary = join(folder, `.new-${process.pid}`);
  if (Buffer.byteLength(path) > LONGEST_PATH || Buffer.byteLength(temporary) > LONGEST_PATH) {
    throw new SocketError(
      'path-too-long',
      path,
      `${path} is longer than the ${LONGEST_PATH} bytes of a socket path; choose a shorter runtimeDir`,
    );
  }
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o755 });
    // The process's umask may have taken away what lets other users reach status.sock.
    if (made !== undefined) await chmod(folder, 0o755);
    await refuseLiveSocket(path);
    await rm(temporary, { force: true });
    await listening(server, { path: temporary });
    await chmod(temporary, place.mode);
    const warning = await giveToGroup(temporary, place.groupId);
    await rename(temporary, path);
    const { ino, dev } = await lstat(path);
    return {
      warning,
      async close() {
        await stop(server);
        const now = await lstat(path).catch(() => null);
        if (now?.ino === ino && now.dev === dev) await rm(path, { force: true });
      },
    };
  } catch (error) {
    await stop(server);
    await rm(temporary, { force: true }).catch(() => {});
    throw error instanceof SocketError ? error : describe(error, path);
  }
}

/** Listens on a socket that the service manager made; its name, mode and group are not ours to change. */
export async function listenOnDescriptor(server: Server, fd: number): Promise<BoundSocket> {
  try {
    await listening(server, { fd });
  } catch (error) {
    throw new SocketError(
      'failed',
      `fd ${fd}`,
      `cannot listen on descriptor ${fd} from the service manager: ${text(error)}`,
      error,
    );
  }
  return { warning: null, close: () => stop(server) };
}

/** The number of a group in the text of /etc/group (group(5)); null when it is not there. Pure. */
export function findGroup(groups: string, name: string): number | null {
  for (const line of groups.split('\n')) {
    const [group, , id] = line.split(':');
    if (group === name && id !== undefined && /^[0-9]{1,10}$/.test(id)) return Number(id);
  }
  return null;
}

/** The number of a group of this machine; null when there is none of that name. Never throws. */
export async function groupIdOf(name: string): Promise<number | null> {
  return findGroup(await readFile('/etc/group', 'utf8').catch(() => ''), name);
}

async function giveToGroup(path: string, groupId: number | null): Promise<string | null> {
  if (groupId === null) return null;
  try {
    // A hardened service may run in that group, and not be let call chown.
    if ((await lstat(path)).gid !== groupId) await chown(path, -1, groupId);
    return null;
  } catch (error) {
    return `could not give it to group ${groupId} (${text(error)}); only the agent's own user and group may use it`;
  }
}

/** Resolves when nobody listens there and nothing but a dead socket is in the way. */
async function refuseLiveSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isSocket()) {
    throw new SocketError(
      'not-a-socket',
      path,
      `${path} is in the way and is not a socket; move it or choose another runtimeDir`,
    );
  }
  const outcome = await new Promise<string>((resolve) => {
    const probe = connect({ path, timeout: 2000 });
    probe.once('connect', () => resolve('live'));
    probe.once('timeout', () => resolve('live'));
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
    probe.once('close', () => probe.destroy());
    probe.once('connect', () => probe.destroy());
    probe.once('timeout', () => probe.destroy());
  });
  if (outcome === 'ECONNREFUSED' || outcome === 'ENOENT') return;
  if (outcome === 'EACCES' || outcome === 'EPERM') {
    throw new SocketError(
      'no-permission',
      path,
      `${path} belongs to another user; stop that agent or choose another runtimeDir`,
    );
  }
  throw new SocketError('in-use', path, `another agent answers on ${path}; stop it or choose another runtimeDir`);
}

function listening(server: Server, where: { path: string } | { fd: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function describe(error: unknown, path: string): SocketError {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new SocketError(
      'no-permission',
      path,
      `may not create ${path}; give the agent's user the folder or choose another runtimeDir`,
      error,
    );
  }
  return new SocketError('failed', path, `cannot listen on ${path}: ${text(error)}`, error);
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
