import type { z } from 'zod';
import { formatPath } from '../model/path.ts';

/** One step from a version of the stored document to the next. */
export interface Migration {
  /** Version that it takes; it gives `from + 1`. */
  readonly from: number;
  /** Pure. Gets the document as it was stored; the version is raised by the caller. */
  readonly migrate: (document: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

/** What became of a stored document. */
export type Upgraded<T> =
  | { readonly kind: 'ok'; readonly value: T /** Version that was stored. */; readonly from: number }
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'wrong'; readonly why: string };

/** Brings a stored document `{version, ...}` to `version` by the chain of `migrations` and checks its shape; never throws. */
export function upgrade<T>(
  stored: unknown,
  version: number,
  migrations: readonly Migration[],
  schema: z.ZodType<T>,
): Upgraded<T> {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) {
    return { kind: 'wrong', why: 'it is not an object' };
  }
  let document = { ...stored } as Record<string, unknown>;
  const from = document['version'];
  if (typeof from !== 'number' || !Number.isInteger(from) || from < 1) {
    return { kind: 'wrong', why: 'it has no version' };
  }
  if (from > version) return { kind: 'newer', version: from };
  for (let at = from; at < version; at++) {
    const step = migrations.find((migration) => migration.from === at);
    if (!step) return { kind: 'wrong', why: `there is no way from version ${at} to ${at + 1}` };
    try {
      document = { ...step.migrate(document), version: at + 1 };
    } catch {
      return { kind: 'wrong', why: `the step from version ${at} to ${at + 1} failed` };
    }
  }
  const checked = schema.safeParse(document);
  return checked.success
    ? { kind: 'ok', value: checked.data, from }
    : { kind: 'wrong', why: describeIssues(checked.error) };
}

/** The first problems of a value, by path, without showing the value. */
export function describeIssues(error: z.ZodError): string {
  const shown = error.issues.slice(0, 3).map((issue) => `${formatPath(issue.path) || 'document'}: ${issue.message}`);
  const more = error.issues.length - shown.length;
  return `wrong shape: ${shown.join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
}
