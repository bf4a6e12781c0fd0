import type { Exchange, Step, StepResult } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { VlanSet } from '../model/vlan-set.ts';
import type { PromptShell } from '../transport/prompt.ts';

/** What is used of the shell. */
export type LineShell = Pick<PromptShell, 'send' | 'toMode'>;

/** What {@link applySteps} has to know of a command line interface in which each line takes effect when it is entered. */
export interface LineDialect {
  /** The mode in which every step starts and ends. */
  readonly configMode: string;
  /** Lines that lead into another mode. All others stay in the mode they are sent in. */
  readonly modeAfter: readonly (readonly [line: RegExp, mode: string])[];
  /** The VLANs that a line puts on a port: group 1, a list such as "10,20-29". */
  readonly vlansOf: RegExp;
  /** What the switch says when somebody else holds the configuration. */
  readonly locked: RegExp;
}

/**
 * Runs steps line by line, each line only when the one before was accepted and left the session where it belongs: a line
 * for a port is never sent into another context. A refused step ends there, and the next one starts from config mode. A
 * port whose VLAN could not be created is not touched.
 *
 * Throws {@link DriverError} only when the session is lost.
 */
export async function applySteps(
  shell: LineShell,
  steps: readonly Step[],
  dialect: LineDialect,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  let failedVlans = VlanSet.EMPTY;
  for (const step of steps) {
    const lacking = step.kind === 'port' ? vlansOf(step, dialect).intersect(failedVlans) : VlanSet.EMPTY;
    const result = lacking.isEmpty ? await applyStep(shell, step, dialect) : withoutVlans(step, lacking);
    if (result.error !== null && step.kind === 'vlan-create') failedVlans = failedVlans.with(Number(step.subject));
    results.push(result);
    if (result.error?.kind === 'busy')
      return steps.map((s) => results.find((r) => r.step === s) ?? { ...result, step: s });
  }
  return results;
}

async function applyStep(shell: LineShell, step: Step, dialect: LineDialect): Promise<StepResult> {
  const exchanges: Exchange[] = [];
  try {
    await shell.toMode(dialect.configMode);
  } catch (error) {
    return { step, error: lockedOrLost(error, dialect), exchanges };
  }
  let mode = dialect.configMode;
  for (const command of step.commands) {
    mode = dialect.modeAfter.find(([line]) => line.test(command))?.[1] ?? mode;
    try {
      const answer = await shell.send(command, { expectMode: mode });
      exchanges.push({ command, answer: answer.output });
    } catch (error) {
      if (!(error instanceof DriverError) || error.sessionLost) throw error;
      exchanges.push({ command, answer: error.answer ?? '' });
      return { step, error: forStep(error, step), exchanges };
    }
  }
  return { step, error: null, exchanges };
}

/** Config mode cannot be entered: somebody holds it, or the session is of no use any more. */
export function lockedOrLost(error: unknown, { locked }: LineDialect): DriverError {
  if (!(error instanceof DriverError) || error.sessionLost) throw error;
  const { answer } = error;
  if (error.kind === 'busy') return error;
  if (answer === null || !locked.test(answer))
    throw new DriverError('unreachable', `the session was given up: ${error.message}`, { cause: error });
  return new DriverError('busy', `somebody else holds the configuration: ${answer}`, { answer, cause: error });
}

function forStep(error: DriverError, step: Step): DriverError {
  const { kind, message, command, answer } = error;
  return new DriverError(kind, message, {
    cause: error,
    ...(command === null ? {} : { command }),
    ...(answer === null ? {} : { answer }),
    ...(step.kind === 'port' ? { port: step.subject } : {}),
  });
}

function withoutVlans(step: Step, lacking: VlanSet): StepResult {
  const message = `${step.subject} was not touched: the switch refused to create VLAN ${lacking}`;
  return { step, error: new DriverError('rejected', message, { port: step.subject }), exchanges: [] };
}

function vlansOf(step: Step, { vlansOf: pattern }: LineDialect): VlanSet {
  const lists = step.commands.flatMap((command) => pattern.exec(command)?.[1] ?? []);
  return lists.reduce((all, list) => all.union(VlanSet.parse(list)), VlanSet.EMPTY);
}
