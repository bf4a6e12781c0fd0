import { existsSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { dirname, join } from 'node:path';
import type { ErrorDocument } from '../local/errors.ts';
import type { CliIo, CommandCall } from './command.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { printable } from './text.ts';

/** The API version that this client speaks; see the header `portkeeper-api`. */
const API_VERSION = '1';
const DEFAULT_FOLDER = '/run/portkeeper';
const READ_TIMEOUT_MS = 3000;
/** An action waits for switches: their connect and command deadlines are below this. */
const ACTION_TIMEOUT_MS = 900_000;
const LARGEST_ANSWER = 64 * 1024 * 1024;

/** A refusal of the agent, with what it suggests. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly error: ErrorDocument['error'];
  constructor(error: ErrorDocument['error']) {
    super(error.message);
    this.error = error;
  }
}

export interface ApiClient {
  /** The document at the path. Throws {@link CliError} when the agent cannot be reached, {@link ApiRefusal} when it says no. */
  get<T>(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<T>;
  post<T>(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<T>;
  /** Calls `line` for each line of a stream; resolves when the agent ends it or `line` returns false. */
  stream(
    path: string,
    query: Readonly<Record<string, string | undefined>>,
    line: (text: string) => boolean,
  ): Promise<void>;
}

/** Where a socket is: `--socket` (folder or socket), else PORTKEEPER_RUNTIME_DIR, else /run/portkeeper. */
export function socketPath(call: CommandCall, io: CliIo, name: 'status.sock' | 'control.sock'): string {
  const given = call.value('socket') ?? io.env['PORTKEEPER_RUNTIME_DIR'] ?? DEFAULT_FOLDER;
  const isSocket = statSync(given, { throwIfNoEntry: false })?.isSocket() ?? given.endsWith('.sock');
  return isSocket ? given : join(given, name);
}

export function createClient(
  call: CommandCall,
  io: CliIo,
  name: 'status.sock' | 'control.sock' = 'status.sock',
): ApiClient {
  const path = socketPath(call, io, name);
  return {
    get: async (route, query) => parse(await exchange('GET', path, address(route, query), READ_TIMEOUT_MS, io), path),
    post: async (route, query) =>
      parse(await exchange('POST', path, address(route, query), ACTION_TIMEOUT_MS, io), path),
    async stream(route, query, line) {
      const response = await send('GET', path, address(route, query), READ_TIMEOUT_MS, io);
      if (response.statusCode !== 200)
        return void parse({ status: response.statusCode ?? 0, body: await collect(response) }, path);
      await eachLine(response, line);
    },
  };
}

function address(route: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, value);
  const text = parameters.toString();
  return text === '' ? route : `${route}?${text}`;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function exchange(method: string, path: string, target: string, timeoutMs: number, io: CliIo): Promise<Answer> {
  const response = await send(method, path, target, timeoutMs, io);
  return { status: response.statusCode ?? 0, body: await collect(response) };
}

/** Sends a request and resolves with the head of the answer; checks that it is one of ours. */
function send(method: string, path: string, target: string, timeoutMs: number, io: CliIo): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      socketPath: path,
      path: target,
      method,
      headers: { host: 'localhost', connection: 'close' },
    });
    const giveUp = io.clock.after(timeoutMs, () => {
      outgoing.destroy(Object.assign(new Error('no answer in time'), { code: 'NO_ANSWER' }));
    });
    outgoing.once('error', (error) => {
      giveUp();
      reject(connectError(error, path, io));
    });
    outgoing.once('response', (response) => {
      giveUp();
      const version = response.headers['portkeeper-api'];
      if (version === API_VERSION) return resolve(response);
      response.destroy();
      reject(otherVersion(path, version === undefined ? null : String(version)));
    });
    outgoing.end();
  });
}

