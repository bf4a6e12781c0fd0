import { spawn } from 'node:child_process';

/** Tells the service manager how the daemon is (sd_notify(3)); does nothing when there is none. */
export interface Notify {
  /** Configuration, store and sockets are up. Says nothing of broker and switches: the agent must start in a dark rack. */
  ready(): void;
  /** One line for `systemctl status`. */
  status(text: string): void;
  reloading(): void;
  stopping(): void;
}

/**
 * Speaks through the `systemd-notify` program, since Node has no datagram sockets of the unix family and a native addon
 * would tie the package to one machine type. Failures are not errors: a manager that hears nothing will say so itself.
 */
export function createNotify(env: Readonly<Record<string, string | undefined>>): Notify {
  let last = '';
  const send = (...args: string[]) => {
    if (env['NOTIFY_SOCKET'] === undefined) return;
    const child = spawn('systemd-notify', args, {
      stdio: 'ignore',
      env: { NOTIFY_SOCKET: env['NOTIFY_SOCKET'], PATH: '/usr/bin:/bin' },
    });
    child.on('error', () => {});
    child.unref();
  };
  return {
    ready: () => send('--ready', `--status=${last}`),
    status: (text) => {
      if (text === last) return;
      last = text;
      send(`--status=${text}`);
    },
    reloading: () => send('RELOADING=1'),
    stopping: () => send('STOPPING=1'),
  };
}
