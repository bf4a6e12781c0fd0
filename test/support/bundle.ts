import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const ROOT = join(__dirname, '../..');

/** Bundles TypeScript text (imports from the root of the tree) into one file, as the program is; for tests of processes. */
export async function bundle(text: string): Promise<{ readonly file: string; readonly meta: Metafile }> {
  // Named by its content, in a folder that is not part of the tree: nothing piles up.
  const name = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const file = join(ROOT, 'node_modules/.cache/portkeeper-tests', `${name}-${process.pid % 8}.cjs`);
  const { metafile } = await build({
    stdin: { contents: text, resolveDir: ROOT, loader: 'ts' },
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['cpu-features', '*.node'],
    logLevel: 'error',
    metafile: true,
    outfile: file,
  });
  return { file, meta: metafile };
}

export interface ProcessOutcome {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a bundle with Node.js until it ends. */
export function runBundle(
  file: string,
  args: readonly string[],
  options: {
    readonly uid?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly fds?: readonly number[];
  } = {},
): Promise<ProcessOutcome> & { readonly pid: number | undefined; stop(): void } {
  const { uid, env = {}, fds = [] } = options;
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...fds],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const said = { out: '', err: '' };
  child.stdout?.on('data', (data) => {
    said.out += data;
  });
  child.stderr?.on('data', (data) => {
    said.err += data;
  });
  const outcome = new Promise<ProcessOutcome>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit) => resolve({ exit, ...said }));
  });
  return Object.assign(outcome, { pid: child.pid, stop: () => void child.kill() });
}
