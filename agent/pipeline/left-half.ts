import type { SwitchReading } from '../../drivers/driver.ts';
import { type PortState, sameConfiguration } from '../../drivers/model/port.ts';
import type { PortOutcome } from './batch.ts';

/** Ports that were left neither as wanted, nor as before, nor parked, as they stood then. Nothing is saved while there is one. */
export type LeftHalf = ReadonlyMap<string, PortState>;

/**
 * After a batch. A port that was left half and could not be changed by a later batch either is "as before" only in that it
 * still stands half: it stays in the list. Pure.
 */
export function afterBatch(half: LeftHalf, outcomes: readonly PortOutcome[], reading: SwitchReading): LeftHalf {
  const ports = new Map(reading.ports.map((p) => [p.name, p]));
  const next = new Map(half);
  for (const { port, failure, broughtBack } of outcomes) {
    const now = ports.get(port);
    const stood = half.get(port);
    const stays = now !== undefined && stood !== undefined && sameConfiguration(stood, now);
    if (now === undefined || failure === null || (broughtBack && !stays)) next.delete(port);
    else next.set(port, now);
  }
  return next;
}

/** After a reading: a port that stands otherwise now was changed by somebody, or is as wanted. The same map when nothing changed. Pure. */
export function afterReading(half: LeftHalf, reading: SwitchReading): LeftHalf {
  if (half.size === 0) return half;
  const ports = new Map(reading.ports.map((p) => [p.name, p]));
  return new Map(
    [...half].filter(([name, stood]) => {
      const now = ports.get(name);
      return now !== undefined && sameConfiguration(stood, now);
    }),
  );
}
