import type { CliDefinition } from '../definition.ts';
import { DriverError } from '../errors.ts';
import { sanitizeLines, sanitizeText } from '../model/text.ts';

export interface Answered {
  readonly lines: readonly string[];
  readonly mode: string;
}

/**
 * Throws {@link DriverError} `rejected` when an answer says or means that the line was refused: a known failure, in a
 * configuration mode anything unknown, or a prompt of another mode than expected.
 */
export function judge(
  definition: CliDefinition,
  shown: string,
  before: string,
  seen: Answered,
  expectMode: string | undefined,
): void {
  const lines = seen.lines.filter((line) => line.trim() !== '');
  const { harmless, configModes } = definition;
  const known = (line: string) => harmless.some((h) => h.test(line));
  const failure = lines.find((line) => !known(line) && reportsFailure(definition, line));
  const details = { command: sanitizeText(shown, 300), answer: sanitizeLines(lines.join('\n'), 2000) };
  if (failure !== undefined)
    throw new DriverError(
      'rejected',
      `the switch refused "${details.command}": ${sanitizeText(failure, 300)}`,
      details,
    );
  const strict = configModes.includes(before) || configModes.includes(seen.mode);
  const unknown = strict ? lines.find((line) => !known(line)) : undefined;
  if (unknown !== undefined) {
    throw new DriverError(
      'rejected',
      `the switch answered "${details.command}" with something unknown, which counts as a refusal: ${sanitizeText(unknown, 300)}`,
      details,
    );
  }
  if (expectMode !== undefined && seen.mode !== expectMode) {
    throw new DriverError(
      'rejected',
      `after "${details.command}" the switch is in mode ${seen.mode}, not ${expectMode}`,
      details,
    );
  }
}

/** True when the line, or the log message in it without its time stamp, says that something was refused. */
export function reportsFailure(definition: CliDefinition, line: string): boolean {
  const message = line.indexOf('%');
  return definition.failures.some((f) => f.test(line) || (message > 0 && f.test(line.slice(message))));
}

/** Blank lines at both ends are the terminal's, not the answer's. */
export function trimBlankLines(lines: readonly string[]): readonly string[] {
  let from = 0;
  let to = lines.length;
  while (from < to && (lines[from] ?? '').trim() === '') from++;
  while (to > from && (lines[to - 1] ?? '').trim() === '') to--;
  return lines.slice(from, to);
}

/** A switch may show what should not be shown. */
export function masked(lines: readonly string[], secret: string | null): readonly string[] {
  return secret === null || secret === '' ? lines : lines.map((line) => line.replaceAll(secret, '(secret)'));
}
