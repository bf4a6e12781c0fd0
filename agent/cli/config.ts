import { findDriver, listDrivers } from '../../drivers/registry.ts';
import { type EffectiveRow, effectiveRows } from '../config/effective.ts';
import { type ConfigFileSystem, diskConfigFiles } from '../config/file-system.ts';
import { formatProblem, type Problem } from '../config/problem.ts';
import { readConfiguration } from '../config/read.ts';
import { EXIT } from './exit-codes.ts';
import { count, printable, printableJson } from './text.ts';

/** What these commands use of the outside world; the command table's CliIo has it. */
export interface ConfigIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The configuration file when none is named. */
export function defaultConfigFile(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['PORTKEEPER_CONFIG'];
  return named === undefined || named === '' ? '/etc/portkeeper/portkeeper.yaml' : named;
}

interface CheckCall {
  readonly file: string;
  readonly effective: boolean;
  readonly json: boolean;
  /** Missing files are errors. */
  readonly strict: boolean;
}

/** The last two belong to every command and change nothing here: there are no colours, and nothing is cut. */
const FLAGS = ['--effective', '--json', '--strict', '--no-color', '--wide'];
const USAGE = 'usage: portkeeper config check [FILE] [--effective] [--json] [--strict]';

/**
 * `portkeeper config check [FILE]`: prints every problem of a configuration. Exit 0: valid (there may be warnings), 78: not
 * valid, 66: the file cannot be read. Files that the configuration names and that are not there are errors for the default file
 * and with --strict, and warnings for a FILE that is named, since that may be checked on another machine.
 */
export async function configCheck(
  args: readonly string[],
  io: ConfigIo,
  fs: ConfigFileSystem = diskConfigFiles,
): Promise<number> {
  const call = parse(args, io.env);
  if (typeof call === 'string') {
    io.stderr(`portkeeper: ${printable(call)}\n${USAGE}\n`);
    return EXIT.usage;
  }
  const result = await readConfiguration(call.file, {
    fs,
    env: io.env,
    findDriver,
    missingFiles: call.strict ? 'error' : 'warning',
  });
  const problems = result.ok ? result.warnings : result.problems;
  const rows = result.ok && call.effective ? effectiveRows(result) : null;
  if (call.json)
    io.stdout(
      `${printableJson({ file: call.file, valid: result.ok, problems: problems.map(jsonProblem), effective: rows ?? [] })}\n`,
    );
  else {
    for (const problem of problems) io.stderr(`${printable(formatProblem(problem))}\n`);
    if (rows) io.stdout(table(rows));
    else if (result.ok) io.stdout(`${printable(verdict(call.file, true, problems))}\n`);
    else if (!result.unreadable) io.stderr(`${printable(verdict(call.file, false, problems))}\n`);
  }
  if (result.ok) return EXIT.ok;
  return result.unreadable ? EXIT.input : EXIT.config;
}

function parse(args: readonly string[], env: ConfigIo['env']): CheckCall | string {
  const files: string[] = [];
  const flags = new Set<string>();
  let onlyFiles = false;
  for (const arg of args) {
    if (onlyFiles || !arg.startsWith('-')) files.push(arg);
    else if (arg === '--') onlyFiles = true;
    else if (FLAGS.includes(arg)) flags.add(arg);
    else return `unknown flag ${arg}`;
  }
  if (files.length > 1) return 'only one file can be checked at a time';
  const named = files[0];
  return {
    file: named ?? defaultConfigFile(env),
    effective: flags.has('--effective'),
    json: flags.has('--json'),
    strict: flags.has('--strict') || named === undefined,
  };
}

/** All keys, always. */
function jsonProblem(problem: Problem): Record<string, unknown> {
  return { ...problem, allowed: problem.allowed ?? null, suggestion: problem.suggestion ?? null };
}

function verdict(file: string, valid: boolean, problems: readonly Problem[]): string {
  const number = (severity: Problem['severity']) => problems.filter((problem) => problem.severity === severity).length;
  const errors = count(number('error'), 'error');
  const warnings = count(number('warning'), 'warning');
  return valid ? `${file}: valid, ${warnings}` : `${file}: not valid: ${errors}, ${warnings}`;
}

function table(rows: readonly EffectiveRow[]): string {
  const shown = rows.map((row) => [row.path, row.value === '' ? '-' : row.value, row.source].map(printable));
  const all = [['KEY', 'VALUE', 'SOURCE'], ...shown];
  const widths = [0, 1].map((column) => Math.min(48, Math.max(...all.map((cells) => (cells[column] ?? '').length))));
  return all
    .map(
      (cells) =>
        `${cells
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** `portkeeper config drivers`: what `driver:` may be. Exit 0. */
export async function configDrivers(args: readonly string[], io: ConfigIo): Promise<number> {
  const json = args.includes('--json');
  const wrong = args.find((arg) => arg !== '--json');
  if (wrong !== undefined) {
    io.stderr(`portkeeper: ${printable(wrong)} is not understood here\nusage: portkeeper config drivers [--json]\n`);
    return EXIT.usage;
  }
  const drivers = listDrivers();
  if (json) {
    io.stdout(`${printableJson({ drivers: drivers.map(({ name, capabilities }) => ({ name, capabilities })) })}\n`);
    return EXIT.ok;
  }
  const rows = drivers.map(({ name, capabilities: can }) => [
    name,
    can.modes.join(', '),
    can.mtu === null ? 'no' : `${can.mtu.min}-${can.mtu.max}`,
    can.nativeVlanOnTrunk ? 'yes' : 'no',
    can.lag ? 'yes' : 'no',
  ]);
  const all = [['DRIVER', 'MODES', 'MTU', 'NATIVE VLAN ON TRUNK', 'LAG'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((cells) => (cells[column] ?? '').length))) ?? [];
  for (const cells of all)
    io.stdout(
      `${cells
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  io.stdout('Device types of networking-generic-switch are understood as well, with or without "netmiko_".\n');
  return EXIT.ok;
}
