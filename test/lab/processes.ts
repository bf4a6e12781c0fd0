import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a finished process left behind. `code` is null when a signal ended it. */
export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const KEPT_CHARACTERS = 4_000_000;
const DRAIN_MS = 1000;

/** A running process of the lab, in a process group of its own, so that a signal reaches it through every helper in between. */
export class LabProcess {
  stdout = '';
  stderr = '';
  /** Characters of standard output that were dropped because nobody took them. */
  forgotten = 0;
  readonly #child: ChildProcess;
  readonly #done: Promise<Finished>;
  readonly #watchers = new Set<() => void>();
  #finished: Finished | undefined;

  constructor(command: readonly string[], env: Record<string, string>, cwd: string) {
    const [program = '', ...args] = command;
    this.#child = spawn(program, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const all = this.stdout + text;
      this.stdout = all.slice(-KEPT_CHARACTERS);
      this.forgotten += all.length - this.stdout.length;
      this.#changed();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-KEPT_CHARACTERS);
      this.#changed();
    });
    this.#done = new Promise((resolve) => {
      const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#finished) return;
        this.#finished = { stdout: this.stdout, stderr: this.stderr, code, signal };
        resolve(this.#finished);
        this.#changed();
      };
      this.#child.once('error', (error) => {
        this.stderr += `${error.message}\n`;
        finish(127, null);
      });
      this.#child.once('close', finish);
      // A grandchild that left the process group may hold the output open for as long as it likes.
      this.#child.once('exit', (code, signal) => {
        setTimeout(() => finish(code, signal), DRAIN_MS).unref();
      });
    });
  }

  /** Process ID on the machine. In the node `agent` that of the command itself, elsewhere that of the helper that entered the node. */
  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get running(): boolean {
    return this.#finished === undefined && this.#child.pid !== undefined;
  }

  /** Sends a signal to the process and its children; nothing happens when it has ended. */
  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    if (!this.running) return;
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  /** The complete lines of standard output since the last call; they are no longer in `stdout`. @throws Error when some were lost. */
  takeLines(): string[] {
    if (this.forgotten > 0) throw new Error('more came in than is kept between two looks');
    const end = this.stdout.lastIndexOf('\n') + 1;
    const lines = this.stdout.slice(0, end).split('\n').slice(0, -1);
    this.stdout = this.stdout.slice(end);
    return lines;
  }

  /** Resolves when the process has ended and its output is complete. */
  finished(): Promise<Finished> {
    return this.#done;
  }

  /** Ends the process: `signal`, and SIGKILL when it is still there after `graceMs`. */
  async end(signal: NodeJS.Signals = 'SIGTERM', graceMs = 10_000): Promise<Finished> {
    this.kill(signal);
    const timer = setTimeout(() => this.kill('SIGKILL'), graceMs);
    const result = await this.#done;
    clearTimeout(timer);
    return result;
  }

  /**
   * Resolves with the first value other than undefined that `look` finds in the output; it is asked after every piece of it.
   *
   * @throws Error when the process ends or `timeoutMs` passes before.
   */
  waitFor<T>(what: string, look: (self: LabProcess) => T | undefined, timeoutMs = 15_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#watchers.delete(check);
      };
      const fail = (why: string): void => {
        stop();
        reject(new Error(`${why} before ${what}; output:\n${this.stdout.slice(-2000)}${this.stderr.slice(-2000)}`));
      };
      const check = (): void => {
        const found = look(this);
        if (found !== undefined) {
          stop();
          resolve(found);
        } else if (this.#finished) {
          fail(`the process ended (${this.#finished.code ?? this.#finished.signal})`);
        }
      };
      const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
      this.#watchers.add(check);
      check();
    });
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/** Runs a program of the machine to its end, for the lab's own scripts; `input` never comes from a terminal. */
export async function runScript(command: readonly string[], env: Record<string, string>): Promise<Finished> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { stdout, stderr, code, signal };
}
