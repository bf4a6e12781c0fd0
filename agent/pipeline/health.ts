import type { Clock } from '../../drivers/model/clock.ts';
import { sanitizeText } from '../../drivers/model/text.ts';
import type { HealthItem } from '../model/report.ts';

/** What is wrong with the agent itself, by code. An item keeps the time at which it came up. */
export class Health {
  readonly #clock: Clock;
  readonly #items = new Map<string, HealthItem>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets or renews an item. `fix`: what a person does about it. */
  set(code: string, severity: HealthItem['severity'], message: string, fix: string): void {
    const since = this.#items.get(code)?.since ?? new Date(this.#clock.now()).toISOString();
    this.#items.set(code, { code, severity, message: sanitizeText(message, 1000), fix, since });
  }

  clear(code: string): void {
    this.#items.delete(code);
  }

  /** Worst first. */
  get items(): readonly HealthItem[] {
    const rank = { error: 0, warning: 1, info: 2 } as const;
    return [...this.#items.values()].sort((a, b) => rank[a.severity] - rank[b.severity] || (a.code < b.code ? -1 : 1));
  }
}
