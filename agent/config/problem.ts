import { sanitizeText } from '../../drivers/model/text.ts';
import { formatPath } from '../model/path.ts';

/** `error`: the configuration cannot be used. `warning`: it can, but somebody should look. `info`: worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** Something to say about one place of the configuration. Never holds a value from the file, which could be a secret. */
export interface Issue {
  readonly severity: Severity;
  readonly path: readonly PropertyKey[];
  /** Point at the key itself, not at its value. */
  readonly atKey?: boolean;
  /** One line in plain words, without a full stop. */
  readonly message: string;
  /** What would be right. */
  readonly allowed?: string;
  /** What was probably meant. */
  readonly suggestion?: string;
  /** A file is not there: wrong when the agent is to run, but not when the text is checked on another machine. */
  readonly fileMissing?: boolean;
}

/** An {@link Issue} with its place in the file. */
export interface Problem {
  readonly severity: Severity;
  readonly file: string;
  /** Both from 1; 0 when the place is not known, as for a file that cannot be read. */
  readonly line: number;
  readonly column: number;
  /** "switches.tor1.managedPorts"; "" for the whole file. */
  readonly path: string;
  readonly message: string;
  readonly allowed?: string;
  readonly suggestion?: string;
}

export function issue(severity: Severity, path: readonly PropertyKey[], message: string, allowed?: string): Issue {
  return allowed === undefined ? { severity, path, message } : { severity, path, message, allowed };
}

/** Gives an issue its place. */
export function placed(found: Issue, file: string, line: number, column: number): Problem {
  return {
    severity: found.severity,
    file,
    line,
    column,
    path: formatPath(found.path),
    message: found.message,
    ...(found.allowed === undefined ? {} : { allowed: found.allowed }),
    ...(found.suggestion === undefined ? {} : { suggestion: found.suggestion }),
  };
}

/** One line: `portkeeper.yaml:12:5: switches.tor1.manegedPorts: unknown key; did you mean "managedPorts"?` */
export function formatProblem(problem: Problem): string {
  const place = [sanitizeText(problem.file, 4096)];
  if (problem.line > 0) place.push(String(problem.line), String(problem.column));
  const path = problem.path === '' ? '' : `${problem.path}: `;
  const kind = problem.severity === 'error' ? '' : `${problem.severity}: `;
  const allowed = problem.allowed === undefined ? '' : `; allowed: ${problem.allowed}`;
  const suggestion = problem.suggestion === undefined ? '' : `; did you mean "${problem.suggestion}"?`;
  return `${place.join(':')}: ${kind}${path}${problem.message}${allowed}${suggestion}`;
}

/** File order, whole-file problems first. */
export function byPlace(a: Problem, b: Problem): number {
  return a.line - b.line || a.column - b.column;
}
