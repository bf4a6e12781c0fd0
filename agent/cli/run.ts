import { writeSync } from 'node:fs';
import { systemClock } from '../../drivers/model/clock.ts';
import { findDriver } from '../../drivers/registry.ts';
import { App } from '../app.ts';
import { diskConfigFiles } from '../config/file-system.ts';
import { formatProblem } from '../config/problem.ts';
import { readConfiguration } from '../config/read.ts';
import { type FileWatch, watchFiles } from '../config/watch.ts';
import { VERSION } from '../model/version.ts';
import { createLog } from '../service/log.ts';
import { createNotify } from '../service/notify.ts';
import { Reloader } from '../service/reload.ts';
import { StoreError } from '../store/errors.ts';
import { diskFileSystem } from '../store/file-system.ts';
import { lockFolder } from '../store/lock.ts';
import { emptyState, STATE_VERSION, type State, stateSchema } from '../store/state.ts';
import { openStore } from '../store/store.ts';
import type { CliIo } from './command.ts';
import { defaultConfigFile } from './config.ts';
import { EXIT } from './exit-codes.ts';
import { printable } from './text.ts';

/**
 * `portkeeper run`: the daemon in the foreground, until SIGTERM or SIGINT. SIGHUP, and a change of the configuration or
 * one of its secret files, puts the new one in force. Exit 78: the configuration is not valid; 66: the store cannot be read;
 * 75: another agent uses the state folder or the sockets.
 */
export async function runDaemon(args: readonly string[], io: CliIo): Promise<number> {
  const call = parseArgs(args, io);
  if (call === null) {
    io.stderr('usage: portkeeper run [--config FILE] [--start-empty]\n');
    return EXIT.usage;
  }
  const read = () => readConfiguration(call.file, { fs: diskConfigFiles, env: io.env, findDriver });
  const ready = await read();
  if (!ready.ok) {
    for (const problem of ready.problems) io.stderr(`${printable(formatProblem(problem))}\n`);
    io.stderr('portkeeper: the configuration is not valid; not started\n');
    return ready.unreadable ? EXIT.input : EXIT.config;
  }
  const { config, credentials } = ready;
  const log = createLog((line) => writeLine(line), config.log.level, io.env['JOURNAL_STREAM'] !== undefined);
  for (const warning of ready.warnings)
    log.write(warning.severity === 'info' ? 'info' : 'warn', {}, formatProblem(warning));
  const notify = createNotify(io.env);
  try {
    const lock = await lockFolder(config.stateDir);
    const store = await openStore<State>({
      dir: config.stateDir,
      name: 'state.json',
      schema: stateSchema,
      version: STATE_VERSION,
      initial: () => emptyState(config.rack),
      fs: diskFileSystem,
      clock: systemClock,
      writtenBy: `portkeeper ${VERSION}`,
      startEmpty: call.startEmpty,
    });
    if (store.value.rack !== config.rack) {
      io.stderr(
        `portkeeper: ${config.stateDir} belongs to rack "${printable(store.value.rack)}", not "${config.rack}"; use another stateDir\n`,
      );
      return EXIT.config;
    }
    const app = new App({
      config,
      secrets: credentials,
      store,
      clock: systemClock,
      random: Math.random,
      log,
      version: VERSION,
      pid: process.pid,
      env: io.env,
    });
    await app.start();
    const stopped = waitForSignal();
    let watch: FileWatch | null = null;
    const reloader = new Reloader(
      { config, credentials },
      {
        read,
        health: app.health,
        log: log.write,
        watch: async (files) => watch?.setFiles(files),
        apply: async (next, secrets, changes) => {
          log.level = next.log.level;
          await app.reload(next, secrets, changes);
        },
        refused: (text) => app.configRefused(text),
      },
    );
    watch = await watchFiles({
      files: ready.files,
      fs: diskConfigFiles,
      clock: systemClock,
      onChange: () => reloader.reload(),
    });
    const onHangup = () => void reloader.reload();
    process.on('SIGHUP', onHangup);
    notify.ready();
    log.write(
      'info',
      { version: VERSION, rack: config.rack, mode: config.mode, switches: Object.keys(config.switches) },
      'started',
    );
    const signal = await stopped;
    notify.stopping();
    log.write('info', { signal }, 'stopping');
    process.off('SIGHUP', onHangup);
    watch.stop();
    await app.stop();
    await store.idle();
    await lock.release();
    return EXIT.ok;
  } catch (error) {
    io.stderr(`portkeeper: ${printable(error instanceof Error ? error.message : String(error))}\n`);
    if (error instanceof StoreError) return error.code === 'locked' ? EXIT.timeout : EXIT.input;
    if (error instanceof Error && error.name === 'SocketError') return EXIT.timeout;
    io.stderr(`${printable(error instanceof Error ? (error.stack ?? '') : '')}\n`);
    return EXIT.bug;
  }
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

function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

/** Synchronous, so that the last lines before an end are written; a reader that is gone must not end the daemon. */
function writeLine(line: string): void {
  try {
    writeSync(1, line);
  } catch {
    // EPIPE or a full pipe: there is nobody to tell.
  }
}
