import { type ChildProcess, type ForkOptions, fork, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

const children = new Set<ChildProcess>();

/** Whatever way this process ends, what it started ends, too. */
export function endChildrenOnExit(): void {
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
}

export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return kept(spawn(command, args, options));
}

/** This program once more, in another role. */
export function startRole(role: string, options: ForkOptions = {}): ChildProcess {
  return kept(fork(process.argv[1] ?? '', [role], options));
}

/** Asks a process to end and waits until it has. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Milliseconds from the start of a Node.js process to its end. Throws when it fails. */
export async function wallMs(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = start(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout?.resume();
  const [code] = await once(child, 'close');
  const ms = performance.now() - began;
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return ms;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

function kept(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
