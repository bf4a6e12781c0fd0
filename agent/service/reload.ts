import type { Credentials } from '../config/credentials.ts';
import { diffConfig } from '../config/diff.ts';
import { formatProblem } from '../config/problem.ts';
import type { ReadyConfig, UnusableConfig } from '../config/read.ts';
import type { Config } from '../config/schema.ts';
import type { Health } from '../pipeline/health.ts';
import type { LogFunction } from '../pipeline/rack.ts';

export interface ReloadDeps {
  readonly read: () => Promise<ReadyConfig | UnusableConfig>;
  readonly health: Health;
  readonly log: LogFunction;
  /** Files to watch from now on. */
  readonly watch: (files: readonly string[]) => Promise<void>;
  readonly apply: (
    config: Config,
    credentials: Credentials,
    changes: { mqtt: boolean; reconnect: ReadonlySet<string> },
  ) => Promise<void>;
  readonly refused: (problems: string) => void;
}

/**
 * Reads the configuration and its secrets again. Valid: put in force in place. Not valid: the old one stays, and health
 * says why until a good one comes. Calls that come while one runs are served together by one more.
 */
export class Reloader {
  readonly #deps: ReloadDeps;
  #current: { config: Config; credentials: Credentials };
  #running: Promise<void> | null = null;
  #again = false;

  constructor(current: { config: Config; credentials: Credentials }, deps: ReloadDeps) {
    this.#current = current;
    this.#deps = deps;
  }

  /** Resolves when what was there at the time of the call is in force or refused. Never rejects. */
  async reload(): Promise<void> {
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#loop().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #loop(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#once();
      } catch (error) {
        this.#deps.log(
          'error',
          { stack: error instanceof Error ? error.stack : String(error) },
          'the configuration could not be put in force',
        );
      }
    } while (this.#again);
  }

  async #once(): Promise<void> {
    const { read, health, log, watch, apply, refused } = this.#deps;
    const next = await read();
    await watch(next.files);
    if (!next.ok) {
      const errors = next.problems.filter((p) => p.severity === 'error').map(formatProblem);
      const text = `the changed configuration is not valid, the old one stays in force: ${errors.slice(0, 3).join(' | ')}`;
      health.set(
        'config',
        'error',
        text,
        'Run `portkeeper config check`, correct the file; it is read again by itself.',
      );
      log('error', { problems: errors.slice(0, 20) }, 'configuration refused; the old one stays in force');
      refused(text);
      return;
    }
    health.clear('config');
    const changes = diffConfig(this.#current, next);
    if (changes.restartRequired.length > 0) {
      health.set(
        'restart',
        'warning',
        `${changes.restartRequired.join(', ')} changed, which takes effect after a restart`,
        'Run `systemctl restart portkeeper`.',
      );
    } else {
      health.clear('restart');
    }
    if (changes.same) return;
    // What needs a restart keeps its value until then.
    const { rack, stateDir, runtimeDir } = this.#current.config;
    const config = { ...next.config, rack, stateDir, runtimeDir };
    this.#current = { config, credentials: next.credentials };
    await apply(config, next.credentials, { mqtt: changes.mqtt, reconnect: new Set(changes.switches.connection) });
    log('info', { mqtt: changes.mqtt, switches: changes.switches, policy: changes.policy }, 'configuration in force');
  }
}
