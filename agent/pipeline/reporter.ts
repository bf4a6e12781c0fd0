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
  /** By publisher: as last made, and the same as text {@link withoutTimes}. */
  #results: ReadonlyMap<string, { readonly document: ResultDocument; readonly text: string }> = new Map();
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
    return new Map([...this.#results].map(([publisher, { document }]) => [publisher, document]));
  }

  /** Something may have changed. Cheap; the pass comes when the running code is done. */
  changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Not at once: what is on its way to a switch goes first.
    setImmediate(() => {
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
    const current = new Set<string>();
    // Each goes out as soon as it is made: results, which somebody waits for, before the long port tables.
    const offer = (report: Report, text: string) => {
      const key = `${report.kind} ${report.name}`;
      current.add(key);
      if (this.#sent.get(key) === text) return;
      this.#sent.set(key, text);
      this.#publish(report);
    };
    const agent = buildAgent(input, this.#facts());
    offer({ kind: 'agent', name: '', document: agent }, JSON.stringify(agent));
    const now = new Date(this.#clock.now()).toISOString();
    const results = new Map<string, { readonly document: ResultDocument; readonly text: string }>();
    for (const publisher of Object.keys(input.state.publishers)) {
      const made = buildResult(publisher, input, now);
      const text = withoutTimes(made);
      const known = this.#results.get(publisher);
      const document = known?.text === text ? { ...made, updatedAt: known.document.updatedAt } : made;
      results.set(publisher, { document, text });
      offer({ kind: 'result', name: publisher, document }, text);
    }
    this.#results = results;
    for (const view of input.views.values()) {
      const ports = buildPorts(view, input);
      const neighbors = buildNeighbors(view, input.config.rack);
      offer({ kind: 'ports', name: view.name, document: ports }, JSON.stringify({ ...ports, readAt: null }));
      offer(
        { kind: 'neighbors', name: view.name, document: neighbors },
        JSON.stringify({ ...neighbors, readAt: null }),
      );
    }
    for (const key of this.#sent.keys()) {
      if (current.has(key)) continue;
      this.#sent.delete(key);
      const [kind, name] = key.split(' ') as [Report['kind'], string];
      this.#retract(kind, name);
    }
    this.#afterwards();
  }
}

/** The document as text, without the times of readings: these change with every poll and are no news by themselves. */
function withoutTimes(result: ResultDocument): string {
  const attachments = Object.entries(result.attachments).map(([name, a]) => [name, { ...a, verifiedAt: null }]);
  return JSON.stringify({ ...result, updatedAt: null, attachments });
}
