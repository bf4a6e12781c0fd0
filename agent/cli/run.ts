import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { formatProblem } from '../config/problem.ts';
import { ConfigRefused, startDaemon } from '../daemon.ts';
import { createNotify } from '../service/notify.ts';
import { StoreError } from '../store/errors.ts';
import type { CliIo } from './command.ts';
import { defaultConfigFile } from './config.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { printable } from './text.ts';

/**
 * `portkeeper run`: the daemon in the foreground, until SIGTERM or SIGINT. SIGHUP, and a change of the configuration or
 * one of its secret files, puts the new one in force. Exit 78: the configuration is not valid; 66: it or the store cannot
 * be read; 75: another agent uses the state folder or the sockets.
 */
export async function runDaemon(args: readonly string[], io: CliIo): Promise<number> {
  const call = parseArgs(args, io);
  if (call === null) {
    io.stderr('usage: portkeeper run [--config FILE] [--start-empty]\n');
    return EXIT.usage;
  }
  // The young generation stays at its first size: a daemon that mostly waits then keeps some 15 MB less, for a little more
  // work of the garbage collector.
  setFlagsFromString('--semi-space-growth-factor=1');
  const notify = createNotify(io.env);
  try {
    const daemon = await startDaemon({ ...call, env: io.env, write: writeLine });
    const onHangup = () => void daemon.reload();
    process.on('SIGHUP', onHangup);
    notify.ready();
    const signal = await new Promise<NodeJS.Signals>((resolve) => {
      process.once('SIGTERM', resolve);
      process.once('SIGINT', resolve);
    });
    notify.stopping();
    daemon.log.write('info', { signal }, 'stopping');
    process.off('SIGHUP', onHangup);
    await daemon.stop();
    return EXIT.ok;
  } catch (error) {
    return refuse(error, io);
  }
}

function refuse(error: unknown, io: CliIo): ExitCode {
  if (error instanceof ConfigRefused) {
    for (const problem of error.problems) io.stderr(`${printable(formatProblem(problem))}\n`);
    io.stderr(`portkeeper: ${printable(error.message)}\n`);
    return error.unreadable ? EXIT.input : EXIT.config;
  }
  io.stderr(`portkeeper: ${printable(error instanceof Error ? error.message : String(error))}\n`);
  if (error instanceof StoreError) return error.code === 'locked' ? EXIT.timeout : EXIT.input;
  if (error instanceof Error && error.name === 'SocketError') return EXIT.timeout;
  for (const line of (error instanceof Error ? (error.stack ?? '') : '').split('\n'))
    io.stderr(`  ${printable(line)}\n`);
  return EXIT.bug;
}

function parseArgs(args: readonly string[], io: CliIo): { file: string; startEmpty: boolean } | null {
  let file = defaultConfigFile(io.env);
  let startEmpty = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const value = arg === '--config' ? args[++i] : arg.startsWith('--config=') ? arg.slice(9) : undefined;
    if (value !== undefined && value !== '') file = value;
    else if (arg === '--start-empty') startEmpty = true;
    else return null;
  }
  return { file, startEmpty };
}

/** Synchronous, so that the last lines before an end are written; a reader that is gone must not end the daemon. */
function writeLine(line: string): void {
  try {
    writeSync(1, line);
  } catch {
    // EPIPE or a full pipe: there is nobody to tell.
  }
}
