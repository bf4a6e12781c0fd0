import { ALL_FIGURES, FIGURES, type Measured, type Part } from './figures.ts';
import { rounded } from './stats.ts';

/** What is printed: the figures, null for what could not be measured, and where the switch figures come from. */
export type Outcome = { measuredOn: 'lab' | 'simulator' } & { [key: string]: number | string | null };

const began = performance.now();

/** A line for whoever waits. */
export function progress(text: string): void {
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
}

/** The figures of a part, in the order in which they are listed, rounded. Throws RangeError when one is not a number. */
export function outcomeOf<P extends Part>(part: P, measured: Measured<P>): Record<string, number | null> {
  const values: Readonly<Record<string, number | null>> = measured;
  return Object.fromEntries(
    FIGURES[part].map(({ key, ...figure }) => {
      if (values[key] === null && 'realOnly' in figure) return [key, null];
      const value = rounded(values[key] ?? Number.NaN);
      if (!Number.isFinite(value)) throw new RangeError(`${key} is not a number`);
      return [key, value];
    }),
  );
}

/** Each figure that has a goal, beside it. A goal that is missed does not end the run with a failure: machines differ. */
export function printGoals(outcome: Outcome): void {
  for (const { key, goal } of ALL_FIGURES) {
    if (goal === null) continue;
    const value = outcome[key];
    const verdict = typeof value !== 'number' ? 'NOT MEASURED' : value < goal ? 'ok' : 'MISSED';
    progress(`${key.padEnd(32)} ${String(value).padStart(8)}  goal: under ${String(goal).padEnd(5)} ${verdict}`);
  }
}
