import { own } from '../model/own.ts';
import { backoffMs } from './backoff.ts';
import type { DriveResult } from './batch.ts';
import * as books from './bookkeeping.ts';
import { drive } from './drive.ts';
import { driverOptions } from './driver-options.ts';
import { fallbackFor } from './fallback.ts';
import { afterBatch } from './left-half.ts';
import type { SwitchPlan } from './plan.ts';
import { mustRemember, ownerFields, type RoundContext, remember, stored } from './round-context.ts';
import { holds, take } from './switch-round.ts';
import { fingerprint, type VlanFailure } from './switch-view.ts';

const PORT_RETRY = { base: 15_000, cap: 600_000 } as const;
/** Somebody holds the configuration: nothing failed, and he may be gone any moment. */
const BUSY_RETRY = { base: 5_000, cap: 30_000 } as const;

/** Carries a plan out: written down, sent, read back, put back where it failed. */
export async function carryOut(ctx: RoundContext, planned: SwitchPlan): Promise<void> {
  const { view } = ctx;
  const desired = ctx.desired().ports.get(view.name) ?? new Map();
  const { changes } = planned;
  const { save } = view.driver.capabilities;
  const config = ctx.config();
  await mustRemember(ctx, (s) => books.beforeBatch(s, changes, desired, save));
  // The plan was made for a configuration that is no longer in force: the round that was asked for plans anew.
  if (ctx.config() !== config) return;
  view.inFlight = new Set(changes.ports.map((c) => c.from.name));
  ctx.changed();
  const started = ctx.clock.monotonic();
  const options = driverOptions(view.config);
  const result = await drive({
    session: ctx.session,
    before: planned.reading,
    isKept: (port) => desired.has(port.name),
    isGuarded: (port) => port.carriesManagement || view.uplinks.has(port.name),
    driver: view.driver,
    options,
    changes,
    monotonic: () => ctx.clock.monotonic(),
    fallback: (change, now) =>
      fallbackFor(change, now, {
        config: ctx.config(),
        driver: view.driver,
        options,
        owner: desired.get(change.from.name)?.owner ?? null,
        formerOwner: own(stored(ctx).ports, change.from.name)?.applied?.owner,
      }),
  });
  const nowIso = new Date(ctx.clock.now()).toISOString();
  take(ctx, result.reading, { now: ctx.clock.now(), mono: result.readMono });
  const failures = new Map(view.failures);
  const proven = new Set<string>();
  for (const port of result.reading.ports) {
    const wanted = desired.get(port.name);
    if (wanted && holds(view, port, wanted.config)) proven.add(port.name);
  }
  for (const outcome of result.outcomes) {
    const wanted = desired.get(outcome.port);
    if (!wanted) continue;
    const fields = { switch: view.name, port: outcome.port, ...ownerFields(wanted.owner) };
    if (outcome.failure === null) {
      failures.delete(outcome.port);
      if (!proven.has(outcome.port)) continue;
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
    const { failure, transcript, broughtBack } = outcome;
    const busy = failure.reason === 'SwitchBusy';
    const { base, cap } = busy ? BUSY_RETRY : PORT_RETRY;
    const retryAt = ctx.clock.monotonic() + backoffMs(attempts, base, cap, ctx.random);
    failures.set(outcome.port, { ...failure, target, transcript, broughtBack, attempts, retryAt });
    if (!busy || before?.reason !== 'SwitchBusy')
      ctx.events.add('failed', `${view.name} ${outcome.port}: ${failure.message}`, fields);
  }
  view.leftHalf = afterBatch(view.leftHalf, result.outcomes, result.reading);
  noteVlanFailures(ctx, changes, result);
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
  const changedPorts = new Set(
    result.outcomes.filter((o) => o.failure === null && proven.has(o.port)).map((o) => o.port),
  );
  await remember(ctx, (s) => {
    let next = books.afterBatch(s, result.createdVlans, result.deletedVlans);
    for (const port of changedPorts) {
      const wanted = desired.get(port);
      if (wanted) next = books.portHolds(next, port, wanted, nowIso);
    }
    return next;
  });
}

/** VLANs that the switch refused to make or remove, also without a word. */
function noteVlanFailures(ctx: RoundContext, changes: SwitchPlan['changes'], result: DriveResult): void {
  const { view } = ctx;
  const there = new Set(result.reading.vlans.map((v) => v.id));
  const words = new Map(result.vlanFailures);
  for (const id of result.createdVlans)
    if (!there.has(id)) words.set(id, 'the switch took the commands, but has no such VLAN');
  for (const id of result.deletedVlans)
    if (there.has(id)) words.set(id, 'the switch took the command, but still has the VLAN');
  const failures = new Map<number, VlanFailure>();
  for (const [id, text] of words) {
    const attempts = (view.vlanFailures.get(id)?.attempts ?? 0) + 1;
    const retryAt = ctx.clock.monotonic() + backoffMs(attempts, PORT_RETRY.base, PORT_RETRY.cap, ctx.random);
    failures.set(id, { words: text, attempts, retryAt });
    ctx.events.add('failed', `${view.name} VLAN ${id}: ${text}`, { switch: view.name });
  }
  const tried = new Set([...changes.createVlans.map((v) => v.id), ...changes.deleteVlans]);
  view.vlanFailures = new Map([...[...view.vlanFailures].filter(([id]) => !tried.has(id)), ...failures]);
}
