/** File descriptors of listening sockets that the service manager made for us. */
export interface InheritedSockets {
  readonly status?: number;
  readonly control?: number;
}

/** First descriptor that systemd passes (sd_listen_fds(3), SD_LISTEN_FDS_START). */
const FIRST_FD = 3;

/**
 * The sockets passed by systemd socket activation: `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` of sd_listen_fds(3).
 * Only descriptors named `status` and `control` (FileDescriptorName= in the socket unit) are taken. Pure. Empty when the
 * variables are absent, meant for another process or malformed.
 */
export function inheritedSockets(env: Readonly<Record<string, string | undefined>>, pid: number): InheritedSockets {
  if (env['LISTEN_PID'] !== String(pid)) return {};
  const count = env['LISTEN_FDS'] ?? '';
  if (!/^[0-9]{1,3}$/.test(count)) return {};
  const names = (env['LISTEN_FDNAMES'] ?? '').split(':').slice(0, Number(count));
  const found: { status?: number; control?: number } = {};
  names.forEach((name, index) => {
    if ((name === 'status' || name === 'control') && found[name] === undefined) found[name] = FIRST_FD + index;
  });
  return found;
}
