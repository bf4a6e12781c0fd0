import type { Clock } from '../../drivers/model/clock.ts';
import { sanitizeText } from '../../drivers/model/text.ts';
import type { EventDocument, EventKind } from '../model/report.ts';

/** How many numbers are reserved by one write of the store. */
const BLOCK = 256;
const KEEP = 512;

export interface EventFields {
  readonly switch?: string;
  readonly port?: string;
  readonly publisher?: string;
  readonly attachment?: string;
}

/**
 * Numbers events and keeps the newest. Numbers are reserved in blocks, so that none is given twice even after a crash;
 * after a crash up to a block of numbers is left out.
 */
export class EventLog {
  readonly #rack: string;
  readonly #clock: Clock;
  readonly #reserve: (ceiling: number) => void;
  readonly #listeners = new Set<(event: EventDocument) => void>();
  #events: EventDocument[];
  #next: number;
  #ceiling: number;

  /** `ceiling`: from the store; `reserve` writes a new one down. */
  constructor(
    rack: string,
    clock: Clock,
    ceiling: number,
    history: readonly EventDocument[],
    reserve: (ceiling: number) => void,
  ) {
    this.#rack = rack;
    this.#clock = clock;
    this.#next = ceiling;
    this.#ceiling = ceiling;
    this.#events = [...history];
    this.#reserve = reserve;
  }

  add(kind: EventKind, message: string, fields: EventFields = {}): void {
    if (this.#next >= this.#ceiling) {
      this.#ceiling = this.#next + BLOCK;
      this.#reserve(this.#ceiling);
    }
    const event: EventDocument = {
      rack: this.#rack,
      sequence: this.#next++,
      time: new Date(this.#clock.now()).toISOString(),
      kind,
      switch: fields.switch ?? null,
      port: fields.port ?? null,
      publisher: fields.publisher ?? null,
      attachment: fields.attachment ?? null,
      message: sanitizeText(message, 500),
    };
    this.#events.push(event);
    if (this.#events.length > KEEP) this.#events = this.#events.slice(-KEEP);
    for (const listener of this.#listeners) listener(event);
  }

  /** Events after a number, oldest first. */
  after(sequence: number): readonly EventDocument[] {
    return this.#events.filter((e) => e.sequence > sequence);
  }

  /** The newest `count`, oldest first. */
  recent(count: number): readonly EventDocument[] {
    return this.#events.slice(-count);
  }

  onEvent(listener: (event: EventDocument) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
