import { createHash } from 'node:crypto';
import type { IntentDocument } from '../model/intent.ts';
import { own } from '../model/own.ts';
import type { Reason } from '../model/reasons.ts';
import type { DocumentError } from '../model/report.ts';
import type { PublisherState, State } from '../store/state.ts';

/** Publishers that are remembered at the most, so that strangers cannot fill the store. */
const MAX_PUBLISHERS = 256;

/** What a valid document does to the state. */
export type Decision =
  | {
      readonly kind: 'accepted';
      readonly state: State;
      /** Attachments that are new, changed or withdrawn: what was read before says nothing about them. */
      readonly touched: readonly string[];
    }
  /** The document in force, once more. */
  | { readonly kind: 'repeated'; readonly state: State }
  | { readonly kind: 'refused'; readonly reason: Reason; readonly message: string };

/** SHA-256 over the document with sorted keys: the same content has the same digest, however it was written. */
export function documentDigest(document: IntentDocument): string {
  return createHash('sha256').update(canonical(document)).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** The same JSON, whatever the order of keys; a key that is undefined is not there. */
function sameContent(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left: Readonly<Record<string, unknown>> = { ...a };
  const right: Readonly<Record<string, unknown>> = { ...b };
  return (
    Object.keys(left).every((key) => sameContent(left[key], own(right, key))) &&
    Object.keys(right).every((key) => right[key] === undefined || own(left, key) !== undefined)
  );
}

/**
 * Decides about a valid document by the revision rules of the contract. Pure; the caller writes the state down before it
 * acknowledges. An attachment that keeps its port keeps its place in the claim order.
 */
export function decide(state: State, publisher: string, document: IntentDocument, at: string): Decision {
  const room = makeRoom(state, publisher);
  if (room === null) {
    return {
      kind: 'refused',
      reason: 'PublisherNotAllowed',
      message: `this rack already has ${MAX_PUBLISHERS} publishers`,
    };
  }
  const known = own(room.publishers, publisher);
  const digest = documentDigest(document);
  const current = known?.accepted ?? null;
  if (current && document.revision < current.revision) {
    return {
      kind: 'refused',
      reason: 'StaleRevision',
      message: `revision ${document.revision} is older than ${current.revision}, which is in force`,
    };
  }
  if (known && current && document.revision === current.revision) {
    if (digest === current.digest)
      return { kind: 'repeated', state: withPublisher(state, publisher, { ...known, refused: null }) };
    return {
      kind: 'refused',
      reason: 'RevisionConflict',
      message: `revision ${document.revision} is in force with other content; raise the revision`,
    };
  }
  const before = current?.document.attachments ?? {};
  const after = document.attachments;
  let counter = state.claimCounter;
  const claims: Record<string, number> = {};
  const withdrawing = { ...known?.withdrawing };
  const touched: string[] = [];
  for (const [name, attachment] of Object.entries(after)) {
    const old = own(before, name);
    const samePlace =
      old !== undefined && sameContent(old.port, attachment.port) && sameContent(old.lag, attachment.lag);
    claims[name] = samePlace ? (own(current?.claims ?? {}, name) ?? ++counter) : ++counter;
    delete withdrawing[name];
    if (old === undefined || !sameContent(old, attachment)) touched.push(name);
  }
  for (const [name, attachment] of Object.entries(before)) {
    if (own(after, name) !== undefined) continue;
    withdrawing[name] = { attachment, at };
    touched.push(name);
  }
  const accepted = { revision: document.revision, digest, at, document, claims };
  const next = withPublisher({ ...room, claimCounter: counter }, publisher, { accepted, withdrawing, refused: null });
  return { kind: 'accepted', state: next, touched };
}

/** Notes a refused document, so that the result says so. The document in force stays. Pure. */
export function refuse(
  state: State,
  publisher: string,
  refusal: { reason: Reason; message: string; revision: number | null; errors: readonly DocumentError[] },
  at: string,
): State {
  const room = makeRoom(state, publisher);
  if (room === null) return state;
  const base = own(room.publishers, publisher) ?? { accepted: null, withdrawing: {}, refused: null };
  return withPublisher(room, publisher, { ...base, refused: { ...refusal, errors: [...refusal.errors], at } });
}

/**
 * The state with a place for a publisher; null: all are taken by publishers whose documents are in force or were. Names
 * that never had a document accepted make way, the oldest first: else whoever may write on the broker could keep every
 * new publisher out by using up names.
 */
function makeRoom(state: State, publisher: string): State | null {
  const entries = Object.entries(state.publishers);
  if (own(state.publishers, publisher) || entries.length < MAX_PUBLISHERS) return state;
  const idle = entries.filter(([, p]) => p.accepted === null && Object.keys(p.withdrawing).length === 0);
  const [oldest] = idle.sort(([, a], [, b]) => ((a.refused?.at ?? '') < (b.refused?.at ?? '') ? -1 : 1));
  if (oldest === undefined) return null;
  return { ...state, publishers: Object.fromEntries(entries.filter(([name]) => name !== oldest[0])) };
}

function withPublisher(state: State, name: string, publisher: PublisherState): State {
  return { ...state, publishers: { ...state.publishers, [name]: publisher } };
}
