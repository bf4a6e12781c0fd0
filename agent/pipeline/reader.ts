import type { Clock } from '../../drivers/model/clock.ts';
import { nearest } from '../../drivers/model/nearest.ts';
import { matchPort } from '../../drivers/text/port-name.ts';
import { own } from '../model/own.ts';
import { REASONS, type Reason } from '../model/reasons.ts';
import type { EventDocument, PortRow, ResultDocument } from '../model/report.ts';
import type { AgentReader, PortView, StatusView } from '../model/views.ts';
import type { EventLog } from './event-log.ts';
import { portDifferences } from './plan.ts';
import { planDocument } from './plan-document.ts';
import { type AgentFacts, buildAgent, buildNeighbors, buildPorts, iso } from './report.ts';
import type { ReportInput } from './report-input.ts';
import type { SwitchView } from './switch-view.ts';

export interface ReaderDeps {
  readonly clock: Clock;
  readonly input: () => ReportInput;
  readonly results: () => ReadonlyMap<string, ResultDocument>;
  readonly facts: () => AgentFacts;
  readonly events: EventLog;
  readonly broker: () => StatusView['broker'];
  readonly pid: number;
}

const MAX_ATTENTION = 100;
/** Reasons that somebody should look at, worst first. */
const URGENT: readonly Reason[] = [
  'VerifyFailed',
  'CommandRejected',
  'InternalError',
  'SwitchChanged',
  'NeighborMismatch',
  'VlanMissing',
  'DriftReported',
  'StoreFailed',
  'SwitchUnreachable',
  'SwitchBusy',
  'Unsupported',
  'OnHold',
];

/** Answers questions about the agent from its memory; see {@link AgentReader}. */
export function createReader(deps: ReaderDeps): AgentReader {
  const ports = () => {
    const input = deps.input();
    return [...input.views.values()].map((view) => buildPorts(view, input));
  };
  return {
    status: () => status(deps),
    ports,
    port: (name, switchName) => findPort(name, switchName, deps),
    neighbors: () => {
      const input = deps.input();
      return [...input.views.values()].map((view) => buildNeighbors(view, input.config.rack));
    },
    intents: () => ({
      publishers: [...deps.results()].map(([name, result]) => {
        const accepted = own(deps.input().state.publishers, name)?.accepted;
        return { name, acceptedAt: accepted?.at ?? '', document: accepted?.document ?? null, result };
      }),
    }),
    plan: () => planDocument(deps.input()),
    events: (after) => deps.events.after(after),
    onEvent: (listener) => deps.events.onEvent(listener),
  };
}

function status(deps: ReaderDeps): StatusView {
  const input = deps.input();
  const attention: StatusView['attention'][number][] = [];
  const switches = [...input.views.values()].map((view) => {
    const rows = buildPorts(view, input).ports;
    for (const row of rows) {
      if (row.reason !== null && URGENT.includes(row.reason)) {
        attention.push({
          switch: view.name,
          port: row.name,
          reason: row.reason,
          message: row.message,
          fix: REASONS[row.reason].fix,
        });
      }
    }
    return {
      name: view.name,
      ageSeconds: age(view.readAt, deps.clock),
      ports: rows.length,
      managed: rows.filter((r) => r.managed).length,
      linkUp: rows.filter((r) => r.operState === 'up').length,
      inSync: rows.filter((r) => r.inSync === true).length,
      outOfSync: rows.filter((r) => r.inSync === false).length,
    };
  });
  for (const [publisher, result] of deps.results()) {
    for (const [name, a] of Object.entries(result.attachments)) {
      if (a.state !== 'rejected' && a.reason !== 'NeighborMismatch') continue;
      attention.push({
        switch: a.switch ?? '',
        port: a.port ?? '',
        reason: a.reason,
        message: `${publisher}/${name}: ${a.message}`,
        fix: REASONS[a.reason].fix,
      });
    }
  }
  attention.sort((a, b) => rank(a.reason) - rank(b.reason));
  return {
    agent: buildAgent(input, deps.facts()),
    broker: deps.broker(),
    publishers: [...deps.results()].map(([name, r]) => ({
      name,
      revision: r.revision,
      state: r.state,
      reason: r.reason,
      message: r.message,
      counts: r.counts,
    })),
    switches,
    attention: attention.slice(0, MAX_ATTENTION),
    pid: deps.pid,
    now: new Date(deps.clock.now()).toISOString(),
  };
}

