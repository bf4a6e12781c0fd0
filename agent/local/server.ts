import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../../drivers/model/clock.ts';
import { sanitizeText } from '../../drivers/model/text.ts';
import { VERSION } from '../model/version.ts';
import { ApiError } from './errors.ts';
import { checkQuery, findRoute, type RouteContext } from './routes.ts';
import { type StreamForm, streamEvents } from './stream.ts';

/** Version of the local API, in the header `portkeeper-api` of every answer; a client of another one says so and stops. */
export const API_VERSION = '1';

/** Bounds of one listening socket. Milliseconds and bytes. */
export interface ApiLimits {
  readonly headerBytes: number;
  readonly headersTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly connections: number;
  readonly streams: number;
  readonly actions: number;
  readonly heartbeatMs: number;
  readonly stallMs: number;
}

export const API_LIMITS: ApiLimits = {
  headerBytes: 8192,
  headersTimeoutMs: 5000,
  idleTimeoutMs: 30_000,
  connections: 96,
  streams: 32,
  actions: 8,
  heartbeatMs: 15_000,
  stallMs: 30_000,
};

/** Where the local API writes its log lines. */
export interface LocalLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ApiServerOptions extends RouteContext {
  readonly log: LocalLog;
  readonly clock: Clock;
  readonly limits: ApiLimits;
}

/** Sent with every answer: nothing here is for a browser to frame, sniff, run, cache or pass on. */
const SAFETY_HEADERS: readonly (readonly [string, string])[] = [
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cache-control', 'no-store'],
  ['portkeeper-api', API_VERSION],
  ['portkeeper-version', VERSION],
];

/** Names by which a local client may call the server; anything else came through a proxy or a rebound name. */
const HOSTS = /^(?:localhost|portkeeper|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/i;

/** An HTTP server for one of the two sockets; not yet listening. */
export function createApiServer(options: ApiServerOptions): Server {
  const { limits } = options;
  const busy = { streams: 0, actions: 0 };
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.headersTimeoutMs,
      keepAliveTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: 1000,
    },
    (request, response) => {
      handle(request, response, options, busy).catch((error: unknown) => fail(response, error, options.log));
    },
  );
  server.maxConnections = limits.connections;
  server.maxHeadersCount = 64;
  server.setTimeout(limits.idleTimeoutMs);
  return server;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ApiServerOptions,
  busy: { streams: number; actions: number },
): Promise<void> {
  for (const [name, value] of SAFETY_HEADERS) response.setHeader(name, value);
  checkOrigin(request);
  refuseBody(request);
  const url = parseUrl(request.url ?? '');
  const { route, rest } = findRoute(request.method ?? '', url.pathname);
  checkQuery(route, url.searchParams);
  if (route.answer === 'stream') {
    startStream(request, response, url.searchParams, options, busy);
    return;
  }
  const call = { rest: decode(rest), query: url.searchParams };
  if (route.method === 'GET') {
    send(response, 200, route.answer(call, options));
    return;
  }
  if (busy.actions >= options.limits.actions) {
    throw new ApiError('TooManyActions', `${busy.actions} actions are under way`, 'Wait until they are done.');
  }
  busy.actions++;
  request.socket.setTimeout(0);
  try {
    send(response, 200, await route.answer(call, options));
  } finally {
    busy.actions--;
    request.socket.setTimeout(options.limits.idleTimeoutMs);
  }
}

function startStream(
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
  options: ApiServerOptions,
  busy: { streams: number },
): void {
  const { limits, log, reader, clock } = options;
  const form: StreamForm = /\btext\/event-stream\b/.test(request.headers.accept ?? '') ? 'sse' : 'ndjson';
  const after = query.get('after') ?? request.headers['last-event-id'] ?? null;
  if (after !== null && !(typeof after === 'string' && /^[0-9]{1,15}$/.test(after))) {
    throw new ApiError('BadRequest', 'parameter "after" is not a whole number', 'For example: after=100');
  }
  if (busy.streams >= limits.streams) {
    throw new ApiError(
      'TooManyStreams',
      `${limits.streams} event streams are open`,
      'Close one, or ask /v1/events now and then.',
    );
  }
  busy.streams++;
  request.socket.setTimeout(0);
  streamEvents(response, {
    reader,
    clock,
    form,
    after: after === null ? null : Number(after),
    heartbeatMs: limits.heartbeatMs,
    stallMs: limits.stallMs,
    onEnd: (why) => {
      busy.streams--;
      if (why === 'too slow')
        log.warn({ stallMs: limits.stallMs }, 'dropped a reader of the event stream that took nothing');
    },
  });
}

function checkOrigin(request: IncomingMessage): void {
  const { origin, referer, host } = request.headers;
  if (origin !== undefined || referer !== undefined || request.headers['sec-fetch-site'] !== undefined) {
    throw new ApiError(
      'Forbidden',
      'requests from web pages are not answered',
      'Use the command line, or a client that sends no Origin and no Referer.',
    );
  }
  if (host === undefined || !HOSTS.test(host)) {
    throw new ApiError('Forbidden', 'the Host header is not localhost', 'Send "Host: localhost".');
  }
}

/** No route takes a body; one that comes anyway is refused unread. */
function refuseBody(request: IncomingMessage): void {
  const length = request.headers['content-length'];
  if (request.headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    request.resume();
    return;
  }
  throw new ApiError('TooLarge', 'no route takes a body', 'Pass parameters in the address: ?switch=NAME.');
}

function parseUrl(text: string): URL {
  if (text.startsWith('/') && !text.startsWith('//')) {
    try {
      return new URL(text, 'http://localhost');
    } catch {
      // Falls through to the refusal.
    }
  }
  throw new ApiError('BadRequest', 'the request target is not a path', 'For example: GET /v1/status');
}

function decode(rest: string): string {
  try {
    return decodeURIComponent(rest);
  } catch {
    throw new ApiError(
      'BadRequest',
      `"${sanitizeText(rest, 80)}" is not valid percent-encoding`,
      'Encode as UTF-8, for example %2F.',
    );
  }
}

function send(response: ServerResponse, status: number, document: unknown): void {
  const body = Buffer.from(`${JSON.stringify(document)}\n`);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  response.end(body);
}

function fail(response: ServerResponse, error: unknown, log: LocalLog): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const known =
    error instanceof ApiError
      ? error
      : new ApiError('InternalError', 'a defect in the agent', 'Report it with the log lines around this time.');
  if (known !== error) log.error({ err: error }, 'a request to the local API failed');
  // A refused request may have a body that is still coming: the connection is not used again.
  if (known.reason === 'TooLarge') response.setHeader('connection', 'close');
  if (known.reason === 'MethodNotAllowed') response.setHeader('allow', known.fix.replace(/^Use |\.$/g, ''));
  send(response, known.status, known.document());
}
