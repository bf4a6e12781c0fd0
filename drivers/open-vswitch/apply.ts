import type { Exchange, Step, StepResult } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { sanitizeText } from '../model/text.ts';
import { type Section, section } from '../text/shell.ts';

/** Beginnings of the command lines on this switch, e.g. "sudo -n ip", "ovs-vsctl --timeout=9". */
export interface Programs {
  readonly vsctl: string;
  readonly ip: string;
}

/** A step whose commands are of the three forms that the driver renders. */
interface Plan {
  readonly step: Step;
  /** Device to shut before, null: none. */
  readonly down: string | null;
  /** The port's part of the transaction. */
  readonly part: string;
  readonly up: string | null;
}

const LINK = /^ip link set dev ([A-Za-z0-9][A-Za-z0-9._:-]{0,62}) (up|down)$/;
/** Words that mean nothing to a shell, or single-quoted ones: whatever a step holds, it can only be arguments. */
const VSCTL =
  /^ovs-vsctl ((?:(?:[A-Za-z0-9_.,:=/+-]|'[^'\0\r\n]*'|\\')+)(?: (?:[A-Za-z0-9_.,:=/+-]|'[^'\0\r\n]*'|\\')+)*)$/;

/** The step as a plan; null when a command has any other form than the driver's own. */
export function planStep(step: Step): Plan | null {
  let down: string | null = null;
  let part: string | null = null;
  let up: string | null = null;
  for (const command of step.commands) {
    const link = LINK.exec(command);
    const vsctl = VSCTL.exec(command);
    if (link?.[2] === 'down' && part === null && down === null) down = link[1] ?? null;
    else if (vsctl && part === null) part = vsctl[1] ?? null;
    else if (link?.[2] === 'up' && part !== null && up === null) up = link[1] ?? null;
    else return null;
  }
  return step.kind === 'port' && part !== null ? { step, down, part, up } : null;
}

/**
 * The script for a whole batch, for one round trip:
 *
 * 1. `down`: all ports that are shut, by one `ip -batch` (`-force`: one bad device does not stop the others);
 * 2. `tx`: the parts of all ports that were shut as they should, in one transaction. When that is refused, nothing of it
 *    was done, and each part is sent by itself (`tx0`, `tx1` ...), so that a bad port does not spoil the others. When it is not
 *    confirmed (a time-out), nothing more is sent at all;
 * 3. `up`: the ports whose part was accepted.
 *
 * A part is a shell function that adds its words to those of the command behind it, so it stands in the script once.
 */
export function applyScript(plans: readonly Plan[], programs: Programs): string[] {
  const lines = [
    "n='\n'",
    'c=; k=0; u=; b=; l=; o=; r=0',
    `vsctl() { ${programs.vsctl} "$@"; }`,
    `batch() { ${programs.ip} -force -batch -; }`,
    'done_line() { [ "$r" = 0 ] || case "$n$o$n" in *"$n"\'Command failed -:\'"$1$n"*) return 1;; *"Command failed -:"*) ;; *) return 1;; esac; }',
    ...plans.map((plan, i) => `tx${i}() { "$@" -- ${plan.part}; }`),
  ];
  const downs = plans.flatMap(({ down }) => (down === null ? [] : [`'link set dev ${down} down'`]));
  if (downs.length > 0) {
    lines.push(`begin down; o=$(printf '%s\\n' ${downs.join(' ')} | batch 2>&1); r=$?; printf '%s' "$o"; end $r`);
  }
  let line = 0;
  for (const [i, { down }] of plans.entries())
    lines.push(`${down === null ? '' : `done_line ${++line} && `}{ c="$c tx${i}"; k=$((k+1)); }`);
  lines.push(
    'if [ -n "$c" ]; then',
    // The list is split into words on purpose: `tx0 tx1 vsctl` becomes `vsctl -- part0 -- part1` from the outside in.
    section('tx', '$c vsctl 2>&1'),
    'if [ $r = 0 ]; then u="$c"; elif [ $r = 1 ] && [ "$k" -gt 1 ]; then',
    `for t in $c; do ${section('"$t"', '$t vsctl 2>&1')}; case $r in 0) u="$u $t";; 1) ;; *) break;; esac; done`,
    'fi; fi',
  );
  for (const [i, { up }] of plans.entries()) {
    if (up !== null) lines.push(`case "$u " in *" tx${i} "*) b="$b"'link set dev ${up} up'"$n"; l="$l tx${i}";; esac`);
  }
  lines.push(
    'if [ -n "$b" ]; then',
    'begin up; o=$(printf %s "$b" | batch 2>&1); r=$?; printf \'%s\\n%s\' "$l" "$o"; end $r',
    'fi',
  );
  return lines;
}

/**
 * What became of each plan. Throws {@link DriverError} `timeout` when Open vSwitch did not confirm a transaction: it is in
 * the database, and whether the switch works by it must be read back.
 */
