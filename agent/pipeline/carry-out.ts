import { own } from '../model/own.ts';
import { backoffMs } from './backoff.ts';
import * as books from './bookkeeping.ts';
import { drive } from './drive.ts';
import { fallbackFor } from './fallback.ts';
import type { SwitchPlan } from './plan.ts';
import { mustRemember, ownerFields, type RoundContext, remember, stored } from './round-context.ts';
import { take } from './switch-round.ts';
import { fingerprint } from './switch-view.ts';

const PORT_RETRY = { base: 15_000, cap: 600_000 } as const;

/** Carries a plan out: written down, sent, read back, put back where it failed. Returns whether anything was left half done. */
export async function carryOut(ctx: RoundContext, planned: SwitchPlan): Promise<boolean> {
  const { view } = ctx;
  const desired = ctx.desired().ports.get(view.name) ?? new Map();
  const { changes } = planned;
  await mustRemember(ctx, (s) => books.beforeBatch(s, changes, desired));
  view.inFlight = new Set(changes.ports.map((c) => c.from.name));
  ctx.changed();
  const started = ctx.clock.monotonic();
  const result = await drive({
    session: ctx.session,
    driver: view.driver,
    options: view.config.options,
    changes,
    monotonic: () => ctx.clock.monotonic(),
    fallback: (change, now) =>
      fallbackFor(change, now, {
        config: ctx.config(),
        driver: view.driver,
        options: view.config.options,
        owner: desired.get(change.from.name)?.owner ?? null,
        formerOwner: own(stored(ctx).ports, change.from.name)?.applied?.owner,
      }),
  });
  const nowIso = new Date(ctx.clock.now()).toISOString();
  take(ctx, result.reading, { now: ctx.clock.now(), mono: result.readMono });
  const failures = new Map(view.failures);
  for (const outcome of result.outcomes) {
    const wanted = desired.get(outcome.port);
    if (!wanted) continue;
    const fields = { switch: view.name, port: outcome.port, ...ownerFields(wanted.owner) };
    if (outcome.failure === null) {
      failures.delete(outcome.port);
      const text = planned.differences
        .get(outcome.port)
        ?.map((d) => `${d.field} ${d.from} → ${d.to}`)
        .join(', ');
      ctx.events.add('applied', `${view.name} ${outcome.port}: ${text}`, fields);
      continue;
    }
    const target = fingerprint(wanted.config);
    const before = failures.get(outcome.port);
    const attempts = before?.target === target ? before.attempts + 1 : 1;
    const retryAt = ctx.clock.monotonic() + backoffMs(attempts, PORT_RETRY.base, PORT_RETRY.cap, ctx.random);
    failures.set(outcome.port, { ...outcome.failure, target, transcript: outcome.transcript, attempts, retryAt });
    ctx.events.add('failed', `${view.name} ${outcome.port}: ${outcome.failure.message}`, fields);
  }
  for (const [id, words] of result.vlanFailures)
    ctx.events.add('failed', `${view.name} VLAN ${id}: ${words}`, { switch: view.name });
  for (const id of result.createdVlans)
    ctx.events.add('vlan-created', `${view.name}: VLAN ${id} created`, { switch: view.name });
  for (const id of result.deletedVlans)
    ctx.events.add('vlan-deleted', `${view.name}: VLAN ${id} removed, nothing uses it any more`, { switch: view.name });
  view.failures = failures;
  ctx.log(
    failures.size > 0 ? 'warn' : 'info',
    {
      switch: view.name,
      ports: changes.ports.length,
      failed: failures.size,
      durationMs: Math.round(ctx.clock.monotonic() - started),
    },
    'reconciled',
  );
  ctx.changed();
  const changedPorts = new Set(result.outcomes.filter((o) => o.failure === null).map((o) => o.port));
  await remember(ctx, (s) => {
    let next = books.afterBatch(s, result.createdVlans, result.deletedVlans, view.driver.capabilities.save);
    for (const port of changedPorts) {
      const wanted = desired.get(port);
      if (wanted) next = books.portHolds(next, port, wanted, nowIso);
    }
    return next;
  });
  return result.clean;
}
