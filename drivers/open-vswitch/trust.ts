import { DriverError } from '../errors.ts';
import type { Section } from '../text/shell.ts';
import { advice, vsctlWords } from './apply.ts';
import type { Tables } from './tables.ts';

/** A daemon's state from its /proc/PID/stat line. */
interface Process {
  readonly pid: string;
  readonly command: string;
  /** One letter, proc(5): R, S, D running; T, t stopped; Z, X dead. */
  readonly state: string;
  /** Clock ticks after boot; with the PID it names this one process. */
  readonly started: string;
}

/** Reads a /proc/PID/stat line (the command in parentheses may itself hold any character); null when there is none. */
export function parseStat(text: string): Process | null {
  const match = /^([0-9]{1,10}) \((.{1,64})\) ([A-Za-z])((?: -?[0-9]+){18}) ([0-9]+)/.exec(text.trim());
  if (match === null) return null;
  return { pid: match[1] ?? '', command: match[2] ?? '', state: match[3] ?? '', started: match[5] ?? '' };
}

/**
 * Throws {@link DriverError} `timeout` when ovs-vswitchd is not at work: the database then tells what is wanted of the
 * switch, not what it does.
 *
 * Seen with Open vSwitch 3.1.0: with ovs-vswitchd stopped (SIGSTOP), `ovs-vsctl set port p tag=100` ends by its --timeout
 * with exit code 142, `list Port` shows tag 100 at once and the datapath keeps the old VLAN; next_cfg is ahead of cur_cfg. A
 * write with --no-wait does not even show there. With ovs-vswitchd dead, too, everything can be read as if it
 * worked. So both are looked at: the process, and whether it has taken the last change.
 */
export function requireVswitchd(sections: ReadonlyMap<string, Section>): void {
  const line = sections.get('vswitchd')?.stdout ?? '';
  const alive = sections.get('alive');
  if (alive !== undefined) {
    if (alive.code === 0) return;
    const words = vsctlWords(alive.stderr);
    throw notWorking(`does not answer: ${words || `exit code ${alive.code}`}${advice(words, 'ovs-appctl')}`);
  }
  const process = parseStat(line);
  if (process === null || !process.command.startsWith('ovs-vswitchd')) throw notWorking('is not running');
  if (/[Tt]/.test(process.state)) throw notWorking(`is stopped (process ${process.pid})`);
  if (/[ZX]/.test(process.state)) throw notWorking('is dead');
}

/** True when ovs-vswitchd has taken every change that somebody waits for; false for a moment while one is under way. */
export function isSettled(tables: Tables): boolean {
  const [wanted, done] = [tables.root.integer('next_cfg'), tables.root.integer('cur_cfg')];
  return wanted !== null && done !== null && done >= wanted;
}

/** For a reading that stays unsettled. */
export function notSettled(): DriverError {
  return notWorking('has not taken the last change (cur_cfg is behind next_cfg)');
}

/** Differs after a reboot, and after a restart of either daemon. */
export function bootIdOf(sections: ReadonlyMap<string, Section>): string | null {
  const boot = /^[0-9a-f-]{36}$/.exec(sections.get('boot')?.stdout.trim() ?? '')?.[0];
  if (boot === undefined) return null;
  const daemons = ['ovsdb', 'vswitchd'].map((name) => parseStat(sections.get(name)?.stdout ?? ''));
  return [boot, ...daemons.map((process) => (process === null ? '-' : `${process.pid}.${process.started}`))].join('/');
}

function notWorking(how: string): DriverError {
  return new DriverError(
    'timeout',
    `ovs-vswitchd ${how}, so what the database says is not what the switch does; look at "systemctl status openvswitch-switch"`,
  );
}
