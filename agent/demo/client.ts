import { systemClock } from '../../drivers/model/clock.ts';
import type { EventDocument, ResultDocument } from '../model/report.ts';
import { connectOnce, type OneShot } from '../mqtt/one-shot.ts';
import { type Topics, topics } from '../mqtt/topics.ts';
import { PUBLISHER_LOGIN, RACK } from './rack.ts';

const PUBLISHER = 'ironic';
const WAIT_MS = 15_000;

/** A controller as anybody could write one: publishes documents, and hears results and events. */
export class DemoController {
  readonly topics: Topics = topics('portkeeper/v1', RACK);
  readonly events: EventDocument[] = [];
  result: ResultDocument | null = null;
  revision = 0;
  #connection: OneShot | null = null;
  #wake: () => void = () => {};

  /** Rejects with BrokerError when the broker cannot be reached. */
  async connect(url: string): Promise<void> {
    this.#connection = await connectOnce({
      config: { url, protocol: '3.1.1', username: PUBLISHER_LOGIN.username },
      clientId: 'demo-controller',
      credentials: { password: PUBLISHER_LOGIN.password, ca: null, cert: null, key: null },
      clock: systemClock,
      timeoutMs: 5_000,
      onMessage: (topic, payload) => this.#heard(topic, payload),
      onLost: () => this.#wake(),
    });
    await this.#connection.subscribe([this.topics.result(PUBLISHER), this.topics.event]);
  }

  /** Publishes the next revision of the whole document. */
  async publish(attachments: Record<string, unknown>): Promise<string> {
    const document = JSON.stringify({ revision: ++this.revision, attachments });
    await this.#connection?.publishRetained(this.topics.intent(PUBLISHER), Buffer.from(document));
    return document;
  }

  /** The result of the newest revision, once nothing is pending. */
  settled(): Promise<ResultDocument> {
    return this.#until(`the result of revision ${this.revision}`, () =>
      this.result?.revision === this.revision && this.result.state !== 'pending' ? this.result : undefined,
    );
  }

  /** The first event after `from` (an index into `events`) that fits. */
  event(what: string, from: number, fits: (event: EventDocument) => boolean): Promise<EventDocument> {
    return this.#until(what, () => this.events.slice(from).find(fits));
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  #heard(topic: string, payload: Buffer): void {
    if (payload.length === 0) return;
    const document: unknown = JSON.parse(payload.toString('utf8'));
    if (topic === this.topics.event) this.events.push(document as EventDocument);
    else this.result = document as ResultDocument;
    this.#wake();
  }

  /** Asks after every message. Rejects after 15 s: the demo is broken then. */
  #until<T>(what: string, look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = systemClock.after(WAIT_MS, () =>
        reject(new Error(`${what} did not come within ${WAIT_MS / 1000} s`)),
      );
      const check = () => {
        const found = look();
        if (found === undefined) return;
        cancel();
        this.#wake = () => {};
        resolve(found);
      };
      this.#wake = check;
      check();
    });
  }
}
