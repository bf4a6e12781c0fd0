import { section } from '../text/shell.ts';
import { LIST_ARGUMENTS } from './tables.ts';

/** How the programs are run on this switch: each with "sudo -n " or "" before it. */
export interface Access {
  readonly vsctl: string;
  readonly ip: string;
  readonly appctl: string;
  readonly lldpcli: string;
}

/** Open vSwitch's own default on Linux, also where /var/run is a link to /run. */
const DEFAULT_RUN_DIR = '/var/run/openvswitch';

export function vsctl(sudo: string, runDir: string | null, seconds: number): string {
  return `${sudo}ovs-vsctl --timeout=${seconds}${runDir === null ? '' : ` --db=unix:${runDir}/db.sock`}`;
}

/** The whole database that matters, from one snapshot. */
export function listSection(name: string, sudo: string, runDir: string | null, seconds: number): string {
  return section(name, `${vsctl(sudo, runDir, seconds)} -f json ${LIST_ARGUMENTS}`);
}

/**
 * `vswitchd`, `ovsdb`: the /proc/PID/stat lines of the daemons. Reading them takes no rights and no process. Where /proc
 * hides them, `alive` asks ovs-vswitchd itself.
 */
export function daemonSections(appctlSudo: string, runDir: string | null): string[] {
  return [
    `run=${runDir ?? DEFAULT_RUN_DIR}`,
    'stat_of() { p=; t=; [ -r "$1" ] && read -r p <"$1"; case $p in ""|*[!0-9]*) p=;; esac; [ -n "$p" ] && [ -r "/proc/$p/stat" ] && read -r t <"/proc/$p/stat"; printf "%s" "$t"; }',
    section('ovsdb', 'stat_of "$run/ovsdb-server.pid"'),
    section('vswitchd', 'stat_of "$run/ovs-vswitchd.pid"'),
    `if [ -z "$t" ]; then ${section('alive', `${appctl(appctlSudo, runDir)} version >/dev/null`)}; fi`,
  ];
}

/** `$p` is the process ID of ovs-vswitchd, from {@link daemonSections}. */
export function appctl(sudo: string, runDir: string | null): string {
  return `${sudo}ovs-appctl -T 2${runDir === null ? '' : ` -t ${runDir}/ovs-vswitchd.$p.ctl`}`;
}

/** Everything that identify needs, and what tells which programs need sudo: `vsctl-sudo` and `lldp-sudo` are only there when the plain ones failed. */
export function identifyScript(
  sudo: 'none' | 'auto' | 'all',
  lldp: boolean,
  runDir: string | null,
  seconds: number,
): string[] {
  const first = sudo === 'all' ? 'sudo -n ' : '';
  const retry = (line: string) => (sudo === 'auto' ? [`if [ $r != 0 ] && [ "$id" != 0 ]; then ${line}; fi`] : []);
  const chassis = (name: string, program: string) => section(name, `${program}lldpcli -f json0 show chassis`);
  return [
    'id=$(id -u); begin uid; printf %s "$id"; end 0',
    section('boot', 'cat /proc/sys/kernel/random/boot_id'),
    section('host', 'uname -n'),
    ...(sudo === 'auto' ? ['w="sudo -n"; [ "$id" = 0 ] && w='] : [`w="${first.trim()}"`]),
    ...daemonSections('$w ', runDir),
    listSection('vsctl', first, runDir, seconds),
    ...retry(listSection('vsctl-sudo', 'sudo -n ', runDir, seconds)),
    ...(lldp ? [chassis('lldp', first), ...retry(chassis('lldp-sudo', 'sudo -n '))] : []),
    section('link', 'ip -j link show'),
    'set -- $SSH_CONNECTION; a=$1',
    'case $a in ""|*[!0-9a-fA-F:.]*) ;; *)',
    section('route', 'ip -j route get "$a"'),
    section('neigh', 'ip -j neigh show'),
    ';; esac',
  ];
}

export function readScript(access: Access, runDir: string | null, seconds: number): string[] {
  return [
    ...daemonSections(access.appctl, runDir),
    listSection('vsctl', access.vsctl, runDir, seconds),
    section('link', 'ip -j link show'),
  ];
}

/** Where the bridge has learned one MAC. Both arguments fit strict patterns. */
export function fdbScript(access: Access, runDir: string | null, bridge: string, mac: string): string[] {
  return [
    ...daemonSections(access.appctl, runDir),
    section('fdb', `${appctl(access.appctl, runDir)} fdb/show ${bridge} | grep -i -F ${mac} | head -n 8`),
  ];
}
