import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalApi } from '../../agent/local/api.ts';
import { API_LIMITS, type ApiLimits } from '../../agent/local/server.ts';
import type { Clock } from '../../drivers/model/clock.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import { FakeControl, FakeReader } from './fake-reader.ts';

export interface RunningApi {
  readonly dir: string;
  readonly reader: FakeReader;
  readonly control: FakeControl;
  readonly lines: string[];
  /** Ends the API, as when the agent is stopped; the folder stays. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends all and removes the folder. */
  close(): Promise<void>;
}

/** The local API on real sockets in a folder of its own. */
export async function runApi(limits: Partial<ApiLimits> = {}, clock: Clock = systemClock): Promise<RunningApi> {
  const dir = await mkdtemp(join(tmpdir(), 'pk-api-'));
  const reader = new FakeReader();
  const control = new FakeControl();
  const lines: string[] = [];
  const note = (level: string) => (_: object, message: string) => void lines.push(`${level} ${message}`);
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  let api: Awaited<ReturnType<typeof startLocalApi>> | null = null;
  const stop = async () => {
    await api?.close();
    api = null;
  };
  const start = async () => {
    api = await startLocalApi({ reader, control, runtimeDir: dir, log, clock, limits: { ...API_LIMITS, ...limits } });
  };
  await start();
  return {
    dir,
    reader,
    control,
    lines,
    stop,
    start,
    async close() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: { readonly [key: string]: unknown; readonly error?: { readonly [key: string]: unknown } };
}

/** One HTTP request over a unix socket. */
export function http(
  socketPath: string,
  path: string,
  options: { readonly method?: string; readonly headers?: OutgoingHttpHeaders; readonly body?: string } = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    const outgoing = request({ socketPath, path, method, headers: { host: 'localhost', ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const json = text.startsWith('{') ? JSON.parse(text) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, json });
      });
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