export function readApply(plans: readonly Plan[], sections: ReadonlyMap<string, Section>): StepResult[] {
  const down = ipBatch(sections.get('down'));
  const up = sections.get('up');
  const upOrder = up?.stdout.split('\n', 1)[0]?.trim().split(' ') ?? [];
  const upBatch = ipBatch(up && { ...up, stdout: up.stdout.slice(up.stdout.indexOf('\n') + 1) });
  let line = 0;
  return plans.map((plan, i) => {
    const exchanges: Exchange[] = [];
    const { step, part } = plan;
    const finish = (command: string, refused: string | null): StepResult | null => {
      exchanges.push({ command, answer: refused ?? '' });
      if (refused === null) return null;
      const message = `port ${step.subject}: the switch refused "${sanitizeText(command, 120)}": ${refused}${advice(refused, command)}`;
      return {
        step,
        exchanges,
        error: new DriverError('rejected', message, { command, answer: refused, port: step.subject }),
      };
    };
    const shut = plan.down === null ? null : finish(`ip link set dev ${plan.down} down`, down(++line));
    if (shut !== null) return shut;
    const changed = finish(`ovs-vsctl ${part}`, transaction(sections, `tx${i}`));
    if (changed !== null) return changed;
    const raised =
      plan.up === null ? null : finish(`ip link set dev ${plan.up} up`, upBatch(upOrder.indexOf(`tx${i}`) + 1));
    return raised ?? { step, exchanges, error: null };
  });
}

/** Answer to line k of an `ip -batch`: null when it was done, else what was said. */
function ipBatch(batch: Section | undefined): (line: number) => string | null {
  const lines = batch?.stdout.split('\n') ?? [];
  const failed = new Map<number, string>();
  lines.forEach((text, i) => {
    const mark = /^Command failed -:([0-9]{1,5})$/.exec(text);
    if (mark) failed.set(Number(mark[1]), sanitizeText(lines[i - 1] ?? '') || 'Command failed');
  });
  return (line) => {
    if (line < 1 || batch === undefined) return 'it was not reached';
    if (batch.code === 0) return null;
    return failed.size === 0 ? sanitizeText(batch.stdout) || `exit code ${batch.code}` : (failed.get(line) ?? null);
  };
}

function transaction(sections: ReadonlyMap<string, Section>, name: string): string | null {
  const joint = sections.get('tx');
  const own = sections.get(name) ?? joint;
  if (own === undefined) return 'it was not reached';
  const unconfirmed = [joint, own].find((s) => s !== undefined && isUnconfirmed(s.code));
  if (unconfirmed !== undefined) throw notConfirmed(unconfirmed);
  return own.code === 0 ? null : vsctlWords(own.stdout) || `exit code ${own.code}`;
}

/**
 * 142: ended by SIGALRM, ovs-vsctl's own --timeout (128 + 14). 65: from 3.6 on, the wait for ovs-vswitchd failed. 124, 137, 143:
 * killed by something else. In all of them the database may hold the change already (seen with a stopped ovs-vswitchd:
 * the row was written, and next_cfg was ahead of cur_cfg).
 */
export function isUnconfirmed(code: number | null): boolean {
  return code === null || code === 65 || (code >= 124 && code !== 126 && code !== 127);
}

function notConfirmed(answer: Section): DriverError {
  const said = vsctlWords(answer.stdout);
  return new DriverError(
    'timeout',
    `ovs-vswitchd did not confirm the change in time: it is in the database, and whether the switch works by it is not known; look at "systemctl status openvswitch-switch" and the log of ovs-vswitchd${said ? ` (${said})` : ''}`,
    { answer: said },
  );
}

/** The words of ovs-vsctl, ip or sudo for a person: without log lines, which begin with a time. */
export function vsctlWords(text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\d{4}-\d\d-\d\dT/.test(line) && !line.startsWith('{'));
  return sanitizeText(lines.map((line) => line.replace(/^ovs-vsctl: /, '')).join('; '), 400);
}

const PATHS: Readonly<Record<string, string>> = {
  ip: '/usr/sbin/ip',
  'ovs-vsctl': '/usr/bin/ovs-vsctl',
  'ovs-appctl': '/usr/bin/ovs-appctl',
  lldpcli: '/usr/sbin/lldpcli',
};

/** What to do about missing rights, naming the line that sudoers lacks; "" when the words are about something else. */
export function advice(words: string, command: string): string {
  if (!/^sudo: |not allowed to execute|Permission denied|Operation not permitted|a password is required/i.test(words))
    return '';
  const program = command.split(' ')[0] ?? '';
  return ` (the login user lacks the right: add to /etc/sudoers.d "USER ALL=(root) NOPASSWD: ${PATHS[program] ?? program}")`;
}
