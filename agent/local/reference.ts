import { ADMIN_GROUP, CONTROL_SOCKET, STATUS_SOCKET } from './api.ts';
import { API_REASONS } from './errors.ts';
import { ROUTES, type Route } from './routes.ts';
import { API_LIMITS, API_VERSION } from './server.ts';

/** docs/local-api.md, made from the route table; a test keeps the file equal to it. */
export function localApiReference(): string {
  const seconds = (ms: number) => `${ms / 1000} s`;
  const lines = [
    '# The local API',
    '',
    '<!-- Made from agent/local/routes.ts by `npm run generate`. -->',
    '',
    'HTTP and JSON on two unix sockets below `runtimeDir` (`/run/portkeeper`). Who may open a socket may use it: file',
    'permissions are the authorisation.',
    '',
    '| socket | mode | who | what |',
    '|---|---|---|---|',
    `| \`${STATUS_SOCKET}\` | 0666 | any local user | the GET routes |`,
    `| \`${CONTROL_SOCKET}\` | 0660 | the user of the agent and the group \`${ADMIN_GROUP}\` | every route |`,
    '',
    '```sh',
    `curl --unix-socket /run/portkeeper/${STATUS_SOCKET} http://localhost/v1/status`,
    `curl --unix-socket /run/portkeeper/${CONTROL_SOCKET} -X POST 'http://localhost/v1/refresh?switch=tor1'`,
    '```',
    '',
    'GET answers come from the memory of the agent, at once, also with the broker away and the switches dead; each says how',
    'old its facts are. POST answers come when the action is done. No route takes a body.',
    '',
    '| route | parameters | answer |',
    '|---|---|---|',
    ...ROUTES.map((route) => `| \`${routeWords(route)}\` | ${parameters(route)} | ${route.summary} |`),
    '',
    'The port tables, neighbours, results and events are the documents of the MQTT contract (`config/schemas`).',
    `Every answer carries \`portkeeper-api: ${API_VERSION}\`; keys may be added within a version, never taken away or changed.`,
    '',
    '## Events',
    '',
    '`/v1/events/stream` sends one JSON object a line, or server-sent events (`Accept: text/event-stream`, also with',
    `\`Last-Event-ID\`). \`after=N\` starts with what is still in memory after event N. An empty line (a comment in server-sent`,
    `events) every ${seconds(API_LIMITS.heartbeatMs)} is a sign of life. Events are numbered: a gap means that some were missed. A reader that takes nothing for`,
    `${seconds(API_LIMITS.stallMs)} is dropped.`,
    '',
    '## Refusals',
    '',
    '`{"error": {"reason", "message", "fix", "candidates", "near"}}`, all keys always. `candidates`: the ports that an ambiguous',
    'name fits, as `{"switch", "port"}`. `near`: names that may have been meant.',
    '',
    '| reason | status | meaning |',
    '|---|---|---|',
    ...Object.entries(API_REASONS).map(([reason, { status, meaning }]) => `| ${reason} | ${status} | ${meaning} |`),
    '',
    '## Limits',
    '',
    `Each socket takes ${API_LIMITS.connections} connections, ${API_LIMITS.streams} event streams and ${API_LIMITS.actions} actions at once, ${API_LIMITS.headerBytes} bytes of headers, which must be complete within`,
    `${seconds(API_LIMITS.headersTimeoutMs)}. Requests with Origin, Referer or a Host other than localhost are refused: nothing here is for web pages.`,
    '',
    '## Socket activation',
    '',
    'A service manager may pass the sockets (`LISTEN_FDS`), named `status` and `control` by `FileDescriptorName=`. Path, owner and',
    'mode are then those of the socket unit.',
  ];
  return `${lines.join('\n')}\n`;
}

function routeWords(route: Route): string {
  return `${route.method} ${route.path}${route.rest ?? ''}`;
}

function parameters(route: Route): string {
  return route.query.length === 0 ? '-' : route.query.map((name) => `\`${name}\``).join(', ');
}
