import { lookup } from 'node:dns/promises';
import { systemClock } from '../drivers/model/clock.ts';
import { findDriver } from '../drivers/registry.ts';
import { App } from './app.ts';
import { diskConfigFiles } from './config/file-system.ts';
import { formatProblem, type Problem } from './config/problem.ts';
import { readConfiguration } from './config/read.ts';
import type { Config } from './config/schema.ts';
import { type FileWatch, watchFiles } from './config/watch.ts';
import { VERSION } from './model/version.ts';
import { createLog, type Log } from './service/log.ts';
import { Reloader } from './service/reload.ts';
import { diskFileSystem } from './store/file-system.ts';
import { lockFolder } from './store/lock.ts';
import { emptyState, STATE_VERSION, type State, stateSchema } from './store/state.ts';
import { openStore } from './store/store.ts';

export interface DaemonOptions {
  /** Configuration file. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes log lines, each with its line feed. */
  readonly write: (line: string) => void;
  /** Start with an empty store when no copy of it can be read. */
  readonly startEmpty: boolean;
}

/** A running agent. */
export interface Daemon {
  readonly config: Config;
  readonly app: App;
  readonly log: Log;
  /** Reads the configuration again; see {@link Reloader}. */
  reload(): Promise<void>;
  /** Stops everything; what was accepted stays stored. */
  stop(): Promise<void>;
}

/** The configuration cannot be used, or belongs to another rack than the state folder. */
export class ConfigRefused extends Error {
  override readonly name = 'ConfigRefused';
  readonly problems: readonly Problem[];
  /** The file itself could not be read. */
  readonly unreadable: boolean;
  constructor(message: string, problems: readonly Problem[] = [], unreadable = false) {
    super(message);
    this.problems = problems;
    this.unreadable = unreadable;
  }
}

/**
 * Starts the agent on this machine: configuration, lock, store, sockets; then broker and switches, without waiting for
 * them. Rejects with {@link ConfigRefused}, StoreError or SocketError, and leaves nothing running then.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { env, file } = options;
  const read = () => readConfiguration(file, { fs: diskConfigFiles, env, findDriver });
  const ready = await read();
  if (!ready.ok)
    throw new ConfigRefused('the configuration is not valid; not started', ready.problems, ready.unreadable);
  const { config, credentials } = ready;
  const log = createLog(options.write, config.log.level, env['JOURNAL_STREAM'] !== undefined);
  for (const warning of ready.warnings)
    log.write(warning.severity === 'info' ? 'info' : 'warn', {}, formatProblem(warning));
  const lock = await lockFolder(config.stateDir);
  try {
    const store = await openStore<State>({
      dir: config.stateDir,
      name: 'state.json',
      schema: stateSchema,
      version: STATE_VERSION,
      initial: () => emptyState(config.rack),
      fs: diskFileSystem,
      clock: systemClock,
      writtenBy: `portkeeper ${VERSION}`,
      startEmpty: options.startEmpty,
    });
    if (store.value.rack !== config.rack) {
      throw new ConfigRefused(
        `${config.stateDir} belongs to rack "${store.value.rack}", not "${config.rack}"; use another stateDir`,
      );
    }
    const app = new App({
      resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
      config,
      secrets: credentials,
      store,
      clock: systemClock,
      random: Math.random,
      log,
      version: VERSION,
      pid: process.pid,
      env,
    });
    await app.start();
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
    log.write(
      'info',
      { version: VERSION, rack: config.rack, mode: config.mode, switches: Object.keys(config.switches) },
      'started',
    );
    return {
      config,
      app,
      log,
      reload: () => reloader.reload(),
      stop: async () => {
        watch?.stop();
        await app.stop();
        await store.idle();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
