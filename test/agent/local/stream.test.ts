import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { event } from '../../support/fake-reader.ts';
import { http, type RunningApi, runApi } from '../../support/local-api.ts';

let api: RunningApi;
let path: string;
const open: Socket[] = [];

beforeEach(async () => {
  api = await runApi({ heartbeatMs: 40, stallMs: 200 });
  path = join(api.dir, 'status.sock');
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await api.close();
});

interface Listening {
  readonly socket: Socket;
  /** Resolves with everything that came, once it fits. */
  has(pattern: RegExp): Promise<string>;
}

/** Opens a stream with a bare socket, so that what comes is seen as it is. */
async function listen(query = '', accept = '*/*'): Promise<Listening> {
  const socket = connect(path);
  open.push(socket);
  let text = '';
  const waiting: { readonly pattern: RegExp; readonly resolve: (text: string) => void }[] = [];
  const check = () => {
    for (const wait of [...waiting]) if (wait.pattern.test(text)) wait.resolve(text);
  };
  socket.on('data', (data) => {
    text += data;
    check();
  });
  socket.on('error', () => {});
  socket.write(`GET /v1/events/stream${query} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`);
  const has = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      waiting.push({ pattern, resolve });
      check();
    });
  await has(/\r\n\r\n/);
  return { socket, has };
}

/** Resolves when the condition holds; the test's own time-out is the limit. */
async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the event stream', () => {
  it('sends what happens from now on, one JSON object a line', async () => {
    const client = await listen();
    api.reader.emit(event(3));
    api.reader.emit(event(4, { message: 'line\nfeed' }));
    const text = await client.has(/"sequence":4.*\n/);
    expect(text).toContain('application/x-ndjson');
    expect(text).not.toContain('"sequence":2');
    expect(text).toContain('line\\nfeed');
    expect(text.indexOf('"sequence":3')).toBeLessThan(text.indexOf('"sequence":4'));
  });

  it('sends what is still in memory after a number, each event once', async () => {
    const client = await listen('?after=1');
    api.reader.emit(event(3));
    const text = await client.has(/"sequence":3/);
    expect(text.match(/"sequence":\d+/g)).toEqual(['"sequence":2', '"sequence":3']);
  });

  it('speaks server-sent events when asked', async () => {
    const client = await listen('?after=1', 'text/event-stream');
    expect(await client.has(/id: 2\nevent: neighbor-changed\ndata: \{.*\}\n\n/)).toContain('text/event-stream');
    await client.has(/: alive\n\n/);
  });

  it('gives a sign of life', async () => {
    const client = await listen();
    await client.has(/\r\n1\r\n\n\r\n1\r\n\n\r\n/);
  });

  it('forgets a client that goes away', async () => {
    const client = await listen();
    expect(api.reader.listeners).toBe(1);
    client.socket.destroy();
    await eventually(() => api.reader.listeners === 0);
    expect(api.lines.some((line) => line.startsWith('warn'))).toBe(false);
  });

  it('drops a client that reads nothing, holding no more than the ring for it', async () => {
    const client = await listen();
    client.socket.pause();
    let sequence = 3;
    const long = 'x'.repeat(20_000);
    for (let i = 0; i < 200; i++) api.reader.emit(event(sequence++, { message: long }));
    await eventually(() => api.reader.listeners === 0);
    expect(api.lines).toContain('warn dropped a reader of the event stream that took nothing');
  });

  it('feeds a client that was slow for a while everything, in order', async () => {
    const client = await listen();
    client.socket.pause();
    for (let i = 3; i <= 100; i++) api.reader.emit(event(i, { message: 'x'.repeat(20_000) }));
    client.socket.resume();
    const text = await client.has(/"sequence":100\b/);
    const numbers = [...text.matchAll(/"sequence":(\d+)/g)].map((match) => Number(match[1]));
    expect(numbers).toEqual(Array.from({ length: 98 }, (_, i) => i + 3));
  });

  it('serves 32 at most, and a place is free again when one ends', async () => {
    const clients = await Promise.all(Array.from({ length: 32 }, () => listen()));
    const refused = await http(path, '/v1/events/stream');
    expect(refused.status).toBe(503);
    expect(refused.json.error?.['reason']).toBe('TooManyStreams');
    expect((await http(path, '/v1/status')).status).toBe(200);
    clients[0]?.socket.destroy();
    await eventually(() => api.reader.listeners === 31);
    await listen();
  });
});
