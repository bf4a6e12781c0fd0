import * as z from 'zod';
import { nearest } from '../../drivers/model/nearest.ts';
import type { Issue } from './problem.ts';
import { allKeys, allowedBy, entriesOf, objectForm, schemaAt, unwrap } from './schema-walk.ts';

type ZodIssue = z.core.$ZodIssue;

/** Problems of the schema library, in plain words and about the right branch; `value` is what was checked. */
export function explainIssues(schema: z.ZodType, value: unknown, issues: readonly ZodIssue[]): Issue[] {
  return issues.flatMap((found) => explain(schema, value, found, []));
}

function explain(schema: z.ZodType, value: unknown, found: ZodIssue, base: readonly PropertyKey[]): Issue[] {
  const path = [...base, ...found.path];
  switch (found.code) {
    case 'unrecognized_keys':
      return found.keys.map((key) => unknownKey(schema, path, key));
    case 'invalid_key':
      return [
        {
          severity: 'error',
          path,
          atKey: true,
          message: 'this name is not valid',
          allowed: innerMessage(found.issues),
        },
      ];
    case 'invalid_union': {
      const branch = branchFor(found.errors);
      return branch
        ? branch.flatMap((inner) => explain(schema, value, inner, path))
        : [wrongValue(schema, value, path)];
    }
    case 'custom':
      return [{ severity: 'error', path, message: found.message }];
    case 'too_big':
    case 'too_small':
      return [outOfBounds(schema, value, path, found)];
    default: {
      const issue = wrongValue(schema, value, path);
      // A schema that has words of its own for a value knows better; zod's begin so.
      const own = found.code === 'invalid_value' && !found.message.startsWith('Invalid ');
      return [own ? { ...issue, message: found.message } : issue];
    }
  }
}

function innerMessage(issues: readonly ZodIssue[]): string {
  return issues.map((inner) => inner.message)[0] ?? 'a name';
}

/** The alternative that the value was meant for: the only one whose type fits. */
function branchFor(errors: readonly (readonly ZodIssue[])[]): readonly ZodIssue[] | null {
  const fitting = errors.filter(
    (issues) => !issues.some((found) => found.code === 'invalid_type' && found.path.length === 0),
  );
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

function unknownKey(schema: z.ZodType, container: readonly PropertyKey[], key: string): Issue {
  const at = schemaAt(schema, container);
  const object = at && objectForm(at);
  const known = object ? entriesOf(object).map(([name]) => name) : [];
  const base = { severity: 'error' as const, path: [...container, key], atKey: true };
  if (known.includes(`${key}File`)) {
    return { ...base, message: 'unknown key; secrets stand in files of their own', suggestion: `${key}File` };
  }
  const [suggestion] = nearest(key, known, 1);
  if (suggestion !== undefined) return { ...base, message: 'unknown key', suggestion };
  const home = allKeys(schema).find((entry) => entry.path.at(-1) === key);
  if (home) {
    const where = home.path.slice(0, -1).join('.') || 'the top level';
    return { ...base, message: `unknown key here; it belongs to ${where}` };
  }
  return { ...base, message: 'unknown key', allowed: known.join(', ') };
}

function outOfBounds(
  schema: z.ZodType,
  value: unknown,
  path: readonly PropertyKey[],
  found: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall,
): Issue {
  const limit = found.code === 'too_big' ? found.maximum : found.minimum;
  const most = found.code === 'too_big' ? 'at most' : 'at least';
  if (found.origin === 'array') return { severity: 'error', path, message: `must have ${most} ${limit} items` };
  if (found.origin === 'string') {
    const message =
      found.code === 'too_small' && Number(limit) === 1 ? 'is empty' : `must have ${most} ${limit} characters`;
    return { severity: 'error', path, message };
  }
  return { ...wrongValue(schema, value, path), message: found.code === 'too_big' ? 'is too large' : 'is too small' };
}

/** A value of the wrong type, or of the right type that is not allowed. Says the kind of the value, never the value. */
function wrongValue(schema: z.ZodType, value: unknown, path: readonly PropertyKey[]): Issue {
  const given = valueAt(value, path);
  const at = unwrap(schemaAt(schema, path) ?? schema);
  const base = { severity: 'error' as const, path, allowed: allowedBy(at) };
  if (given === undefined) return { ...base, message: 'missing' };
  if (given === null) return { ...base, message: 'has no value' };
  if (at instanceof z.ZodEnum && typeof given === 'string') {
    return withSuggestion({ ...base, message: 'is not valid' }, nearest(given, at.options.map(String), 1)[0]);
  }
  if (at instanceof z.ZodBoolean && typeof given === 'string') {
    return withSuggestion({ ...base, message: 'is text' }, YES_NO[given.toLowerCase()]);
  }
  const quotes = takesText(at) && typeof given !== 'string' && typeof given !== 'object' ? ' (put it in quotes)' : '';
  return { ...base, message: sameKind(at, given) ? 'is not valid' : `is ${kindOf(given)}${quotes}` };
}

function withSuggestion(found: Issue, suggestion: string | undefined): Issue {
  return suggestion === undefined ? found : { ...found, suggestion };
}

const YES_NO: Readonly<Record<string, string>> = { yes: 'true', on: 'true', no: 'false', off: 'false' };

function takesText(schema: z.ZodType): boolean {
  return schema instanceof z.ZodString || schema instanceof z.ZodEnum;
}

/** The value has a type that the schema takes, so that only its content is wrong. */
function sameKind(schema: z.ZodType, value: unknown): boolean {
  if (schema instanceof z.ZodUnion) {
    return schema.def.options.some((option) => sameKind(unwrap(option as z.ZodType), value));
  }
  if (typeof value === 'number') return schema instanceof z.ZodNumber;
  return typeof value === 'string' && schema instanceof z.ZodString;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' ? 'a number' : 'true or false';
}

/** The value at a path; undefined when there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}
