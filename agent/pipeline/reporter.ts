import type { Clock } from '../../drivers/model/clock.ts';
import type { AgentDocument, NeighborsDocument, PortsDocument, ResultDocument } from '../model/report.ts';
import { type AgentFacts, buildAgent, buildNeighbors, buildPorts, buildResult } from './report.ts';
import type { ReportInput } from './report-input.ts';

/** A document to be kept at the broker. */
export type Report =
  | { readonly kind: 'agent'; readonly name: ''; readonly document: AgentDocument }
  | { readonly kind: 'result'; readonly name: string; readonly document: ResultDocument }
  | { readonly kind: 'ports'; readonly name: string; readonly document: PortsDocument }
  | { readonly kind: 'neighbors'; readonly name: string; readonly document: NeighborsDocument };

/** Times of readings change with every poll and are no news by themselves. */
const VOLATILE = new Set(['updatedAt', 'readAt', 'verifiedAt', 'ageSeconds']);

/**
 * Makes all documents whenever something may have changed, and passes on those that really did. Calls that come together
 * are served by one pass.
 */
export class Reporter {
  readonly #clock: Clock;
  readonly #input: () => ReportInput;
  readonly #facts: () => AgentFacts;
  readonly #publish: (report: Report) => void;
  readonly #retract: (kind: Report['kind'], name: string) => void;
  readonly #afterwards: () => void;
  readonly #sent = new Map<string, string>();
  #results = new Map<string, ResultDocument>();
  #scheduled = false;

  /** `afterwards` runs once after each pass. */
  constructor(options: {
    clock: Clock;
    input: () => ReportInput;
    facts: () => AgentFacts;
    publish: (report: Report) => void;
    retract: (kind: Report['kind'], name: string) => void;
    afterwards: () => void;
  }) {
    this.#clock = options.clock;
    this.#input = options.input;
    this.#facts = options.facts;
    this.#publish = options.publish;
    this.#retract = options.retract;
    this.#afterwards = options.afterwards;
  }

  /** The result documents as last made. */
  get results(): ReadonlyMap<string, ResultDocument> {
    return this.#results;
  }

  /** Something may have changed. Cheap; the pass comes when the running code is done. */
  changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.pass();
    });
  }

  /** Another broker: everything is news there. */
  forget(): void {
    this.#sent.clear();
  }

  pass(): void {
    const input = this.#input();
    const reports: Report[] = [{ kind: 'agent', name: '', document: buildAgent(input, this.#facts()) }];
    const results = new Map<string, ResultDocument>();
    const now = new Date(this.#clock.now()).toISOString();
    for (const publisher of Object.keys(input.state.publishers)) {
      const made = buildResult(publisher, input, now);
      const before = this.#results.get(publisher);
      const document = before && stable(before) === stable(made) ? { ...made, updatedAt: before.updatedAt } : made;
      results.set(publisher, document);
      reports.push({ kind: 'result', name: publisher, document });
    }
    this.#results = results;
    for (const view of input.views.values()) {
      reports.push({ kind: 'ports', name: view.name, document: buildPorts(view, input) });
      reports.push({ kind: 'neighbors', name: view.name, document: buildNeighbors(view, input.config.rack) });
    }
    const current = new Set(reports.map((r) => `${r.kind} ${r.name}`));
    for (const key of this.#sent.keys()) {
      if (current.has(key)) continue;
      this.#sent.delete(key);
      const [kind, name] = key.split(' ') as [Report['kind'], string];
      this.#retract(kind, name);
    }
    for (const report of reports) {
      const key = `${report.kind} ${report.name}`;
      const text = stable(report.document);
      if (this.#sent.get(key) === text) continue;
      this.#sent.set(key, text);
      this.#publish(report);
    }
    this.#afterwards();
  }
}

function stable(document: unknown): string {
  return JSON.stringify(document, (key, value) => (VOLATILE.has(key) ? undefined : value));
}
