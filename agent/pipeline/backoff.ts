/**
 * Delay before attempt number `attempt` (1 is the first retry): doubles from `baseMs` to `capMs`, with half of it random,
 * so that many agents do not come back at the same moment.
 */
export function backoffMs(attempt: number, baseMs: number, capMs: number, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(0, attempt - 1), 20));
  return ceiling / 2 + (random() * ceiling) / 2;
}
