import { parseArgs } from 'node:util';
import { nearest } from '../../drivers/model/nearest.ts';
import type { CommandCall, CommandSpec, FlagSpec } from './command.ts';
import { COMMANDS, GROUPS } from './commands.ts';
import { usageError } from './exit-codes.ts';
import { printable } from './text.ts';

/** Which command a line asks for, and the rest of the line. */
export interface Found {
  readonly command: CommandSpec;
  readonly rest: string[];
  readonly help: boolean;
}

/** Words that people try. */
const SYNONYMS: Readonly<Record<string, string>> = { neighbours: 'neighbors', '--version': 'version', '-V': 'version' };

/**
 * Finds the command of a line; flags may stand before it. No command: `status`. Throws a usage error with what may have
 * been meant.
 */
export function findCommand(argv: readonly string[]): Found {
  const rest = [...argv];
  const index = commandIndex(rest);
  const given = index < 0 ? undefined : rest.splice(index, 1)[0];
  let name = given === undefined ? 'status' : (SYNONYMS[given] ?? given);
  if (GROUPS.includes(name)) {
    const second = rest[index];
    const choices = COMMANDS.filter((c) => c.name.startsWith(`${name} `)).map((c) => c.name);
    if (second === '--help' || second === '-h') return { command: spec('help'), rest: [], help: false };
    if (second === undefined || second.startsWith('-')) throw usageError(`${name}: which one?`, choices.join(', or '));
    rest.splice(index, 1);
    name = `${name} ${second}`;
  }
  const command = COMMANDS.find((c) => c.name === name);
  if (command === undefined) throw unknownCommand(name);
  const end = rest.indexOf('--');
  const before = end < 0 ? rest : rest.slice(0, end);
  return { command, rest, help: before.includes('--help') || before.includes('-h') };
}

function unknownCommand(name: string): Error {
  const near = nearest(
    name,
    COMMANDS.map((c) => c.name),
  );
  const meant = near[0] === undefined ? '' : `; did you mean ${near.join(' or ')}?`;
  const type = near[0] === undefined ? 'portkeeper help' : `portkeeper ${near[0]}`;
  return usageError(`there is no command "${printable(name.slice(0, 60))}"${meant}`, type);
}

function spec(name: string): CommandSpec {
  const command = COMMANDS.find((c) => c.name === name);
  if (command === undefined) throw new Error(`the command table has no ${name}`);
  return command;
}

/** Position of the command word: the first that is neither a flag nor the value of one. -1: none. */
function commandIndex(line: readonly string[]): number {
  const valued = new Set(COMMANDS.flatMap((c) => c.flags.filter((f) => f.value !== null).map((f) => `--${f.name}`)));
  for (let i = 0; i < line.length; i++) {
    const word = line[i] ?? '';
    if (word === '--version' || word === '-V') return i;
    if (!word.startsWith('-')) return i;
    if (valued.has(word)) i++;
  }
  return -1;
}

/** Parses the rest of a line by the table. Throws usage errors that name the flag or argument. */
export function parseCall(command: CommandSpec, rest: readonly string[]): CommandCall {
  const options = Object.fromEntries(
    command.flags.map((f) => [
      f.name,
      { type: f.value === null ? ('boolean' as const) : ('string' as const), ...(f.short ? { short: f.short } : {}) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...rest], options, strict: false, allowPositionals: true, tokens: true });
  const values = new Map<string, string | true>();
  const args: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = command.flags.find((f) => f.name === token.name);
    if (flag === undefined) throw unknownFlag(command, token.rawName);
    values.set(flag.name, flagValue(command, flag, token.value, token.inlineValue === true));
  }
  const [fewest, most] = command.args;
  if (args.length < fewest)
    throw usageError(`${command.name} needs ${command.usage}`, `portkeeper help ${command.name}`);
  if (args.length > most) {
    const extra = printable((args[most] ?? '').slice(0, 60));
    throw usageError(`${command.name}: "${extra}" is one argument too many`, `portkeeper help ${command.name}`);
  }
  return {
    args,
    has: (flag) => values.has(flag),
    value: (flag) => {
      const value = values.get(flag);
      return typeof value === 'string' ? value : undefined;
    },
  };
}

function unknownFlag(command: CommandSpec, rawName: string): Error {
  const near = nearest(
    rawName.replace(/^-+/, ''),
    command.flags.map((f) => f.name),
  );
  const meant = near[0] === undefined ? '' : `; did you mean --${near.join(' or --')}?`;
  return usageError(
    `${command.name} has no flag ${printable(rawName.slice(0, 60))}${meant}`,
    `portkeeper help ${command.name}`,
  );
}

function flagValue(command: CommandSpec, flag: FlagSpec, value: string | undefined, inline: boolean): string | true {
  if (flag.value === null) {
    if (value !== undefined) throw usageError(`--${flag.name} takes no value`, `portkeeper help ${command.name}`);
    return true;
  }
  const missing = value === undefined || value === '' || (!inline && value.length > 1 && value.startsWith('-'));
  if (missing)
    throw usageError(`--${flag.name} needs a value: --${flag.name} ${flag.value}`, `portkeeper help ${command.name}`);
  return value;
}
