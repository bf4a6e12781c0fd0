import type { Step, StepResult } from '../driver.ts';
import { applySteps, type LineDialect, type LineShell, lockedOrLost } from './apply-steps.ts';

/** A candidate configuration in which lines are collected. All methods throw only DriverError. */
export interface Candidate {
  /** Begins an empty one; leaves the session in the dialect's `configMode`. */
  begin(): Promise<void>;
  /** Throws away what was collected. */
  discard(): Promise<void>;
  /** Puts it in force; the `last` one of a batch until it is confirmed, those before it for good. */
  commit(last: boolean): Promise<void>;
}

/**
 * Runs steps in a candidate configuration, which is put in force as a whole. Such a switch takes the lines that it accepts and
 * leaves out those that it refuses: so a candidate with a refused line is thrown away, and made anew without the steps that
 * were refused, until all that is left is accepted. Nothing is committed when nothing is left.
 *
 * A second step for the same port or VLAN goes into another candidate after the first: that is how a port is shut around
 * its change. When the first was refused, the second is not tried.
 */
export async function applyCandidate(
  shell: LineShell,
  steps: readonly Step[],
  dialect: LineDialect,
  candidate: Candidate,
): Promise<StepResult[]> {
  const results = new Map<Step, StepResult>();
  const rounds = roundsOf(steps);
  for (const [i, round] of rounds.entries()) {
    const failed = new Map(
      [...results.values()].flatMap((r) => (r.error === null ? [] : [[keyOf(r.step), r] as const])),
    );
    const rest = round.filter((step) => !failed.has(keyOf(step)));
    for (const step of round) {
      const before = failed.get(keyOf(step));
      if (before) results.set(step, { step, error: before.error, exchanges: [] });
    }
    const last = i === rounds.length - 1;
    for (const result of await oneCandidate(shell, rest, dialect, candidate, last)) results.set(result.step, result);
  }
  return steps.flatMap((step) => results.get(step) ?? []);
}

async function oneCandidate(
  shell: LineShell,
  steps: readonly Step[],
  dialect: LineDialect,
  candidate: Candidate,
  last: boolean,
): Promise<StepResult[]> {
  const refused: StepResult[] = [];
  for (let rest = steps; rest.length > 0; ) {
    try {
      await candidate.begin();
    } catch (caught) {
      const error = lockedOrLost(caught, dialect);
      return [...refused, ...rest.map((step): StepResult => ({ step, error, exchanges: [] }))];
    }
    const results = await applySteps(shell, rest, dialect);
    const bad = results.filter((result) => result.error !== null);
    if (bad.length === 0) {
      await candidate.commit(last);
      return [...refused, ...results];
    }
    await candidate.discard();
    refused.push(...bad);
    rest = results.filter((result) => result.error === null).map((result) => result.step);
  }
  return refused;
}

const keyOf = ({ kind, subject }: Step) => `${kind} ${subject}`;

/** Steps that another one for the same port follows, and all the rest: removals wait until every port is changed. */
function roundsOf(steps: readonly Step[]): (readonly Step[])[] {
  const early = steps.filter((step, i) => steps.slice(i + 1).some((later) => keyOf(later) === keyOf(step)));
  return early.length === 0 ? [steps] : [early, steps.filter((step) => !early.includes(step))];
}
