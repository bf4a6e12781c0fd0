import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Real programs that some tests need. `root+namespaces`: root, on a machine that lets it make namespaces and overlays. */
export type Part =
  | 'root+namespaces'
  | 'open-vswitch'
  | 'sshd'
  | 'lldpd'
  | 'mosquitto'
  | 'python3'
  | 'systemd-analyze'
  | 'snmpd'
  | 'snmp';

/** Everything the lab is made of. */
export const LAB_PARTS: readonly Part[] = ['root+namespaces', 'open-vswitch', 'sshd', 'lldpd', 'mosquitto', 'python3'];

export type Availability = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const PROGRAMS: Record<Part, readonly string[]> = {
  'root+namespaces': ['unshare', 'nsenter', 'setpriv', 'flock', 'ip', 'ethtool', 'pgrep', 'ping'],
  'open-vswitch': ['ovsdb-server', 'ovsdb-tool', 'ovs-vswitchd', 'ovs-vsctl', 'ovs-appctl'],
  sshd: ['sshd', 'ssh', 'ssh-keygen', 'sudo'],
  lldpd: ['lldpd', 'lldpcli'],
  mosquitto: ['mosquitto', 'mosquitto_pub', 'mosquitto_sub', 'mosquitto_passwd', 'openssl'],
  python3: ['python3'],
  'systemd-analyze': ['systemd-analyze'],
  snmpd: ['snmpd'],
  snmp: ['snmpget', 'snmpset', 'snmpwalk', 'snmpbulkwalk', 'snmptrap', 'snmpinform', 'snmptrapd'],
};
const INSTALL = 'test/lab/install.sh';

function installed(program: string): boolean {
  return FOLDERS.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

let namespaces: Availability | undefined;

/** Makes one set of namespaces with an overlay, as the lab's nodes do. */
function canMakeNodes(): Availability {
  if (namespaces) return namespaces;
  const script =
    'd=$(mktemp -d) && mount -t tmpfs t "$d" && mkdir "$d/u" "$d/w" "$d/r" && mount -t overlay o -o "lowerdir=/,upperdir=$d/u,workdir=$d/w" "$d/r"; rc=$?; umount "$d/r" "$d" 2>/dev/null; rmdir "$d" 2>/dev/null; exit $rc';
  const command = ['--net', '--mount', '--uts', '--pid', '--fork', '--propagation', 'private', 'sh', '-c', script];
  if (process.platform !== 'linux') namespaces = { ok: false, reason: 'needs Linux' };
  else if (process.getuid?.() !== 0) namespaces = { ok: false, reason: 'needs root' };
  else if (spawnSync('unshare', command, { stdio: 'ignore', timeout: 10_000 }).status === 0) namespaces = { ok: true };
  else namespaces = { ok: false, reason: 'this machine makes no namespaces with an overlay' };
  return namespaces;
}

/** Whether the parts are there; otherwise which are missing and how to install them. */
export function parts(...names: readonly Part[]): Availability {
  const missing = names.flatMap((name) => PROGRAMS[name].filter((program) => !installed(program)));
  const allowed = missing.length === 0 && names.includes('root+namespaces') ? canMakeNodes() : { ok: true as const };
  if (missing.length > 0) return { ok: false, reason: `not installed: ${missing.join(', ')}; run ${INSTALL}` };
  return allowed;
}