async function collect(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    const bytes = Buffer.from(part as Buffer);
    size += bytes.length;
    if (size > LARGEST_ANSWER) throw new CliError(EXIT.bug, 'the answer of the agent is too large');
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse<T>(answer: Answer, path: string): T {
  let value: unknown;
  try {
    value = JSON.parse(answer.body);
  } catch {
    throw new CliError(EXIT.unreachable, `what answers on ${path} does not speak JSON`, {
      why: 'another program listens there, or the answer was cut off',
      type: `curl --unix-socket ${path} http://localhost/v1/health`,
    });
  }
  // The agent of this API version is trusted to answer in its documented shapes; what it *says* is escaped when shown.
  if (answer.status === 200) return value as T;
  throw new ApiRefusal((value as ErrorDocument).error);
}

async function eachLine(response: IncomingMessage, line: (text: string) => boolean): Promise<void> {
  let rest = '';
  response.setEncoding('utf8');
  try {
    for await (const part of response) {
      rest += String(part);
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) if (text !== '' && !line(text)) return;
    }
  } catch {
    // The agent went away in the middle; the caller decides whether to come back.
  } finally {
    response.destroy();
  }
}

/** What failed, why we think so and what to type, for an error of connect(2). */
export function connectError(error: Error, path: string, io: CliIo): CliError {
  const code = 'code' in error ? String(error.code) : '';
  const shown = printable(path);
  const what = `cannot reach the agent on ${shown}`;
  const user = /^[a-z_][a-z0-9_-]{0,31}$/.test(io.env['USER'] ?? '') ? io.env['USER'] : 'YOUR-USER';
  switch (code) {
    case 'ENOENT':
      return new CliError(EXIT.unreachable, what, {
        why: existsSync(dirname(path))
          ? 'the folder is there but the socket is not: the agent is stopped, or still starting'
          : `there is no folder ${printable(dirname(path))}: the service is stopped or not installed, or uses another runtimeDir (--socket DIR)`,
        type: 'sudo systemctl start portkeeper    (or: portkeeper run --config FILE)',
      });
    case 'ECONNREFUSED':
      return new CliError(EXIT.unreachable, what, {
        why: 'the socket is there but nobody listens: the agent ended without tidying up',
        type: 'sudo systemctl restart portkeeper; journalctl -u portkeeper -n 30',
      });
    case 'EACCES':
    case 'EPERM':
      return new CliError(EXIT.permission, `no permission for ${shown}`, {
        why: path.endsWith('control.sock')
          ? 'only root, the user of the agent and members of the group portkeeper-admin may act'
          : 'you may not enter its folder or use the socket',
        type: path.endsWith('control.sock')
          ? `sudo usermod -aG portkeeper-admin ${user}    (then log in again; or run this command with sudo)`
          : `ls -ld ${printable(dirname(path))} ${shown}`,
      });
    case 'NO_ANSWER':
      return new CliError(EXIT.unreachable, `the agent took the connection on ${shown} but does not answer`, {
        why: 'it is hung or very busy',
        type: 'journalctl -u portkeeper -n 30; sudo systemctl restart portkeeper',
      });
    case 'ENOTSOCK':
      return new CliError(EXIT.unreachable, what, {
        why: 'the file is not a socket',
        type: `ls -l ${shown}`,
      });
    case 'ECONNRESET':
    case 'EPIPE':
      return new CliError(EXIT.unreachable, `the agent on ${shown} closed the connection`, {
        why: 'it is stopping, or has too many connections',
        type: 'try again; journalctl -u portkeeper -n 30',
      });
    default:
      return new CliError(EXIT.unreachable, what, {
        why: printable(error.message),
        type: 'journalctl -u portkeeper -n 30',
      });
  }
}

function otherVersion(path: string, version: string | null): CliError {
  return new CliError(EXIT.unreachable, `what answers on ${printable(path)} does not fit this command`, {
    why:
      version === null
        ? 'it is not a Portkeeper agent'
        : `it speaks version ${printable(version)} of the local API and this command version ${API_VERSION}: one of them was upgraded without the other`,
    type: version === null ? `ss -xlp | grep ${printable(path)}` : 'sudo systemctl restart portkeeper',
  });
}
