import type { CliIo } from '../../agent/cli/command.ts';
import { runCli } from '../../agent/cli/main.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import { NOW } from './fake-reader.ts';

export interface CliOutcome {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface CliRunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTty?: boolean;
  readonly columns?: number;
  readonly onOut?: (text: string) => void;
  readonly onErr?: (text: string) => void;
}

/** Runs a command line in this process and gives what it said. */
export async function cli(line: readonly string[], options: CliRunOptions = {}): Promise<CliOutcome> {
  const said = { out: '', err: '' };
  const io: CliIo = {
    stdout: (text) => {
      said.out += text;
      options.onOut?.(text);
    },
    stderr: (text) => {
      said.err += text;
      options.onErr?.(text);
    },
    stdin: async () => options.stdin ?? '',
    env: options.env ?? {},
    isTty: options.isTty ?? false,
    columns: options.columns ?? 80,
    clock: { ...systemClock, now: () => Date.parse(NOW) },
  };
  const exit = await runCli(line, io);
  return { exit, ...said };
}
