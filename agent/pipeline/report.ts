import type { PortConfig, PortState } from '../../drivers/model/port.ts';
import { own } from '../model/own.ts';
import { ATTACHMENT_STATES, REASONS } from '../model/reasons.ts';
import type {
  AgentDocument,
  AttachmentResult,
  HealthItem,
  NeighborsDocument,
  PortRow,
  PortsDocument,
  ReadBack,
  ResultDocument,
  SwitchSummary,
  WantedPort,
} from '../model/report.ts';
import type { State } from '../store/state.ts';
import { emptySwitch } from '../store/state.ts';
import { ownedVlans } from './bookkeeping.ts';
import type { DesiredPort, Verdict } from './desired.ts';
import { ownerKey } from './desired.ts';
import { portPolicy } from './fabric.ts';
import type { ReportInput } from './report-input.ts';
import { standing } from './standing.ts';
import type { SwitchView } from './switch-view.ts';
import { withdrawnPort } from './withdrawals.ts';

export function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

export function buildResult(publisher: string, input: ReportInput, updatedAt: string): ResultDocument {
  const stored = own(input.state.publishers, publisher);
  const attachments: Record<string, AttachmentResult> = {};
  for (const name of Object.keys(stored?.accepted?.document.attachments ?? {})) {
    const verdict = input.desired.verdicts.get(ownerKey(publisher, name));
    if (verdict) attachments[name] = attachmentResult(verdict, input);
  }
  for (const name of Object.keys(stored?.withdrawing ?? {})) {
    if (!Object.hasOwn(attachments, name)) attachments[name] = withdrawalResult(publisher, name, input);
  }
  const counts = Object.fromEntries(ATTACHMENT_STATES.map((s) => [s, 0])) as ResultDocument['counts'];
  for (const a of Object.values(attachments)) counts[a.state]++;
  const refused = stored?.refused ?? null;
  const worst = refused ? null : worstOf(attachments);
  return {
    rack: input.config.rack,
    publisher,
    revision: stored?.accepted?.revision ?? null,
    state: refused ? 'rejected' : (worst?.state ?? 'applied'),
    reason: refused?.reason ?? worst?.reason ?? 'Applied',
    message: refused?.message ?? worst?.message ?? summary(counts),
    rejectedRevision: refused?.revision ?? null,
    errors: refused?.errors ?? [],
    attachments,
    counts,
    updatedAt,
  };
}

function summary(counts: ResultDocument['counts']): string {
  const total = Object.values(counts).reduce((a, b) => a + b, 0);
  return total === 0 ? 'nothing is attached' : `${counts.applied} of ${total} applied and proven by reading back`;
}

function worstOf(
  attachments: Readonly<Record<string, AttachmentResult>>,
): Pick<ResultDocument, 'state' | 'reason' | 'message'> | null {
  // While anything is still to be done the answer is not final, whatever else went wrong.
  const overall = {
    pending: 'pending',
    withdrawing: 'pending',
    failed: 'failed',
    rejected: 'failed',
    held: 'failed',
  } as const;
  for (const state of ['pending', 'withdrawing', 'failed', 'rejected', 'held'] as const) {
    const entry = Object.entries(attachments).find(([, a]) => a.state === state);
    if (entry) return { state: overall[state], reason: entry[1].reason, message: `${entry[0]}: ${entry[1].message}` };
  }
  return null;
}

function attachmentResult(verdict: Verdict, input: ReportInput): AttachmentResult {
  const view = verdict.switch === null ? undefined : input.views.get(verdict.switch);
  const actual = view?.reading?.ports.find((p) => p.name === verdict.port);
  const base = {
    switch: verdict.switch,
    port: verdict.port,
    changedAt: null,
    verifiedAt: null,
    readBack: actual ? readBack(actual) : null,
  };
  const { refusal } = verdict;
  if (refusal !== null) {
    const state = verdict.state === 'refused' ? 'rejected' : verdict.state === 'held' ? 'held' : 'pending';
    const trouble = verdict.state === 'unresolved' ? (view?.trouble ?? refusal) : refusal;
    return { ...base, state, reason: trouble.reason, message: trouble.message };
  }
  const wanted = view && verdict.port !== null ? input.desired.ports.get(view.name)?.get(verdict.port) : undefined;
  if (!view || !wanted || verdict.port === null)
    return { ...base, state: 'pending', reason: 'AwaitingSwitch', message: 'not planned yet' };
  const owner = ownerKey(verdict.publisher, verdict.attachment);
  const is = standing(verdict.port, wanted, view, input.config, input.freshSince(owner));
  const applied = own(own(input.state.switches, view.name)?.ports ?? {}, verdict.port)?.applied;
  const mine = applied?.owner === owner;
  const warned = is.state === 'applied' && verdict.warning !== null;
  return {
    ...base,
    state: is.state,
    reason: warned ? 'NeighborMismatch' : is.reason,
    message: warned ? `applied, but check the cable: ${verdict.warning}` : is.message,
    changedAt: mine ? applied.changedAt : null,
    verifiedAt: is.state === 'applied' ? iso(view.readAt) : null,
  };
}

function withdrawalResult(publisher: string, name: string, input: ReportInput): AttachmentResult {
  const where = withdrawnPort(publisher, name, input);
  const none = {
    state: 'withdrawing' as const,
    switch: null,
    port: null,
    changedAt: null,
    verifiedAt: null,
    readBack: null,
  };
  if (typeof where === 'string') {
    return { ...none, reason: 'AwaitingSwitch', message: 'withdrawn; carried out when the switch answers' };
  }
  const view = input.views.get(where.switch);
  const wanted = input.desired.ports.get(where.switch)?.get(where.port);
  const actual = view?.reading?.ports.find((p) => p.name === where.port);
  const is =
    view && wanted
      ? standing(where.port, wanted, view, input.config, input.freshSince(ownerKey(publisher, name)))
      : null;
  return {
    ...none,
    ...where,
    readBack: actual ? readBack(actual) : null,
    reason: is === null || is.reason === 'Applied' ? 'AwaitingSwitch' : is.reason,
    message: `withdrawn; ${is?.message ?? 'not carried out yet'}`,
  };
}

