import type { PortChange, SwitchReading, Tentative } from '../../drivers/driver.ts';
import { DriverError } from '../../drivers/errors.ts';
import { sameConfiguration } from '../../drivers/model/port.ts';
import type { Attempt, DriveInput, DriveResult, PortOutcome } from './batch.ts';

/**
 * Ends a batch that the switch would undo by itself. It is confirmed when every port reads back as wanted, or exactly as before
 * because the switch refused its commands, and every other port forwards as it did. Else all of it is undone, and the
 * ports that were not at fault get another attempt without the others.
 */
export async function settleTentative(
  attempt: Attempt,
  input: DriveInput,
  tentative: Tentative,
  again: (input: DriveInput) => Promise<DriveResult>,
): Promise<DriveResult> {
  const { reading, readMono, outcomes, failed, vlans } = attempt;
  const atFault = failed.filter((change) => !isUntouched(change, reading));
  const disturbed = disturbedPorts(input, reading);
  if (atFault.length === 0 && disturbed.length === 0) {
    const refused = await confirm(tentative);
    if (refused === null) return { reading, readMono, outcomes: outcomes.map(asItWas), ...vlans };
    return undone(attempt, input, () => `the switch has undone the change before it was confirmed: ${refused}`);
  }
  await tentative.undo();
  if (disturbed.length > 0) {
    const why = `${disturbed.join(', ')} changed along with it, so all of it was undone`;
    return undone(attempt, input, () => why);
  }
  const names = new Set(failed.map((change) => change.from.name));
  const others = input.changes.ports.filter((change) => !names.has(change.from.name));
  const first = await undone(attempt, input, (o) => o.failure?.message ?? 'undone together with other ports');
  if (others.length === 0) return first;
  const second = await again({ ...input, before: first.reading, changes: { ...input.changes, ports: others } });
  const later = new Map(second.outcomes.map((o) => [o.port, o]));
  return { ...second, outcomes: first.outcomes.map((o) => later.get(o.port) ?? o) };
}

async function confirm(tentative: Tentative): Promise<string | null> {
  try {
    await tentative.confirm();
    return null;
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'rejected') return error.message;
    throw error;
  }
}

/** The switch after everything was undone: no port of the batch is as wanted, and each should be as it was. */
async function undone(
  attempt: Attempt,
  input: DriveInput,
  why: (outcome: PortOutcome) => string,
): Promise<DriveResult> {
  const readMono = input.monotonic();
  const reading = await input.session.read();
  const outcomes = attempt.outcomes.map((outcome): PortOutcome => {
    const change = input.changes.ports.find((c) => c.from.name === outcome.port);
    const back = change !== undefined && isUntouched(change, reading);
    const message = `${why(outcome)} (${back ? 'the port is as it was' : 'the port could not be put back; see what was read'})`;
    return { ...outcome, broughtBack: back, failure: { reason: 'VerifyFailed', ...outcome.failure, message } };
  });
  const { vlanFailures } = attempt.vlans;
  return { reading, readMono, outcomes, createdVlans: [], deletedVlans: [], vlanFailures };
}

function asItWas(outcome: PortOutcome): PortOutcome {
  if (outcome.failure === null) return outcome;
  return { ...outcome, failure: { ...outcome.failure, message: `${outcome.failure.message} (the port is as it was)` } };
}

/** The port reads back as it was before the batch. */
function isUntouched(change: PortChange, reading: SwitchReading): boolean {
  const now = reading.ports.find((p) => p.name === change.from.name);
  return now !== undefined && sameConfiguration(change.from, now);
}

/** Ports that the agent does not keep, and that are configured otherwise than before; and guarded ones that lost their link. */
function disturbedPorts({ before, isKept, isGuarded }: DriveInput, reading: SwitchReading): string[] {
  const now = new Map(reading.ports.map((p) => [p.name, p]));
  return before.ports
    .filter((was) => {
      const is = now.get(was.name);
      if (!isKept(was) && (is === undefined || !sameConfiguration(was, is))) return true;
      return isGuarded(was) && was.operState === 'up' && is?.operState !== 'up';
    })
    .map((was) => was.name);
}
