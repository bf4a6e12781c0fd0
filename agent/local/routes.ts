import { nearest } from '../../drivers/model/nearest.ts';
import { sanitizeText } from '../../drivers/model/text.ts';
import type { AgentControl, AgentReader } from '../model/views.ts';
import { ApiError } from './errors.ts';
import { portProblem } from './problems.ts';

export interface RouteRequest {
  /** The rest of the path below the route's own, decoded; "" when there is none. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

export interface RouteContext {
  readonly reader: AgentReader;
  /** null on the read-only socket. */
  readonly control: AgentControl | null;
}

/** One row of the API. Answers of GET routes are made from memory, at once. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Name of what may follow the path after a slash; null: nothing may. */
  readonly rest: string | null;
  /** The query parameters that are understood; any other is refused. */
  readonly query: readonly string[];
  readonly summary: string;
  /** `stream`: answered line by line by the event stream instead of by `answer`. */
  readonly answer: 'stream' | ((request: RouteRequest, context: RouteContext) => unknown);
}

const LONGEST_PARAMETER = 256;

/** Every route of the local API; docs and the answer to an unknown address are made from it. */
export const ROUTES: readonly Route[] = [
  get('/v1/status', [], 'The state of the agent, its broker, publishers and switches', (_, { reader }) =>
    reader.status(),
  ),
  get(
    '/v1/ports',
    ['switch', 'problems'],
    'Port tables; problems=1: only ports that need a look',
    (request, context) => {
      const onlyProblems = flag(request, 'problems');
      const switches = forSwitch(request, context, context.reader.ports());
      if (!onlyProblems) return { switches };
      return { switches: switches.map((s) => ({ ...s, ports: s.ports.filter((row) => portProblem(row) !== null) })) };
    },
  ),
  get('/v1/port', ['name', 'switch'], 'Everything about one port', (request, context) =>
    port(required(request, 'name', '/v1/port?name=swp3'), request, context),
  ),
  {
    ...get('/v1/ports/', ['switch'], 'Everything about one port, by path', (request, context) =>
      port(request.rest, request, context),
    ),
    rest: 'NAME',
  },
  get('/v1/neighbors', ['switch'], 'LLDP neighbours', (request, context) => ({
    switches: forSwitch(request, context, context.reader.neighbors()),
  })),
  get('/v1/intents', [], 'Documents in force and what became of them', (_, { reader }) => reader.intents()),
  get('/v1/plan', [], 'What would be changed now, with the commands', (_, { reader }) => reader.plan()),
  get(
    '/v1/events',
    ['after', 'limit'],
    'Events in memory after a sequence number, the newest `limit` of them',
    (request, { reader }) => {
      const limit = whole(request, 'limit');
      const events = reader.events(whole(request, 'after') ?? 0);
      return { events: limit === null ? events : limit === 0 ? [] : events.slice(-limit) };
    },
  ),
  {
    ...get(
      '/v1/events/stream',
      ['after'],
      'Events as they happen: NDJSON, or server-sent events by Accept',
      () => null,
    ),
    answer: 'stream',
  },
  get('/v1/health', [], 'ok, and what is wrong with the agent', (_, { reader }) => {
    const { health } = reader.status().agent;
    return { ok: !health.some((item) => item.severity === 'error'), health };
  }),
  action('/v1/refresh', 'Read the switch (or all) now', (control, name) => control.refresh(name ?? undefined)),
  action('/v1/reconcile', 'Read, plan and apply now, drift too', (control, name) =>
    control.reconcile(name ?? undefined),
  ),
  action('/v1/accept', 'Take the switch that answers now as the known one', (control, name) => {
    if (name === null) throw new ApiError('BadRequest', 'accept needs a switch', 'Use /v1/accept?switch=NAME.');
    return control.accept(name);
  }),
];

/** The route of a request. Throws {@link ApiError}: NotFound with the list of routes, or MethodNotAllowed. */
export function findRoute(method: string, path: string): { readonly route: Route; readonly rest: string } {
  let otherMethod: string | null = null;
  for (const route of ROUTES) {
    const rest = route.rest === null ? '' : path.slice(route.path.length);
    const fits = route.rest === null ? path === route.path : path.startsWith(route.path) && rest !== '';
    if (!fits) continue;
    if (route.method === method || (route.method === 'GET' && method === 'HEAD')) return { route, rest };
    otherMethod = route.method;
  }
  if (otherMethod !== null) {
    throw new ApiError(
      'MethodNotAllowed',
      `${sanitizeText(path, 80)} takes ${otherMethod} only`,
      `Use ${otherMethod}.`,
    );
  }
  throw new ApiError('NotFound', `no route ${sanitizeText(path, 80)}`, 'Use one of the routes listed in near.', {
    near: ROUTES.map((route) => `${route.method} ${route.path}${route.rest ?? ''}`),
  });
}

