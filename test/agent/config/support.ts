import type { LoadedConfig, RefusedConfig } from '../../../agent/config/check.ts';
import type { ConfigFileSystem } from '../../../agent/config/file-system.ts';
import { loadConfig } from '../../../agent/config/load.ts';
import { formatProblem } from '../../../agent/config/problem.ts';
import type { Config } from '../../../agent/config/schema.ts';
import type { Driver } from '../../../drivers/driver.ts';

/** Knows the drivers "sim" and "picky", which takes no options. */
export function findDriver(name: string): Driver {
  const checkOptions: Driver['checkOptions'] = (options) =>
    name === 'picky' && Object.keys(options).length > 0 ? ['takes no options'] : [];
  if (name !== 'sim' && name !== 'picky') throw new Error('there is no driver of that name; did you mean sim?');
  return { name, checkOptions } as Driver;
}

export const tools = { findDriver };

export function load(text: string | Uint8Array): LoadedConfig | RefusedConfig {
  return loadConfig(text, 'p.yaml', tools);
}

/** Every problem and warning of a text, as lines. */
export function lines(text: string | Uint8Array): string[] {
  const result = load(text);
  return (result.ok ? result.warnings : result.problems).map(formatProblem);
}

export const GOOD = `rack: r1
mode: manage
mqtt:
  url: mqtts://broker
switches:
  tor1:
    driver: sim
    host: 192.0.2.1
    username: pk
    managedPorts: [swp1-swp4]
networks:
  idle: { nativeVLAN: 999 }
`;

export function configOf(text: string): Config {
  const result = load(text);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
  return result.config;
}

/** Files in memory: path -> text, with mode 0600 unless it is given. */
export function memoryFiles(
  files: Record<string, string | { text: string; mode?: number; gid?: number; error?: string }>,
): ConfigFileSystem {
  const get = (path: string) => {
    const file = files[path];
    return typeof file === 'string' ? { text: file } : file;
  };
  return {
    gid: 1000,
    async read(path, limit) {
      const file = get(path);
      if (!file) throw Object.assign(new Error('x'), { code: 'ENOENT' });
      if (file.error) throw Object.assign(new Error('x'), { code: file.error });
      return { bytes: Buffer.from(file.text).subarray(0, limit), mode: file.mode ?? 0o600, gid: file.gid ?? 0 };
    },
    async fingerprint(path) {
      const file = get(path);
      return file ? file.text : null;
    },
    watchFolder: () => () => undefined,
  };
}
