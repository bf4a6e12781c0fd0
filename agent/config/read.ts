import { resolve } from 'node:path';
import type { CheckTools, LoadedConfig, RefusedConfig } from './check.ts';
import { type Credentials, credentialFolders, loadCredentials } from './credentials.ts';
import type { ConfigFileSystem } from './file-system.ts';
import { loadConfig, MAX_CONFIG_BYTES } from './load.ts';
import { byPlace, type Problem, placed } from './problem.ts';
import type { Config } from './schema.ts';

/** A configuration and everything it names, ready to be used. */
export interface ReadyConfig {
  readonly ok: true;
  readonly config: Config;
  readonly credentials: Credentials;
  /** Severity `warning` and `info`. */
  readonly warnings: readonly Problem[];
  readonly sources: LoadedConfig['sources'];
  /** Files to watch: the configuration file and all that it names. */
  readonly files: readonly string[];
}

/** A configuration that cannot be used. */
export interface UnusableConfig extends RefusedConfig {
  /** The configuration file itself could not be read. */
  readonly unreadable: boolean;
  /** Files whose change is a reason to try again. */
  readonly files: readonly string[];
}

export interface ReadTools extends CheckTools {
  readonly fs: ConfigFileSystem;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `warning`: for checking a configuration away from the machine that it is for. Default: `error`. */
  readonly missingFiles?: 'error' | 'warning';
}

/** Reads and checks a configuration file and every file that it names. All problems at once; never rejects. */
export async function readConfiguration(file: string, tools: ReadTools): Promise<ReadyConfig | UnusableConfig> {
  const path = resolve(file);
  let bytes: Uint8Array;
  try {
    bytes = (await tools.fs.read(path, MAX_CONFIG_BYTES + 1)).bytes;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const problem = placed({ severity: 'error', path: [], message: unreadable(code) }, file, 0, 0);
    return { ok: false, unreadable: true, problems: [problem], files: [path] };
  }
  const loaded = loadConfig(bytes, file, tools);
  if (!loaded.ok) return { ...loaded, unreadable: false, files: [path] };
  const credentials = await loadCredentials(loaded.config, tools.fs, credentialFolders(path, tools.env));
  const files = [path, ...credentials.files];
  const severity = tools.missingFiles ?? 'error';
  const named = credentials.problems.map((found) => loaded.locate(found.fileMissing ? { ...found, severity } : found));
  const problems = [...loaded.warnings, ...named].sort(byPlace);
  if (problems.some((problem) => problem.severity === 'error'))
    return { ok: false, unreadable: false, problems, files };
  return { ok: true, config: loaded.config, credentials, warnings: problems, sources: loaded.sources, files };
}

function unreadable(code: string): string {
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'may not be read by this user';
  if (code === 'EISDIR') return 'is a folder';
  return `cannot be read (${code})`;
}
