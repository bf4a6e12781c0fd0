import { readFile } from 'node:fs/promises';
import type { IntentDocument } from '../model/intent.ts';
import type { DocumentError } from '../model/report.ts';
import { receive } from '../mqtt/receive.ts';
import { validateIntent } from '../pipeline/validate.ts';
import type { CliIo } from './command.ts';
import { CliError, EXIT, usageError } from './exit-codes.ts';
import { printable } from './text.ts';

/** An intent document that the agent would take, as read. */
export interface CheckedDocument {
  readonly document: IntentDocument;
  /** The very bytes that were read. */
  readonly bytes: Uint8Array;
}

/** What `--revision` says: as in the file, a number, or the next one. */
export type RevisionChoice = 'file' | 'auto' | number;

export function readRevisionChoice(text: string | undefined): RevisionChoice {
  if (text === undefined) return 'file';
  if (text === 'auto') return 'auto';
  const number = Number(text);
  if (/^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(number)) return number;
  throw usageError(`--revision takes a whole number or "auto", not "${text}"`);
}

/** Reads FILE, or standard input for "-". Exit 66 when it cannot be read. */
export async function readInput(file: string, io: CliIo): Promise<Uint8Array> {
  if (file === '-') return Buffer.from(await io.stdin());
  try {
    return await readFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** A file that cannot be read, as an error with exit 66 (or 77 when it is a matter of rights). */
export function unreadable(file: string, error: unknown): CliError {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const shown = printable(file);
  if (code === 'EACCES' || code === 'EPERM') {
    return new CliError(EXIT.permission, `no permission to read ${shown}`, { type: `ls -l ${shown}` });
  }
  const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(error);
  return new CliError(EXIT.input, `cannot read ${shown}`, { why });
}

/** Checks the bytes with the code of the agent; what it would refuse is listed and ends with exit 1. */
export function checkDocument(bytes: Uint8Array, revision: RevisionChoice, io: CliIo): CheckedDocument {
  const received = receive(bytes);
  if (received.empty)
    throw new CliError(EXIT.no, 'the document is empty', {
      why: 'an empty payload is "no opinion" and changes nothing',
    });
  if (!received.ok) throw refused(received.errors, io);
  // A revision given on the command line stands for the one in the file, which may then be absent.
  const value = revision === 'file' ? received.value : withRevision(received.value, revision === 'auto' ? 0 : revision);
  const checked = validateIntent(value);
  if (!checked.ok) throw refused(checked.errors, io);
  return { document: checked.document, bytes: revision === 'file' ? bytes : encode(checked.document) };
}

/** The same document with another revision. */
export function atRevision(checked: CheckedDocument, revision: number): CheckedDocument {
  const document = { ...checked.document, revision };
  return { document, bytes: encode(document) };
}

function withRevision(value: unknown, revision: number): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, revision } : value;
}

function encode(document: IntentDocument): Uint8Array {
  return Buffer.from(JSON.stringify(document));
}

function refused(errors: readonly DocumentError[], io: CliIo): CliError {
  for (const error of errors) io.stderr(`  ${printable(`${error.path || 'document'}: ${error.message}`)}\n`);
  return new CliError(EXIT.no, 'the document is not valid; nothing was sent', {
    why: `${errors.length} ${errors.length === 1 ? 'error' : 'errors'}, listed above`,
  });
}
