import { describe, expect, it } from 'vitest';
import { createOutbox, EVENT_RING } from '../../../agent/mqtt/outbox.ts';
import { TestClock } from '../../support/test-clock.ts';

interface Sent {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
  answer(ok: boolean): Promise<void>;
}

function setUp() {
  const clock = new TestClock();
  const sent: Sent[] = [];
  const lines: string[] = [];
  const outbox = createOutbox({
    birthTopic: 'agent',
    clock,
    log: (_level, _fields, message) => lines.push(message),
    publish: (topic, payload, { retain }) =>
      new Promise((resolve) => {
        sent.push({
          topic,
          payload,
          retain,
          answer: async (ok) => {
            resolve(ok);
            await settle();
          },
        });
      }),
  });
  /** What was sent since the last call. */
  const take = () => sent.splice(0);
  return { clock, outbox, take, lines };
}

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

const shown = (sent: readonly Sent[]) => sent.map((s) => `${s.topic} ${s.payload}`);

describe('outbox', () => {
  it('sends nothing before the connection, then the birth first and the newest of each topic', () => {
    const { outbox, take } = setUp();
    for (let n = 1; n <= 50; n++) outbox.setRetained('result/a', { n });
    outbox.setRetained('agent', { up: true });
    expect(take()).toEqual([]);
    outbox.onConnected();
    const sent = take();
    expect(shown(sent)).toEqual(['agent {"up":true}', 'result/a {"n":50}']);
    expect(sent.every((s) => s.retain)).toBe(true);
  });

  it('sends only what differs from the confirmed document', async () => {
    const { outbox, take } = setUp();
    outbox.onConnected();
    outbox.setRetained('r', { n: 1 });
    await take()[0]?.answer(true);
    outbox.setRetained('r', { n: 1 });
    expect(take()).toEqual([]);
    outbox.setRetained('r', { n: 2 });
    expect(shown(take())).toEqual(['r {"n":2}']);
  });

  it('keeps one message in flight for a topic; the newest follows', async () => {
    const { outbox, take } = setUp();
    outbox.onConnected();
    outbox.setRetained('r', 1);
    for (let n = 2; n <= 50; n++) outbox.setRetained('r', n);
    const first = take();
    expect(shown(first)).toEqual(['r 1']);
    await first[0]?.answer(true);
    expect(shown(take())).toEqual(['r 50']);
  });

  it('goes back to an older document although another one is in flight', async () => {
    const { outbox, take } = setUp();
    outbox.onConnected();
    outbox.setRetained('r', 'old');
    await take()[0]?.answer(true);
    outbox.setRetained('r', 'new');
    outbox.setRetained('r', 'old');
    await take()[0]?.answer(true);
    expect(shown(take())).toEqual(['r "old"']);
  });

  it('takes an unconfirmed document for unknown and tries again after a while', async () => {
    const { clock, outbox, take } = setUp();
    outbox.onConnected();
    outbox.setRetained('r', 'old');
    await take()[0]?.answer(true);
    outbox.setRetained('r', 'new');
    await take()[0]?.answer(false);
    expect(outbox.stats.unconfirmed).toBe(1);
    outbox.setRetained('r', 'old');
    const again = take();
    expect(shown(again)).toEqual(['r "old"']);
    await again[0]?.answer(false);
    expect(take()).toEqual([]);
    await clock.advance(30_000);
    const third = take();
    expect(shown(third)).toEqual(['r "old"']);
    await third[0]?.answer(true);
    expect(outbox.stats.unconfirmed).toBe(0);
  });

  it('publishes everything anew after a reconnect and ignores late answers of the old connection', async () => {
    const { outbox, take } = setUp();
    outbox.onConnected();
    outbox.setRetained('agent', 1);
    outbox.setRetained('r', 1);
    const before = take();
    await before[1]?.answer(true);
    outbox.onDisconnected();
    outbox.onConnected();
    const after = take();
    expect(shown(after)).toEqual(['agent 1', 'r 1']);
    await before[0]?.answer(true);
    expect(outbox.stats.unconfirmed).toBe(2);
    for (const message of after) await message.answer(true);
    expect(outbox.stats.unconfirmed).toBe(0);
  });

  it('removes a retained document, also when that has to wait for the connection', async () => {
    const { outbox, take } = setUp();
    outbox.clearRetained('result/gone');
    outbox.onConnected();
    const sent = take();
    expect(sent.map((s) => [s.topic, s.payload, s.retain])).toEqual([['result/gone', '', true]]);
    await sent[0]?.answer(true);
    expect(outbox.stats.retained).toBe(0);
    outbox.setRetained('result/gone', 1);
    expect(shown(take())).toEqual(['result/gone 1']);
  });

  it('refuses a document that is too large or no JSON, and keeps the one before', () => {
    const { outbox, take, lines } = setUp();
    outbox.setRetained('r', 'good');
    outbox.setRetained('r', 'x'.repeat(1_048_576));
    outbox.setRetained('r', { big: 1n });
    outbox.setRetained('r', undefined);
    outbox.onConnected();
    expect(shown(take())).toEqual(['r "good"']);
    expect(outbox.stats.refused).toBe(3);
    expect(lines).toHaveLength(3);
  });

  it('keeps the newest events while offline, counts the dropped ones and sends the rest in order', async () => {
    const { outbox, take } = setUp();
    for (let n = 1; n <= EVENT_RING + 5; n++) outbox.event('event', { n });
    expect(outbox.stats).toMatchObject({ events: EVENT_RING, droppedEvents: 5 });
    outbox.onConnected();
    const sent = take();
    expect(sent[0]?.payload).toBe('{"n":6}');
    expect(sent.at(-1)?.payload).toBe(`{"n":${EVENT_RING + 5}}`);
    expect(sent.some((s) => s.retain)).toBe(false);
    for (const message of sent.slice(0, 150)) await message.answer(true);
    outbox.onDisconnected();
    outbox.onConnected();
    expect(take().map((s) => s.payload)).toEqual(sent.slice(150).map((s) => s.payload));
  });
});
