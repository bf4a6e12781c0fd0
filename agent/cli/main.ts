import { findCommand, parseCall } from './arguments.ts';
import { ApiRefusal } from './client.ts';
import type { CliIo, CommandSpec } from './command.ts';
import { EXIT, type ExitCode, isCliError } from './exit-codes.ts';
import { commandHelp } from './help.ts';
import { LOADERS } from './load.ts';
import { printable, printableJson } from './text.ts';

const REFUSAL_EXITS: Readonly<Record<string, ExitCode>> = {
  PortAmbiguous: EXIT.usage,
  BadRequest: EXIT.usage,
  Forbidden: EXIT.permission,
  ReadOnlySocket: EXIT.permission,
  TooManyStreams: EXIT.timeout,
  TooManyActions: EXIT.timeout,
  NotFound: EXIT.unreachable,
  MethodNotAllowed: EXIT.unreachable,
  TooLarge: EXIT.bug,
  InternalError: EXIT.bug,
};

/**
 * Runs one command line (without the program's name) and gives its exit code. Never throws and never ends the process;
 * messages for a person go to `io.stderr`.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  try {
    const { command, rest, help } = findCommand(argv);
    if (help) {
      io.stdout(commandHelp(command));
      return EXIT.ok;
    }
    return await runCommand(command, rest, io);
  } catch (error) {
    return report(error, argv, io);
  }
}

async function runCommand(command: CommandSpec, rest: string[], io: CliIo): Promise<number> {
  const load = LOADERS[command.name];
  if (load === undefined) throw new Error(`no code for the command ${command.name}`);
  if ('raw' in load) return (await load.raw())(rest, io);
  const call = parseCall(command, rest);
  return (await load.parsed())(call, io);
}

/** Tells a person what failed, why we think so and what to type. */
function report(error: unknown, argv: readonly string[], io: CliIo): ExitCode {
  const say = (first: string, why: string | null, type: string | null) => {
    io.stderr(`portkeeper: ${printable(first)}\n`);
    if (why !== null && why !== '') io.stderr(`  why:  ${printable(why)}\n`);
    if (type !== null && type !== '') io.stderr(`  type: ${printable(type)}\n`);
  };
  if (isCliError(error)) {
    say(error.message, error.why, error.type);
    return error.exit;
  }
  if (error instanceof ApiRefusal) {
    const { reason, message, fix, candidates, near } = error.error;
    if (argv.includes('--json')) io.stdout(`${printableJson({ error: error.error })}\n`);
    say(message, null, null);
    for (const candidate of candidates) io.stderr(`  ${printable(`${candidate.switch}:${candidate.port}`)}\n`);
    if (near.length > 0 && !message.includes('did you mean'))
      io.stderr(`  did you mean: ${printable(near.join(', '))}\n`);
    if (fix !== '') io.stderr(`  ${printable(fix)}\n`);
    return REFUSAL_EXITS[reason] ?? EXIT.no;
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.stderr('portkeeper: a defect in this program; please report it with these lines\n');
  for (const line of message.split('\n').slice(0, 12)) io.stderr(`  ${printable(line)}\n`);
  return EXIT.bug;
}
