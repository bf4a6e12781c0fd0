import type { LabAgent } from './agent.ts';
import type { Lab } from './lab.ts';
import type { LabProcess } from './processes.ts';
import { carriesOf, type Excuse, judge, type PortChange, type PortFacts, type Verdict } from './truth-check.ts';

export type { Lie, Verdict } from './truth-check.ts';

const WATCH = '/labsrc/switch-watch.py';

/** Watches the switch past the agent all the time, and compares what the agent says with what was so; see {@link judge}. */
export class Truth {
  readonly changes: PortChange[] = [];
  readonly #lab: Lab;
  readonly #agent: LabAgent;
  readonly #process: LabProcess;
  readonly #excuses: Excuse[] = [];
  readonly #facts = new Map<string, PortFacts>();
  #seen = 0;

  private constructor(lab: Lab, agent: LabAgent, child: LabProcess) {
    this.#lab = lab;
    this.#agent = agent;
    this.#process = child;
  }

  /** Resolves when every port has been seen. */
  static async start(lab: Lab, agent: LabAgent): Promise<Truth> {
    const truth = new Truth(lab, agent, lab.spawn('tor', [WATCH]));
    await truth.#process.waitFor('every port', () => {
      truth.#take();
      return (
        lab.switchPorts.every((p) => truth.now(p).carries !== undefined && truth.now(p).up !== undefined) || undefined
      );
    });
    return truth;
  }

  /** What is known of a port now; up to some tens of milliseconds old. */
  now(port: string): PortFacts {
    this.#take();
    return this.#facts.get(port) ?? {};
  }

  /** Runs something that changes a port past the agent, until `repaired` resolves. */
  async excuse(port: string, change: () => Promise<unknown>, repaired: () => Promise<unknown>): Promise<void> {
    const from = Date.now();
    await change();
    await repaired();
    this.#excuses.push({ port, from, to: Date.now() });
  }

  /** Waits until the switch is known up to this moment, and judges everything that was said until now. */
  async verdict(networks: Readonly<Record<string, number>> = { inspection: 900, cleaning: 900 }): Promise<Verdict> {
    const until = Date.now();
    await this.#until(until);
    return judge({
      documents: this.#agent.published,
      results: this.#agent.results(),
      changes: this.changes,
      excuses: this.#excuses,
      networks,
      until,
    });
  }

  /** What the database has let each port pass in changes since `since` (milliseconds since 1970). */
  async everCarried(since: number): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    await this.#until(Date.now());
    const ever = new Map<string, Set<string>>();
    for (const { port, facts, hi } of this.changes) {
      if (hi < since || facts.carries === undefined || facts.carries === 'unsettled') continue;
      ever.set(port, (ever.get(port) ?? new Set()).add(facts.carries));
    }
    return ever;
  }

  async stop(): Promise<void> {
    await this.#process.end('SIGKILL');
  }

  async #until(time: number): Promise<void> {
    await this.#process.waitFor('the switch as it is now', () => {
      this.#take();
      return this.#seen > time || undefined;
    });
  }

  #take(): void {
    for (const text of this.#process.takeLines()) {
      const line = JSON.parse(text) as WatchLine;
      if ('seen' in line) {
        this.#seen = line.seen * 1000;
        continue;
      }
      if (!(this.#lab.switchPorts as readonly string[]).includes(line.port)) continue;
      const facts = { ...this.#facts.get(line.port), ...factsOf(line) };
      this.#facts.set(line.port, facts);
      this.changes.push({ port: line.port, lo: line.lo * 1000, hi: line.hi * 1000, facts });
    }
  }
}

type WatchLine =
  | { readonly seen: number }
  | ({ readonly port: string; readonly lo: number; readonly hi: number } & (
      | { readonly link: { readonly mtu: number; readonly up: boolean } }
      | {
          readonly settled: boolean;
          readonly vlans: {
            readonly mode: string | null;
            readonly tag: number | null;
            readonly trunks: readonly number[];
            readonly description: string;
          };
        }
    ));

function factsOf(line: Exclude<WatchLine, { readonly seen: number }>): PortFacts {
  if ('link' in line) return line.link;
  const { description, ...columns } = line.vlans;
  return { carries: line.settled ? carriesOf(columns) : 'unsettled', description };
}
