import type { ResultDocument } from '../../agent/model/report.ts';
import { connectOnce, type OneShot, type OneShotOptions } from '../../agent/mqtt/one-shot.ts';
import { type Topics, topics } from '../../agent/mqtt/topics.ts';
import { systemClock } from '../../drivers/model/clock.ts';

const PUBLISHER = 'ironic';
const WITHIN_MS = 30_000;

/** A publisher that measures how long its documents take. */
export class Controller {
  readonly #topics: Topics;
  #connection: OneShot | null = null;
  #revision = 0;
  #heard: (payload: Buffer, at: number) => void = () => {};

  constructor(rack: string) {
    this.#topics = topics('portkeeper/v1', rack);
  }

  async connect(config: OneShotOptions['config'], credentials: OneShotOptions['credentials']): Promise<void> {
    this.#connection = await connectOnce({
      config,
      credentials,
      clientId: `bench-${process.pid}`,
      clock: systemClock,
      timeoutMs: 10_000,
      onMessage: (_topic, payload) => this.#heard(payload, performance.now()),
      onLost: () => {},
    });
    await this.#connection.subscribe([this.#topics.result(PUBLISHER)]);
  }

  /** Publishes a document; milliseconds from there to the result that says that all of it is applied. */
  async apply(attachments: Record<string, unknown>): Promise<number> {
    const revision = ++this.#revision;
    const document = Buffer.from(JSON.stringify({ revision, attachments }));
    const applied = new Promise<number>((resolve, reject) => {
      let last = 'no result';
      const timer = setTimeout(
        () => reject(new Error(`revision ${revision} was not applied in time: ${last}`)),
        WITHIN_MS,
      );
      this.#heard = (payload, at) => {
        last = payload.toString('utf8');
        const result = JSON.parse(last) as ResultDocument;
        if (result.revision !== revision || result.state !== 'applied') return;
        clearTimeout(timer);
        resolve(at);
      };
    });
    const began = performance.now();
    await this.#connection?.publishRetained(this.#topics.intent(PUBLISHER), document);
    return (await applied) - began;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }
}

/** A document that puts port number i+1 of a switch into VLAN `vlans[i]`. */
export function accessPorts(switchId: string, vlans: readonly number[]): Record<string, unknown> {
  return Object.fromEntries(
    vlans.map((nativeVLAN, i) => [
      `worker-${i + 1}/eno1`,
      { port: { switchId, portId: `swp${i + 1}` }, switchport: { mode: 'access', nativeVLAN } },
    ]),
  );
}