export function readBack(port: PortState): ReadBack {
  const { mode, nativeVlan, taggedVlans, extraUntaggedVlans } = port.switchport;
  return {
    mode,
    nativeVLAN: nativeVlan,
    allowedVLANs: taggedVlans.toItems(),
    extraUntaggedVLANs: extraUntaggedVlans.toItems(),
    mtu: port.mtu,
    adminState: port.adminState,
    description: port.description,
  };
}

function wantedPort(config: PortConfig): WantedPort {
  const { mode, nativeVlan, taggedVlans } = config.switchport;
  return {
    mode,
    nativeVLAN: nativeVlan,
    allowedVLANs: taggedVlans.toItems(),
    mtu: config.mtu,
    adminState: config.adminState,
    description: config.description,
  };
}

export function buildPorts(view: SwitchView, input: ReportInput): PortsDocument {
  const known = input.fabric.get(view.name);
  const policy = known ? portPolicy(known) : { managed: new Set<string>(), protected: new Map<string, string>() };
  const desired = input.desired.ports.get(view.name) ?? new Map<string, DesiredPort>();
  const owned = ownedVlans(own(input.state.switches, view.name) ?? emptySwitch);
  return {
    rack: input.config.rack,
    switch: view.name,
    reachable: view.reachability === 'reachable',
    readAt: iso(view.readAt),
    readFrom: view.reading?.vlanSource ? `${view.reading.vlanSource.source}, ${view.reading.vlanSource.basis}` : null,
    ports: (view.reading?.ports ?? []).map((port) => portRow(port, desired.get(port.name), view, input, policy)),
    vlans: (view.reading?.vlans ?? []).map((v) => ({ id: v.id, name: v.name, ownedByAgent: owned.has(v.id) })),
  };
}

function portRow(
  port: PortState,
  wanted: DesiredPort | undefined,
  view: SwitchView,
  input: ReportInput,
  policy: ReturnType<typeof portPolicy>,
): PortRow {
  const since = wanted?.owner ? input.freshSince(wanted.owner) : Number.NEGATIVE_INFINITY;
  const is = wanted ? standing(port.name, wanted, view, input.config, since) : null;
  return {
    name: port.name,
    aliases: [...port.aliases],
    ifIndex: port.ifIndex,
    kind: port.kind,
    adminState: port.adminState,
    operState: port.operState,
    speedMbps: port.speedMbps,
    macAddress: port.macAddress,
    lag: port.lag,
    problem: port.problem,
    actual: readBack(port),
    managed: policy.managed.has(port.name),
    protected: policy.protected.get(port.name) ?? null,
    claimedBy: wanted?.owner ?? null,
    network: wanted?.network ?? null,
    wanted: wanted ? wantedPort(wanted.config) : null,
    inSync: is ? is.state === 'applied' : null,
    reason: is?.reason ?? null,
    message: is?.message ?? '',
  };
}

export function buildNeighbors(view: SwitchView, rack: string): NeighborsDocument {
  return {
    rack,
    switch: view.name,
    reachable: view.reachability === 'reachable',
    readAt: iso(view.neighborsAt),
    neighbors: view.neighbors.map((n) => ({
      ...n,
      capabilities: [...n.capabilities],
      managementAddresses: [...n.managementAddresses],
    })),
  };
}

export function buildSwitchSummary(view: SwitchView, state: State): SwitchSummary {
  const { capabilities } = view.driver;
  const trouble = view.changed ?? view.trouble;
  return {
    driver: view.driver.name,
    reachability: view.reachability,
    since: iso(view.since),
    reason: trouble?.reason ?? null,
    message: trouble?.message ?? '',
    vendor: view.identity?.vendor ?? null,
    model: view.identity?.model ?? null,
    version: view.identity?.version ?? null,
    serial: view.identity?.serial ?? null,
    chassisId: view.identity?.chassisId ?? null,
    systemName: view.identity?.systemName ?? null,
    notPersisted: own(state.switches, view.name)?.notPersisted ?? false,
    capabilities: {
      modes: [...capabilities.modes],
      nativeVlanOnTrunk: capabilities.nativeVlanOnTrunk,
      mtu: capabilities.mtu,
      descriptionLength: capabilities.descriptionLength,
      adminState: capabilities.adminState,
      lag: capabilities.lag,
    },
  };
}

export interface AgentFacts {
  readonly incarnation: number;
  readonly version: string;
  readonly startedAt: string;
  readonly health: readonly HealthItem[];
}

export function buildAgent(input: ReportInput, facts: AgentFacts): AgentDocument {
  return {
    rack: input.config.rack,
    state: 'online',
    incarnation: facts.incarnation,
    version: facts.version,
    startedAt: facts.startedAt,
    mode: input.config.mode,
    switches: Object.fromEntries([...input.views.values()].map((v) => [v.name, buildSwitchSummary(v, input.state)])),
    health: [...facts.health],
  };
}

/** The Last Will, and what a planned stop says. Names no switch: nothing is known of them while the agent is away. */
export function offlineAgent(rack: string, incarnation: number): AgentDocument {
  return { rack, state: 'offline', incarnation, version: null, startedAt: null, mode: null, switches: {}, health: [] };
}

export function reasonText(reason: keyof typeof REASONS | null): { meaning: string; fix: string } {
  return reason === null ? { meaning: '', fix: '' } : REASONS[reason];
}