function rank(reason: string): number {
  const at = URGENT.indexOf(reason as Reason);
  return at < 0 ? URGENT.length : at;
}

function age(at: number | null, clock: Clock): number | null {
  return at === null ? null : Math.max(0, Math.round((clock.now() - at) / 1000));
}

function findPort(query: string, switchName: string | undefined, deps: ReaderDeps): ReturnType<AgentReader['port']> {
  const input = deps.input();
  const split = switchName === undefined ? splitName(query, input.views) : { on: switchName, name: query };
  const views = [...input.views.values()].filter((v) => split.on === undefined || v.name === split.on);
  if (views.length === 0)
    return { missing: `this rack has no switch "${split.on}"; it has ${[...input.views.keys()].join(', ')}` };
  const found: { view: SwitchView; port: string }[] = [];
  for (const view of views) {
    const match = matchPort(split.name, view.reading?.ports ?? []);
    if ('found' in match) found.push({ view, port: match.found.name });
    else if ('ambiguous' in match) found.push(...match.ambiguous.map((p) => ({ view, port: p.name })));
  }
  const [only] = found;
  if (only && found.length === 1) return { found: portView(only.view, only.port, input, deps) };
  if (only) return { ambiguous: { candidates: found.map((f) => ({ switch: f.view.name, port: f.port })) } };
  const unread = views.filter((v) => v.reading === null).map((v) => v.name);
  if (unread.length > 0)
    return { missing: `no port "${split.name}" is known yet: ${unread.join(', ')} has not been read since the start` };
  const near = nearest(
    split.name,
    views.flatMap((v) => (v.reading?.ports ?? []).map((p) => p.name)),
  );
  return {
    missing: `no port "${split.name}" on ${views.map((v) => v.name).join(', ')}${near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''}`,
  };
}

/** "tor1:swp3" and "tor1/swp3"; a name with such a sign that names no switch is a port name. */
function splitName(query: string, views: ReadonlyMap<string, SwitchView>): { on: string | undefined; name: string } {
  for (const name of views.keys()) {
    if (query.startsWith(`${name}:`) || query.startsWith(`${name}/`))
      return { on: name, name: query.slice(name.length + 1) };
  }
  return { on: undefined, name: query };
}

function portView(
  view: SwitchView,
  name: string,
  input: ReportInput,
  deps: ReaderDeps,
): { [K in keyof PortView]: PortView[K] } {
  const row = buildPorts(view, input).ports.find((p) => p.name === name) as PortRow;
  const actual = view.reading?.ports.find((p) => p.name === name);
  const wanted = input.desired.ports.get(view.name)?.get(name);
  const attachment = attachmentOn(view.name, name, deps.results());
  const reason = row.reason ?? attachment?.reason ?? null;
  return {
    switch: view.name,
    reachable: view.reachability === 'reachable',
    readAt: iso(view.readAt),
    ageSeconds: age(view.readAt, deps.clock),
    port: row,
    wantedBy: attachment
      ? {
          publisher: attachment.publisher,
          attachment: attachment.name,
          revision: attachment.revision,
          state: attachment.state,
        }
      : null,
    differences:
      actual && wanted ? portDifferences(actual, wanted.config, view.driver.capabilities).map((d) => ({ ...d })) : [],
    reason,
    meaning: reason === null ? '' : REASONS[reason].meaning,
    fix: reason === null ? '' : REASONS[reason].fix,
    neighbors: buildNeighbors(view, '').neighbors.filter((n) => n.port === name),
    transcript: view.failures.get(name)?.transcript.slice(-50) ?? [],
    history: history(view.name, name, deps.events),
  };
}

function attachmentOn(onSwitch: string, port: string, results: ReadonlyMap<string, ResultDocument>) {
  let best: { publisher: string; name: string; revision: number; state: string; reason: Reason } | null = null;
  for (const [publisher, result] of results) {
    for (const [name, a] of Object.entries(result.attachments)) {
      if (a.switch !== onSwitch || a.port !== port) continue;
      // The one that holds the port goes before one that was refused it.
      if (best === null || best.state === 'rejected')
        best = { publisher, name, revision: result.revision ?? 0, state: a.state, reason: a.reason };
    }
  }
  return best;
}

function history(onSwitch: string, port: string, events: EventLog): readonly EventDocument[] {
  return events
    .after(-1)
    .filter((e) => e.switch === onSwitch && e.port === port)
    .slice(-20)
    .reverse();
}
