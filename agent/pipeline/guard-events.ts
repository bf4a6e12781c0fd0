import type { Desired } from './desired.ts';
import type { EventLog } from './event-log.ts';

/**
 * Tells once when the cabling guard finds another host than expected on a port, and when it keeps a tenant off it; again
 * when that changes.
 */
export class GuardEvents {
  readonly #events: EventLog;
  #known: ReadonlyMap<string, string> = new Map();

  constructor(events: EventLog) {
    this.#events = events;
  }

  note(desired: Desired): void {
    const now = new Map<string, string>();
    for (const [owner, verdict] of desired.verdicts) {
      const held = verdict.state === 'held' ? (verdict.refusal?.message ?? '') : null;
      const finding = held ?? verdict.warning;
      if (finding === null) continue;
      const key = `${held === null ? 'warn' : 'hold'} ${finding}`;
      now.set(owner, key);
      if (this.#known.get(owner) === key) continue;
      this.#events.add(held === null ? 'neighbor-mismatch' : 'held', `${owner}: ${finding}`, {
        publisher: verdict.publisher,
        attachment: verdict.attachment,
        ...(verdict.switch === null ? {} : { switch: verdict.switch }),
        ...(verdict.port === null ? {} : { port: verdict.port }),
      });
    }
    this.#known = now;
  }
}
