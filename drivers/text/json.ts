import type * as z from 'zod';
import { DriverError } from '../errors.ts';

/**
 * Reads an answer in JSON by its schema; keys that the schema does not name are left out. Throws {@link DriverError} `parse`
 * that names the command and the first place that is not as expected.
 */
export function readJson<S extends z.ZodType>(schema: S, text: string, command: string): z.infer<S> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new DriverError('parse', `the answer to "${command}" is not JSON`, { command, cause: error });
  }
  const read = schema.safeParse(data);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path.map(String).join('.').slice(0, 120) ?? '';
  throw new DriverError('parse', `the answer to "${command}" is not as expected at "${path}": ${issue?.message}`, {
    command,
  });
}
