import { own } from '../model/own.ts';
import type { State } from '../store/state.ts';
import { type Desired, ownerKey } from './desired.ts';

/** Attachments that are refused for what they ask, and not because somebody else has their port. */
export function refusedOwners(desired: Desired): ReadonlySet<string> {
  const refused = new Set<string>();
  for (const [owner, { state, refusal }] of desired.verdicts)
    if (state === 'refused' && refusal?.reason !== 'PortClaimed') refused.add(owner);
  return refused;
}

/**
 * Puts refused attachments behind all others in the claim order, in the order they had: what is refused holds no port.
 * Otherwise a publisher could claim ports with something that policy refuses, and take them later, by a correction or a
 * changed configuration, from those who got them in the meantime. Pure.
 */
export function yieldClaims(state: State, refused: ReadonlySet<string>): State {
  if (refused.size === 0) return state;
  const behind: { readonly publisher: string; readonly name: string; readonly claim: number }[] = [];
  let last = 0;
  for (const [publisher, { accepted }] of Object.entries(state.publishers)) {
    for (const name of Object.keys(accepted?.document.attachments ?? {})) {
      const claim = own(accepted?.claims ?? {}, name) ?? 0;
      if (refused.has(ownerKey(publisher, name))) behind.push({ publisher, name, claim });
      else last = Math.max(last, claim);
    }
  }
  if (behind.every(({ claim }) => claim > last)) return state;
  let claimCounter = state.claimCounter;
  const claims = new Map<string, Record<string, number>>();
  for (const { publisher, name } of behind.sort((a, b) => a.claim - b.claim)) {
    const mine = claims.get(publisher) ?? { ...own(state.publishers, publisher)?.accepted?.claims };
    mine[name] = ++claimCounter;
    claims.set(publisher, mine);
  }
  const publishers = Object.fromEntries(
    Object.entries(state.publishers).map(([publisher, p]) => {
      const mine = claims.get(publisher);
      return [publisher, mine && p.accepted ? { ...p, accepted: { ...p.accepted, claims: mine } } : p];
    }),
  );
  return { ...state, claimCounter, publishers };
}
