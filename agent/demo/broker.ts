import { createServer, type Socket } from 'node:net';
import { Aedes } from 'aedes';

export interface BrokerOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Whether a client may connect. Default: everybody. */
  readonly login?: (username: string | null, password: string | null, clientId: string) => boolean;
  /** Whether a client may publish to a topic or subscribe to a filter. Default: everything. */
  readonly allow?: (username: string | null, action: 'publish' | 'subscribe', topic: string) => boolean;
}

export interface RunningBroker {
  readonly host: string;
  readonly port: number;
  /** mqtt://HOST:PORT */
  readonly url: string;
  /** Cuts every connection and ends. Sessions and retained messages are lost. */
  stop(): Promise<void>;
}

/** MQTT 3.1.1, 3.2.2.3: bad user name or password. */
const BAD_LOGIN = 4;
const MAX_CLIENT_ID = 256;

/**
 * A small MQTT broker in this process, for the demo and for tests. Speaks MQTT 3.1.1 only; keeps sessions and retained
 * messages in memory. Rejects with the error of `listen` when the address cannot be used.
 */
export async function startBroker(options: BrokerOptions = {}): Promise<RunningBroker> {
  const { login, allow } = options;
  const users = new WeakMap<object, string>();
  const userOf = (client: object | null) => (client === null ? null : (users.get(client) ?? null));
  const broker = await Aedes.createBroker({
    // The limit of MQTT 3.1; client IDs here carry the rack's name.
    maxClientsIdLength: MAX_CLIENT_ID,
    authenticate: (client, username, password, done) => {
      const user = username ?? null;
      if (user !== null) users.set(client, user);
      if (login === undefined || login(user, password?.toString() ?? null, client.id)) done(null, true);
      else done(Object.assign(new Error('bad user name or password'), { returnCode: BAD_LOGIN }), false);
    },
    authorizePublish: (client, packet, done) => {
      // Without a client the broker itself publishes, for example a will that was authorised before.
      if (client === null || allow === undefined || allow(userOf(client), 'publish', packet.topic)) done(null);
      else done(new Error(`may not publish to ${packet.topic}`));
    },
    authorizeSubscribe: (client, subscription, done) => {
      const allowed = allow === undefined || allow(userOf(client), 'subscribe', subscription.topic);
      done(null, allowed ? subscription : null);
    },
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    broker.handle(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', () => resolve());
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the broker has no port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    host: address.address,
    port: address.port,
    url: `mqtt://${host}:${address.port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => broker.close(() => resolve()));
    },
  };
}
