import type { IntentDocument } from '../model/intent.ts';
import type { ResultDocument } from '../model/report.ts';
import { documentDigest } from '../pipeline/intake.ts';

/** What a result says about one revision. `open`: nothing final yet. */
export type Verdict = 'open' | 'applied' | 'failed' | 'refused' | 'superseded' | 'observe-only';

/** Judges a result document for the revision that was published. Pure. */
export function judge(result: ResultDocument, revision: number): Verdict {
  if (result.rejectedRevision === revision && result.state === 'rejected') return 'refused';
  if (result.revision === null || result.revision < revision) return 'open';
  if (result.revision > revision) return 'superseded';
  const { counts } = result;
  const waiting = Object.values(result.attachments).filter((a) => a.state === 'pending' || a.state === 'withdrawing');
  const observed = waiting.filter((a) => a.reason === 'ObserveOnly').length;
  if (waiting.length > observed) return 'open';
  if (counts.failed + counts.held + counts.rejected > 0) return 'failed';
  return observed > 0 ? 'observe-only' : 'applied';
}

/** What publishing a document over what is known already would come to. */
export type Prior =
  /** A new revision; its result is still to come. */
  | { readonly kind: 'new' }
  /** The document in force, once more: the result that is there may be its result. */
  | { readonly kind: 'repeated' }
  /** The agent would refuse it. */
  | { readonly kind: 'hopeless'; readonly message: string };

/**
 * Compares a document with the revision in force and the retained document, as far as they are known. Pure; what is not
 * known is left to the agent.
 */
export function compareWithPrior(
  document: IntentDocument,
  inForce: number | null,
  retained: IntentDocument | null,
): Prior {
  if (inForce === null || document.revision > inForce) return { kind: 'new' };
  if (document.revision < inForce) {
    return { kind: 'hopeless', message: `revision ${document.revision} is older than ${inForce}, which is in force` };
  }
  if (retained?.revision === inForce && documentDigest(retained) !== documentDigest(document)) {
    return { kind: 'hopeless', message: `revision ${inForce} is in force with other content` };
  }
  return { kind: 'repeated' };
}
