import { INTENT_LIMITS } from '../model/intent.ts';
import { type JsonProblem, jsonDepth, scanJson } from './json-scan.ts';

/** What a payload is, before its meaning is looked at. */
export type ReceivedPayload =
  /** No bytes: on a retained topic this removes the message. */
  | { readonly empty: true }
  | { readonly empty: false; readonly ok: true; readonly value: unknown }
  | {
      readonly empty: false;
      readonly ok: false;
      readonly reason: 'Malformed' | 'TooLarge';
      readonly errors: readonly JsonProblem[];
      /** `revision` of the refused document, when it could be read all the same. */
      readonly revision: number | null;
    };

/**
 * Turns the payload of an intent or a command into a value, or says what is wrong and where. Costs time and memory in
 * proportion to the payload only. Everything that JSON leaves open is refused: names that come twice, numbers that would
 * be rounded, text that is not UTF-8, NUL.
 */
export function receive(payload: Uint8Array): ReceivedPayload {
  if (payload.length === 0) return { empty: true };
  if (payload.length > INTENT_LIMITS.documentBytes) {
    return refuse('TooLarge', `the document has more than ${INTENT_LIMITS.documentBytes} bytes`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(payload);
  } catch {
    return refuse('Malformed', 'the document is not UTF-8');
  }
  if (text.includes('\u0000')) return refuse('Malformed', 'the document contains a NUL byte');
  const depth = jsonDepth(text);
  if (depth > INTENT_LIMITS.depth) {
    return refuse(
      'TooLarge',
      `objects and arrays are nested ${depth} deep, at most ${INTENT_LIMITS.depth} are allowed`,
    );
  }
  const { syntax, problems } = scanJson(text);
  if (syntax !== null) return { empty: false, ok: false, reason: 'Malformed', errors: [syntax], revision: null };
  const value: unknown = JSON.parse(text);
  if (problems.length === 0) return { empty: false, ok: true, value };
  const ambiguous = problems.some((problem) => problem.path === 'revision');
  const revision = ambiguous ? null : revisionOf(value);
  return { empty: false, ok: false, reason: 'Malformed', errors: problems, revision };
}

/** The `revision` of something that may be an intent document; null when it has none that could be one. */
export function revisionOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'revision')) return null;
  const { revision } = value as { readonly revision: unknown };
  return typeof revision === 'number' && Number.isSafeInteger(revision) && revision >= 0 ? revision : null;
}

function refuse(reason: 'Malformed' | 'TooLarge', message: string): ReceivedPayload {
  return { empty: false, ok: false, reason, errors: [{ path: '', message }], revision: null };
}
