import { pause } from '../../drivers/model/clock.ts';
import type { EventDocument } from '../model/report.ts';
import { createClient } from './client.ts';
import type { CliIo, CommandCall, CommandRun } from './command.ts';
import { CliError, EXIT, usageError } from './exit-codes.ts';
import { printableJson, shortTime } from './text.ts';
import { createWriter, type Writer } from './writers.ts';

const DEFAULT_LIMIT = 20;
const RETRY_MS = 1000;

/** `portkeeper events`: what happened lately; with --follow also what happens from now on, one line each. */
export const run: CommandRun = async (call, io) => {
  const writer = createWriter(call, io);
  const limit = readLimit(call);
  if (call.has('follow')) return follow(call, io, writer, limit);
  const answer = await createClient(call, io).get<{ readonly events: readonly EventDocument[] }>('/v1/events', {
    limit: String(limit ?? DEFAULT_LIMIT),
  });
  if (writer.json) writer.document(answer);
  else if (answer.events.length === 0) writer.line('Nothing has happened since the agent started.');
  for (const event of writer.json ? [] : answer.events) show(event, writer, io);
  return EXIT.ok;
};

/** Follows the stream; comes back after a restart of the agent where it left off. Ends after `limit` events. */
async function follow(call: CommandCall, io: CliIo, writer: Writer, limit: number | null): Promise<number> {
  const client = createClient(call, io);
  const newest = await client.get<{ readonly events: readonly EventDocument[] }>('/v1/events', { limit: '1' });
  let after = newest.events.at(-1)?.sequence ?? 0;
  let seen = 0;
  let away = false;
  const onLine = (line: string): boolean => {
    const event = JSON.parse(line) as EventDocument;
    after = event.sequence;
    seen++;
    away = false;
    if (writer.json) io.stdout(`${printableJson(event, 0)}\n`);
    else show(event, writer, io);
    return limit === null || seen < limit;
  };
  for (;;) {
    try {
      await client.stream('/v1/events/stream', { after: String(after) }, onLine);
    } catch (error) {
      // It was there a moment ago: it is being restarted and will be back.
      if (!(error instanceof CliError) || error.exit !== EXIT.unreachable) throw error;
    }
    if (limit !== null && seen >= limit) return EXIT.ok;
    if (!away) io.stderr('portkeeper: the agent closed the stream; waiting for it to come back\n');
    away = true;
    await pause(io.clock, RETRY_MS);
  }
}

function show(event: EventDocument, writer: Writer, io: CliIo): void {
  const text = `${shortTime(event.time)}  ${event.kind.padEnd(17)} ${place(event)}${event.message}`;
  // A pipe gets one line an event, a terminal lines that fit.
  if (io.isTty) writer.paragraph(text);
  else writer.line(text);
}

/** The switch and port in front, unless the message names them itself. */
function place({ switch: name, port, message }: EventDocument): string {
  if (name === null || (message.includes(name) && (port === null || message.includes(port)))) return '';
  return `${name}${port === null ? '' : `:${port}`}: `;
}

function readLimit(call: CommandCall): number | null {
  const text = call.value('limit');
  if (text === undefined) return null;
  if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
  throw usageError(`--limit takes a whole number from 1, not "${text}"`);
}
