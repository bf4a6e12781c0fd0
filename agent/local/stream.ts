import type { ServerResponse } from 'node:http';
import type { Clock } from '../../drivers/model/clock.ts';
import type { EventDocument } from '../model/report.ts';
import type { AgentReader } from '../model/views.ts';

/** Lines of one event in a stream. */
export type StreamForm = 'ndjson' | 'sse';

export interface EventStreamOptions {
  readonly reader: AgentReader;
  readonly clock: Clock;
  readonly form: StreamForm;
  /** Sequence number after which to start; null: only what happens from now on. */
  readonly after: number | null;
  /** Milliseconds between signs of life. */
  readonly heartbeatMs: number;
  /** Milliseconds after which a reader that takes nothing is dropped. */
  readonly stallMs: number;
  readonly onEnd: (why: 'closed' | 'too slow') => void;
}

/**
 * Sends events to one client for as long as it listens. Nothing is buffered per client beyond the socket's own buffer: a
 * client that is behind is fed again from the agent's ring of events when it has caught up, and one that takes nothing
 * for `stallMs` is dropped. What the ring no longer holds shows as a gap in the sequence numbers.
 */
export function streamEvents(response: ServerResponse, options: EventStreamOptions): { close(): void } {
  const { reader, clock, form } = options;
  let last = options.after ?? reader.events(0).at(-1)?.sequence ?? 0;
  let blocked = false;
  let ended = false;
  let cancelTimer: () => void = () => {};

  const write = (text: string): void => {
    if (response.write(text)) return;
    blocked = true;
    cancelTimer();
    cancelTimer = clock.after(options.stallMs, () => end('too slow'));
  };
  const feed = (): void => {
    if (blocked || ended) return;
    for (const event of reader.events(last)) {
      write(formatEvent(event, form));
      last = event.sequence;
      if (blocked) return;
    }
  };
  const heartbeat = (): void => {
    cancelTimer = clock.after(options.heartbeatMs, () => {
      if (!blocked) write(form === 'sse' ? ': alive\n\n' : '\n');
      if (!blocked) heartbeat();
    });
  };
  const end = (why: 'closed' | 'too slow'): void => {
    if (ended) return;
    ended = true;
    cancelTimer();
    unsubscribe();
    if (why === 'too slow') response.destroy();
    else response.end();
    options.onEnd(why);
  };
  response.on('drain', () => {
    if (ended) return;
    blocked = false;
    cancelTimer();
    heartbeat();
    feed();
  });
  response.on('close', () => end('closed'));
  response.on('error', () => end('closed'));

  response.writeHead(200, {
    'content-type': form === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
  });
  response.flushHeaders();
  const unsubscribe = reader.onEvent((event) => {
    feed();
    if (blocked || ended || event.sequence <= last) return;
    write(formatEvent(event, form));
    last = event.sequence;
  });
  heartbeat();
  feed();
  return { close: () => end('closed') };
}

function formatEvent(event: EventDocument, form: StreamForm): string {
  const json = JSON.stringify(event);
  return form === 'sse' ? `id: ${event.sequence}\nevent: ${event.kind}\ndata: ${json}\n\n` : `${json}\n`;
}