/** Throws BadRequest on a query parameter that the route does not know, comes twice or is too long. */
export function checkQuery(route: Route, query: URLSearchParams): void {
  for (const [key, value] of query) {
    const known = route.query.length === 0 ? 'It takes none.' : `It takes: ${route.query.join(', ')}.`;
    if (!route.query.includes(key)) {
      throw new ApiError('BadRequest', `${route.path} has no parameter "${sanitizeText(key, 40)}"`, known);
    }
    if (query.getAll(key).length > 1)
      throw new ApiError('BadRequest', `parameter "${key}" is given twice`, 'Give it once.');
    if (value.length > LONGEST_PARAMETER) {
      throw new ApiError(
        'BadRequest',
        `parameter "${key}" is longer than ${LONGEST_PARAMETER} characters`,
        'Shorten it.',
      );
    }
  }
}

function get(path: string, query: readonly string[], summary: string, answer: Route['answer']): Route {
  return { method: 'GET', path, rest: null, query, summary, answer };
}

function action(
  path: string,
  summary: string,
  run: (control: AgentControl, switchName: string | null) => Promise<void>,
): Route {
  const answer = async (request: RouteRequest, context: RouteContext) => {
    const { control, reader } = context;
    if (control === null) {
      throw new ApiError('ReadOnlySocket', `${path} is not served on the read-only socket`, 'Use control.sock.');
    }
    const name = knownSwitch(request, reader);
    try {
      await run(control, name);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new ApiError(
        'ActionFailed',
        sanitizeText(message, 500),
        'See `portkeeper status` and `portkeeper events`.',
      );
    }
    return { done: true, action: path.slice('/v1/'.length), switch: name };
  };
  return { method: 'POST', path, rest: null, query: ['switch'], summary, answer };
}

function required(request: RouteRequest, key: string, example: string): string {
  const value = request.query.get(key);
  if (value) return value;
  throw new ApiError('BadRequest', `parameter "${key}" is missing`, `For example: ${example}`);
}

/** A whole number from the query, or null when it is not given. */
function whole(request: RouteRequest, key: string): number | null {
  const value = request.query.get(key);
  if (value === null) return null;
  const number = Number(value);
  if (/^[0-9]{1,16}$/.test(value) && Number.isSafeInteger(number)) return number;
  throw new ApiError('BadRequest', `parameter "${key}" is not a whole number`, `For example: ${key}=100`);
}

function flag(request: RouteRequest, key: string): boolean {
  const value = request.query.get(key);
  if (value === null || value === '0') return false;
  if (value === '1') return true;
  throw new ApiError('BadRequest', `parameter "${key}" is neither 0 nor 1`, `For example: ${key}=1`);
}

/** The switch named in the query, null when none is. Throws SwitchUnknown with near names. */
function knownSwitch(request: RouteRequest, reader: AgentReader): string | null {
  const name = request.query.get('switch');
  if (name === null) return null;
  const names = Object.keys(reader.status().agent.switches);
  if (names.includes(name)) return name;
  throw new ApiError('SwitchUnknown', `no switch "${sanitizeText(name, 80)}"`, `Switches: ${names.join(', ')}.`, {
    near: nearest(name, names),
  });
}

function forSwitch<T extends { readonly switch: string }>(
  request: RouteRequest,
  context: RouteContext,
  documents: readonly T[],
): readonly T[] {
  const name = knownSwitch(request, context.reader);
  return name === null ? documents : documents.filter((document) => document.switch === name);
}

function port(name: string, request: RouteRequest, { reader }: RouteContext): unknown {
  const answer = reader.port(name, knownSwitch(request, reader) ?? undefined);
  if ('found' in answer) return answer.found;
  if ('ambiguous' in answer) {
    throw new ApiError(
      'PortAmbiguous',
      `"${sanitizeText(name, 80)}" fits several ports`,
      'Name the switch: SWITCH:PORT.',
      {
        candidates: answer.ambiguous.candidates,
      },
    );
  }
  const rows = reader.ports().flatMap((table) => table.ports);
  const bare = name.replace(/^[^:/]+[:/](?=[A-Za-z])/, '');
  throw new ApiError('PortUnknown', answer.missing, 'Use a name from `portkeeper ports`.', {
    near: nearest(
      bare,
      rows.map((row) => row.name),
      5,
    ),
  });
}
