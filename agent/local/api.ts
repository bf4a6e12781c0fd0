import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Clock } from '../../drivers/model/clock.ts';
import type { AgentControl, AgentReader } from '../model/views.ts';
import type { InheritedSockets } from './activation.ts';
import { API_LIMITS, type ApiLimits, createApiServer, type LocalLog } from './server.ts';
import { type BoundSocket, groupIdOf, listenOnDescriptor, listenOnPath, type SocketPlace } from './sockets.ts';

export const STATUS_SOCKET = 'status.sock';
export const CONTROL_SOCKET = 'control.sock';
/** Members may use the control socket. */
export const ADMIN_GROUP = 'portkeeper-admin';

export interface LocalApiOptions {
  readonly reader: AgentReader;
  readonly control: AgentControl;
  /** Folder of the two sockets; made with mode 0755 when absent. */
  readonly runtimeDir: string;
  readonly log: LocalLog;
  readonly clock: Clock;
  /** Sockets from the service manager, see {@link inheritedSockets}; they replace those in `runtimeDir`. */
  readonly inherited?: InheritedSockets;
  readonly limits?: ApiLimits;
}

/**
 * Serves the local API: `status.sock` (any local user, read only) and `control.sock` (the agent's user and
 * {@link ADMIN_GROUP}; everything, with actions). File permissions are the authorisation. Throws SocketError when it
 * cannot listen; then nothing is left behind.
 */
export async function startLocalApi(options: LocalApiOptions): Promise<{ close(): Promise<void> }> {
  const { reader, runtimeDir, log, clock, inherited = {}, limits = API_LIMITS } = options;
  const bound: BoundSocket[] = [];
  const closeAll = async (): Promise<void> => {
    await Promise.all(bound.map((socket) => socket.close()));
  };
  const open = async (server: Server, fd: number | undefined, place: SocketPlace): Promise<void> => {
    const socket = fd === undefined ? await listenOnPath(server, place) : await listenOnDescriptor(server, fd);
    bound.push(socket);
    const where = fd === undefined ? place.path : `fd ${fd}`;
    if (socket.warning !== null) log.warn({ socket: where }, `${where}: ${socket.warning}`);
    log.info({ socket: where }, 'local API listening');
    server.on('error', (error) => log.error({ err: error, socket: where }, 'local API socket failed'));
  };
  try {
    await open(createApiServer({ reader, control: null, log, clock, limits }), inherited.status, {
      path: join(runtimeDir, STATUS_SOCKET),
      mode: 0o666,
      groupId: null,
    });
    await open(createApiServer({ reader, control: options.control, log, clock, limits }), inherited.control, {
      path: join(runtimeDir, CONTROL_SOCKET),
      mode: 0o660,
      groupId: await groupIdOf(ADMIN_GROUP),
    });
  } catch (error) {
    await closeAll();
    throw error;
  }
  return { close: closeAll };
}
