import { describe, expect, it } from 'vitest';
import {
  type Connection,
  type ConnectionEvents,
  createLink,
  type InboundMessage,
  reconnectDelayMs,
} from '../../../agent/mqtt/link.ts';
import { TestClock } from '../../support/test-clock.ts';

interface Attempt {
  readonly incarnation: number;
  readonly events: ConnectionEvents;
  readonly dropped: string[];
  ended: boolean;
}

function setUp(options: { receive?: (message: InboundMessage) => Promise<void>; stuckPublish?: boolean } = {}) {
  const clock = new TestClock();
  const attempts: Attempt[] = [];
  const seen: string[] = [];
  let incarnation = 0;
  let storeError: Error | null = null;
  const link = createLink({
    clock,
    random: () => 0.999,
    label: 'mqtt://broker',
    nextIncarnation: async () => {
      if (storeError) throw storeError;
      return ++incarnation;
    },
    receive: options.receive ?? (async () => {}),
    onConnected: (info) => seen.push(`connected ${info.incarnation}`),
    onDisconnected: (reason) => seen.push(`disconnected: ${reason}`),
    log: () => {},
    connect: (number, events): Connection => {
      const attempt: Attempt = { incarnation: number, events, dropped: [], ended: false };
      attempts.push(attempt);
      return {
        publish: () => (options.stuckPublish ? new Promise(() => {}) : Promise.resolve(true)),
        end: async () => {
          attempt.ended = true;
        },
        drop: (reason) => {
          attempt.dropped.push(reason);
          events.closed({ reason, takenOver: false });
        },
      };
    },
  });
  const last = () => {
    const attempt = attempts.at(-1);
    if (!attempt) throw new Error('no attempt yet');
    return attempt;
  };
  const failStore = (error: Error | null) => {
    storeError = error;
  };
  return { clock, link, attempts, last, seen, failStore };
}

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

const message: InboundMessage = {
  topic: 't',
  payload: Buffer.from('x'),
  retain: false,
  duplicate: false,
  responseTopic: null,
  correlationData: null,
};

describe('reconnectDelayMs', () => {
  it('doubles from one second to one minute, all of it random', () => {
    expect([1, 2, 3, 6, 7, 1000].map((n) => reconnectDelayMs(n, false, () => 1))).toEqual([
      1e3, 2e3, 4e3, 32e3, 60e3, 60e3,
    ]);
    expect(reconnectDelayMs(5, false, () => 0)).toBe(200);
    expect(reconnectDelayMs(1, true, () => 0)).toBe(30_000);
  });
});

