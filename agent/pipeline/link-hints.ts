import type { LinkState, SwitchReading } from '../../drivers/driver.ts';

/** More ports than this are not looked at one by one: the whole switch is read instead. */
const MAX_PORTS = 64;
/** Milliseconds between two looks because of notifications; the first one is made at once. */
const LOOK_EVERY_MS = 200;
/**
 * Milliseconds after a look until the same ports are looked at again: many agents keep what they know of interfaces for some
 * seconds, and answer right after a notification with what was so before it.
 */
const LOOK_AGAIN_MS = [250, 500, 1_000, 2_000, 4_000, 8_000] as const;
/** Milliseconds between two readings of the whole switch because of notifications. */
const READ_EVERY_MS = 2_000;

/** Ports to look at, or the whole switch. */
export interface Hint {
  readonly ports: readonly number[];
  /** Something else than a few links may have changed, or a link did: read everything, neighbours too. */
  readonly all: boolean;
}

/**
 * Notifications of a switch, gathered until they are due: a storm of them costs a bounded number of readings. They only say
 * where to look; what is seen there counts.
 */
export class LinkHints {
  /** Looks that each port has had since it was noted. */
  #ports = new Map<number, number>();
  #all = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;

  /** Notes a port by its ifIndex; null: anything may have changed. */
  add(ifIndex: number | null): void {
    this.#all = true;
    if (ifIndex !== null && (this.#ports.has(ifIndex) || this.#ports.size < MAX_PORTS)) this.#ports.set(ifIndex, 0);
  }

  /** {@link Clock.monotonic} at which {@link take} has something to give; infinity: nothing was noted. */
  get at(): number {
    const look = this.#ports.size === 0 ? Number.POSITIVE_INFINITY : this.#lookAt;
    return Math.min(look, this.#all ? this.#readAt : Number.POSITIVE_INFINITY);
  }

  /** What is due now. A port is given several times, later and later; the whole switch when it was not read for the same reason lately. */
  take(now: number): Hint {
    const ports = this.#ports.size > 0 && now >= this.#lookAt ? [...this.#ports.keys()] : [];
    const all = this.#all && now >= this.#readAt;
    if (ports.length > 0) {
      const looked = [...this.#ports].map(([port, looks]): [number, number] => [port, looks + 1]);
      this.#ports = new Map(looked.filter(([, looks]) => looks <= LOOK_AGAIN_MS.length));
      this.#lookedAt = now;
    }
    if (all) {
      this.#all = false;
      this.#readAt = now + READ_EVERY_MS;
    }
    return { ports, all };
  }

  /** The time of the port that is due first. */
  get #lookAt(): number {
    const looks = Math.min(...this.#ports.values());
    return this.#lookedAt + (looks === 0 ? LOOK_EVERY_MS : (LOOK_AGAIN_MS[looks - 1] ?? 0));
  }
}

/** The reading with the links of some ports as they were seen later; the same when none differs. Pure. */
export function withLinks(reading: SwitchReading, links: readonly LinkState[]): SwitchReading {
  const byIndex = new Map(links.map((link) => [link.ifIndex, link]));
  let differs = false;
  const ports = reading.ports.map((port) => {
    const link = port.ifIndex === null ? undefined : byIndex.get(port.ifIndex);
    if (!link || (link.operState === port.operState && link.speedMbps === port.speedMbps)) return port;
    differs = true;
    return { ...port, operState: link.operState, speedMbps: link.speedMbps };
  });
  return differs ? { ...reading, ports } : reading;
}
