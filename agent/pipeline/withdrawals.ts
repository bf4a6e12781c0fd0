import { own } from '../model/own.ts';
import { ownerKey } from './desired.ts';
import { resolvePort, resolveSwitch } from './fabric.ts';
import type { ReportInput } from './report-input.ts';
import { standing } from './standing.ts';

export type WithdrawnPort =
  /** The port is known and something is wanted of it (idle, or another attachment). */
  | { readonly switch: string; readonly port: string }
  /** Its switch has not been read yet. */
  | 'unknown'
  /** There is nothing to do: no such switch or port (any more), or nothing is wanted of it. */
  | 'gone';

/** Where a withdrawn attachment was. */
export function withdrawnPort(publisher: string, name: string, input: ReportInput): WithdrawnPort {
  const ref = own(own(input.state.publishers, publisher)?.withdrawing ?? {}, name)?.attachment.port;
  if (!ref) return 'gone';
  const onSwitch = resolveSwitch(ref.switchId, input.fabric);
  if ('refusal' in onSwitch) return 'gone';
  if ('unresolved' in onSwitch) return 'unknown';
  const port = resolvePort(ref, onSwitch.found);
  if ('refusal' in port) return 'gone';
  if ('unresolved' in port) return 'unknown';
  const known = { switch: onSwitch.found.name, port: port.found.name };
  return input.desired.ports.get(known.switch)?.has(known.port) ? known : 'gone';
}

/** Withdrawals that are carried out: the port was read since and is as what is wanted of it now. Pure. */
export function finishedWithdrawals(input: ReportInput): { publisher: string; attachment: string; at: string }[] {
  const done: { publisher: string; attachment: string; at: string }[] = [];
  for (const [publisher, stored] of Object.entries(input.state.publishers)) {
    for (const [attachment, { at }] of Object.entries(stored.withdrawing)) {
      const where = withdrawnPort(publisher, attachment, input);
      if (where === 'unknown') continue;
      if (where === 'gone') {
        done.push({ publisher, attachment, at });
        continue;
      }
      const view = input.views.get(where.switch);
      const wanted = input.desired.ports.get(where.switch)?.get(where.port);
      if (!view || !wanted) continue;
      const since = input.freshSince(ownerKey(publisher, attachment));
      if (standing(where.port, wanted, view, input.config, since).state === 'applied')
        done.push({ publisher, attachment, at });
    }
  }
  return done;
}