describe('link', () => {
  it('raises the incarnation before every attempt and backs off until a connection lasts', async () => {
    const { clock, link, attempts, last, seen } = setUp();
    link.start();
    link.start();
    await settle();
    expect(last().incarnation).toBe(1);
    for (let n = 1; n <= 4; n++) {
      last().events.closed({ reason: 'refused', takenOver: false });
      await clock.advance(999 * 2 ** (n - 1) - 1);
      await settle();
      expect(attempts).toHaveLength(n);
      await clock.advance(2);
      await settle();
      expect(last().incarnation).toBe(n + 1);
    }
    last().events.connected({ sessionPresent: true });
    await clock.advance(29_999);
    last().events.closed({ reason: 'gone', takenOver: false });
    await clock.advance(15_000);
    await settle();
    expect(attempts).toHaveLength(5);
    await clock.advance(1_000);
    await settle();
    last().events.connected({ sessionPresent: true });
    await clock.advance(30_000);
    last().events.closed({ reason: 'gone', takenOver: false });
    await clock.advance(1_000);
    await settle();
    expect(attempts).toHaveLength(7);
    expect(seen).toEqual(['connected 5', 'disconnected: gone', 'connected 6', 'disconnected: gone']);
  });

  it('makes no attempt without a stored incarnation, says so and goes on trying', async () => {
    const { clock, link, attempts, failStore } = setUp();
    failStore(new Error('no space left'));
    link.start();
    await settle();
    expect(link.status.message).toContain('the incarnation cannot be stored: no space left');
    await clock.advance(1_000);
    await settle();
    expect(attempts).toHaveLength(0);
    failStore(null);
    await clock.advance(2_000);
    await settle();
    expect(attempts).toHaveLength(1);
  });

  it('says who took over and waits at least half a minute', async () => {
    const { clock, link, attempts, last } = setUp();
    link.start();
    await settle();
    last().events.connected({ sessionPresent: false });
    await clock.advance(60_000);
    last().events.closed({ reason: 'another client took over', takenOver: true });
    expect(link.status).toMatchObject({ connected: false, message: 'another client took over' });
    await clock.advance(30_000);
    await settle();
    expect(attempts).toHaveLength(1);
    await clock.advance(30_000);
    await settle();
    expect(attempts).toHaveLength(2);
  });

  it('shows notices while they last and since when the state is so', async () => {
    const { clock, link, last } = setUp();
    expect(link.status).toEqual({ connected: false, sinceMs: null, message: 'not started' });
    link.start();
    await settle();
    await clock.advance(500);
    last().events.connected({ sessionPresent: false });
    last().events.notices(['the broker refuses the subscription to x']);
    expect(link.status).toEqual({
      connected: true,
      sinceMs: clock.now(),
      message: 'connected to mqtt://broker; the broker refuses the subscription to x',
    });
    last().events.notices([]);
    expect(link.status.message).toBe('connected to mqtt://broker');
  });

  it('survives callbacks that throw', async () => {
    const { clock, link, last } = setUp();
    link.start();
    await settle();
    last().events.closed({ reason: 'a', takenOver: false });
    last().events.closed({ reason: 'again', takenOver: false });
    expect(link.status.message).toBe('a');
    await clock.advance(1_000);
    await settle();
    expect(last().incarnation).toBe(2);
  });

  it('handles messages one at a time, also over a reconnect', async () => {
    const open: (() => void)[] = [];
    const { clock, link, last } = setUp({ receive: () => new Promise((resolve) => void open.push(resolve)) });
    link.start();
    await settle();
    const first = last();
    first.events.connected({ sessionPresent: false });
    void first.events.receive(message);
    const orphan = first.events.receive(message);
    const failed = orphan.then(
      () => 'handled',
      (error: Error) => error.message,
    );
    await settle();
    first.events.closed({ reason: 'cut', takenOver: false });
    await clock.advance(1_000);
    await settle();
    void last().events.receive(message);
    await settle();
    expect(open).toHaveLength(1);
    open[0]?.();
    await settle();
    expect(await failed).toBe('the connection is gone');
    expect(open).toHaveLength(2);
  });

  it('publishes only while connected', async () => {
    const { link, last } = setUp();
    const publish = () => link.publish('t', 'x', { qos: 1, retain: false });
    expect(await publish()).toBe(false);
    link.start();
    await settle();
    expect(await publish()).toBe(false);
    last().events.connected({ sessionPresent: false });
    expect(await publish()).toBe(true);
    last().events.closed({ reason: 'gone', takenOver: false });
    expect(await publish()).toBe(false);
  });

  it('stops in bounded time although the broker does not answer, and never connects again', async () => {
    const { clock, link, attempts, last } = setUp({ stuckPublish: true });
    link.start();
    await settle();
    last().events.connected({ sessionPresent: false });
    let stopped = false;
    void link.stop({ topic: 'agent', payload: 'bye' }).then(() => {
      stopped = true;
    });
    for (let passed = 0; passed < 5_000; passed += 500) {
      await clock.advance(500);
      await settle();
    }
    expect(stopped).toBe(true);
    expect(last().ended).toBe(true);
    expect(last().dropped).toEqual(['the agent stopped']);
    await clock.advance(600_000);
    await settle();
    expect(attempts).toHaveLength(1);
    expect(link.status).toMatchObject({ connected: false, message: 'stopped' });
  });
});
