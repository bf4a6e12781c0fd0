import { nearest } from '../../drivers/model/nearest.ts';
import { REASONS } from '../model/reasons.ts';
import { VERSION } from '../model/version.ts';
import type { CommandRun, CommandSpec, FlagSpec } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT, EXIT_CODES, usageError } from './exit-codes.ts';
import { printable, wrap } from './text.ts';

const WIDTH = 80;
const TOPICS = ['exit-codes', 'reasons'];

/** `portkeeper help [COMMAND|exit-codes|reasons]` */
export const run: CommandRun = async (call, io) => {
  const topic = call.args.join(' ');
  if (topic === '') io.stdout(overview());
  else if (topic === 'exit-codes') io.stdout(exitCodes());
  else if (topic === 'reasons') io.stdout(reasons());
  else {
    const command = COMMANDS.find((c) => c.name === topic);
    const group = COMMANDS.filter((c) => c.name.startsWith(`${topic} `));
    if (command) io.stdout(commandHelp(command));
    else if (group.length > 0) io.stdout(group.map(commandHelp).join('\n'));
    else throw noHelp(topic);
  }
  return EXIT.ok;
};

/** `portkeeper version` */
export const version: CommandRun = async (_, io) => {
  io.stdout(`portkeeper ${VERSION}\n`);
  return EXIT.ok;
};

function noHelp(topic: string): Error {
  const names = [...COMMANDS.map((c) => c.name), ...TOPICS];
  const near = nearest(topic, names);
  const meant = near[0] === undefined ? '' : `; did you mean ${near.join(' or ')}?`;
  const type = near[0] === undefined ? 'portkeeper help' : `portkeeper help ${near[0]}`;
  return usageError(`there is no help on "${printable(topic.slice(0, 60))}"${meant}`, type);
}

function overview(): string {
  const rows = COMMANDS.map((c): [string, string] => [`${c.name} ${c.usage}`.trim(), c.summary]);
  return [
    'Portkeeper keeps the switch ports of a rack as the cluster wants them.',
    '',
    'portkeeper [COMMAND] [FLAGS]',
    '',
    ...twoColumns(rows),
    '',
    'portkeeper help COMMAND    what it does, examples, flags, exit codes',
    '',
  ].join('\n');
}

/** Help of one command: purpose, examples, flags, exit codes. */
export function commandHelp(command: CommandSpec): string {
  const lines = [
    ...wrap(`portkeeper ${command.name}: ${command.summary}`, WIDTH),
    '',
    `Usage:  ${usageLine(command)}`,
    '',
    'Examples:',
    ...command.examples.flatMap(([line, what]) => [`  ${line}`, ...(what === '' ? [] : [`      ${what}`])]),
  ];
  if (command.flags.length > 0) {
    lines.push('', 'Flags:', ...twoColumns(command.flags.map((f): [string, string] => [flagWords(f), f.summary])));
  }
  if (command.details.length > 0) lines.push('', ...command.details.flatMap((text) => wrap(text, WIDTH)));
  if (command.exits.length > 0) {
    lines.push('', 'Exit codes (all: portkeeper help exit-codes):');
    lines.push(...twoColumns(command.exits.map(([code, what]): [string, string] => [String(code), what])));
  }
  return `${lines.join('\n')}\n`;
}

/** "portkeeper ports [PORT] [FLAGS]" */
export function usageLine(command: CommandSpec): string {
  return ['portkeeper', command.name, command.usage, command.flags.length > 0 ? '[FLAGS]' : '']
    .filter(Boolean)
    .join(' ');
}

/** "-f, --follow" or "--limit N" */
export function flagWords(flag: FlagSpec): string {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === null ? '' : ` ${flag.value}`}`;
}

function exitCodes(): string {
  const rows = EXIT_CODES.map(({ code, meaning }): [string, string] => [String(code), meaning]);
  return `Exit codes of every command:\n\n${twoColumns(rows).join('\n')}\n`;
}

function reasons(): string {
  const lines = Object.entries(REASONS).flatMap(([code, { meaning, fix }]) => [
    code,
    ...wrap(meaning, WIDTH - 4).map((line) => `    ${line}`),
    ...wrap(`What to do: ${fix}`, WIDTH - 4).map((line) => `    ${line}`),
  ]);
  return `${lines.join('\n')}\n`;
}

function twoColumns(rows: readonly (readonly [string, string])[]): string[] {
  const left = Math.min(28, Math.max(...rows.map(([word]) => word.length)));
  return rows.flatMap(([word, text]) => {
    const [first, ...more] = wrap(text, WIDTH - left - 4);
    const blank = ' '.repeat(left + 4);
    const rest = more.map((line) => blank + line);
    if (word.length > left) return [`  ${word}`, `${blank}${first ?? ''}`, ...rest];
    return [`  ${word.padEnd(left)}  ${first ?? ''}`, ...rest];
  });
}
