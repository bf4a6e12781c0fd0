import type { Driver, PortChange, Step, StepResult, SwitchReading } from '../../drivers/driver.ts';
import { DriverError } from '../../drivers/errors.ts';
import type { PortConfig } from '../../drivers/model/port.ts';
import type { Attempt, DriveInput, DriveResult, PortOutcome } from './batch.ts';
import type { Refusal } from './fabric.ts';
import { portDifferences } from './plan.ts';
import { settleTentative } from './tentative.ts';

/**
 * Sends a batch, reads back, and puts every port that is not as wanted back. Throws {@link DriverError} when the session
 * is lost: nothing is known then until the switch has been read again.
 */
export async function drive(input: DriveInput): Promise<DriveResult> {
  const attempt = await sendAndRead(input);
  const { reading, readMono, outcomes, failed, vlans } = attempt;
  const { tentative } = input.session;
  if (tentative !== undefined && attempt.sent) return settleTentative(attempt, input, tentative, drive);
  if (failed.length === 0) return { reading, readMono, outcomes, ...vlans };
  const back = await bringBack(failed, reading, input);
  return {
    reading: back.reading,
    readMono: back.readMono,
    outcomes: outcomes.map((o) => back.outcomes.get(o.port)?.(o) ?? o),
    ...vlans,
  };
}

async function sendAndRead(input: DriveInput): Promise<Attempt> {
  const { session, changes, driver } = input;
  const rendered = renderEach(input);
  const results = await session.apply(rendered.steps);
  const readMono = input.monotonic();
  const reading = await session.read();
  const outcomes: PortOutcome[] = [];
  const failed: PortChange[] = [];
  for (const change of changes.ports) {
    const port = change.from.name;
    const mine = results.filter((r) => r.step.kind === 'port' && r.step.subject === port);
    const failure = rendered.refused.get(port) ?? judge(change, mine, reading, driver);
    const transcript = mine.flatMap((r) => r.exchanges);
    if (failure && !rendered.refused.has(port)) failed.push(change);
    outcomes.push({ port, failure, transcript, broughtBack: true });
  }
  return { sent: rendered.steps.length > 0, reading, readMono, outcomes, failed, vlans: vlanResults(results) };
}

/** Renders the batch; a port that the driver cannot render is left out with its reason, and never touched. */
function renderEach(input: DriveInput): { steps: readonly Step[]; refused: Map<string, Refusal> } {
  const { driver, options, changes } = input;
  const refused = new Map<string, Refusal>();
  const kept = changes.ports.filter((change) => {
    const why = unrenderable(driver, options, change);
    if (why) refused.set(change.from.name, why);
    return why === null;
  });
  return { steps: driver.render({ ...changes, ports: kept }, options), refused };
}

function unrenderable(driver: Driver, options: DriveInput['options'], change: PortChange): Refusal | null {
  try {
    const steps = driver.render({ createVlans: [], ports: [change], deleteVlans: [] }, options);
    if (steps.some((s) => s.commands.length > 0)) return null;
    return { reason: 'InternalError', message: `the driver ${driver.name} has no command for a port that differs` };
  } catch (error) {
    if (error instanceof DriverError) return { reason: 'Unsupported', message: error.message };
    throw error;
  }
}

function judge(
  change: PortChange,
  results: readonly StepResult[],
  reading: SwitchReading,
  driver: Driver,
): Refusal | null {
  const refusal = results.find((r) => r.error !== null)?.error ?? null;
  const now = reading.ports.find((p) => p.name === change.from.name);
  if (!now) return { reason: 'VerifyFailed', message: `${change.from.name} is gone from the switch` };
  const differences = portDifferences(now, change.to, driver.capabilities);
  if (differences.length === 0) return null;
  if (refusal) return { reason: refusal.kind === 'busy' ? 'SwitchBusy' : 'CommandRejected', message: refusal.message };
  const text = differences.map((d) => `${d.field} is ${d.from}, not ${d.to}`).join('; ');
  return { reason: 'VerifyFailed', message: `the switch took the commands, but reads back differently: ${text}` };
}

async function bringBack(
  failed: readonly PortChange[],
  reading: SwitchReading,
  input: DriveInput,
): Promise<{
  reading: SwitchReading;
  readMono: number;
  outcomes: Map<string, (o: PortOutcome) => PortOutcome>;
}> {
  const { driver, options, session } = input;
  const targets = new Map<string, PortConfig>();
  const changes: PortChange[] = [];
  for (const change of failed) {
    const now = reading.ports.find((p) => p.name === change.from.name);
    if (!now) continue;
    const to = input.fallback(change, now);
    targets.set(now.name, to);
    const back = { from: now, to, bounce: false };
    if (portDifferences(now, to, driver.capabilities).length > 0 && unrenderable(driver, options, back) === null)
      changes.push(back);
  }
  let transcripts: readonly StepResult[] = [];
  let after = reading;
  let readMono = input.monotonic();
  if (changes.length > 0) {
    transcripts = await session.apply(driver.render({ createVlans: [], ports: changes, deleteVlans: [] }, options));
    readMono = input.monotonic();
    after = await session.read();
  }
  const outcomes = new Map<string, (o: PortOutcome) => PortOutcome>();
  for (const change of failed) {
    const name = change.from.name;
    const target = targets.get(name);
    const now = after.ports.find((p) => p.name === name);
    const left = now && target ? portDifferences(now, target, driver.capabilities) : [];
    const ok = now !== undefined && target !== undefined && left.length === 0;
    const sent = transcripts.filter((r) => r.step.subject === name).flatMap((r) => r.exchanges);
    const touched = changes.some((c) => c.from.name === name);
    const what =
      ok && !touched
        ? 'the port is as it was'
        : ok
          ? fate(change, target)
          : 'the port could not be put back; see what was read';
    outcomes.set(name, (o) => ({
      ...o,
      broughtBack: ok,
      failure: o.failure && { ...o.failure, message: `${o.failure.message} (${what})` },
      transcript: [...o.transcript, ...sent],
    }));
  }
  return { reading: after, readMono, outcomes };
}

function fate(change: PortChange, target: PortConfig): string {
  if (target.adminState === 'down' && change.from.adminState === 'up') return 'the port was shut';
  const same = portDifferences(change.from, target, { hybridPortType: false }).length === 0;
  return same ? 'the port was put back as it was' : 'the port was put into the idle network';
}

function vlanResults(
  results: readonly StepResult[],
): Pick<DriveResult, 'createdVlans' | 'deletedVlans' | 'vlanFailures'> {
  const createdVlans: number[] = [];
  const deletedVlans: number[] = [];
  const vlanFailures = new Map<number, string>();
  for (const { step, error } of results) {
    if (step.kind === 'port') continue;
    const id = Number(step.subject);
    // Somebody who holds the configuration has refused nothing.
    if (error?.kind === 'busy') continue;
    if (error) vlanFailures.set(id, error.message);
    else (step.kind === 'vlan-create' ? createdVlans : deletedVlans).push(id);
  }
  return { createdVlans, deletedVlans, vlanFailures };
}
