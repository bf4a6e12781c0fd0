import type { PlanDocument } from './command.ts';
import type {
  AgentDocument,
  EventDocument,
  NeighborRow,
  NeighborsDocument,
  PortRow,
  PortsDocument,
  ResultDocument,
} from './report.ts';

/**
 * What the local API answers, besides the published documents themselves. The CLI reads the same shapes; every answer is
 * made from the agent's memory and store, so it is there with the broker away and the switch dead.
 */
export interface StatusView {
  readonly agent: AgentDocument;
  readonly broker: {
    readonly url: string;
    readonly connected: boolean;
    /** RFC 3339; since when it is connected or not. */
    readonly since: string | null;
    readonly message: string;
  };
  readonly publishers: readonly {
    readonly name: string;
    readonly revision: number | null;
    readonly state: ResultDocument['state'];
    readonly reason: ResultDocument['reason'];
    readonly message: string;
    readonly counts: ResultDocument['counts'];
  }[];
  readonly switches: readonly {
    readonly name: string;
    /** Seconds since the last reading; null: never. */
    readonly ageSeconds: number | null;
    readonly ports: number;
    readonly managed: number;
    readonly linkUp: number;
    readonly inSync: number;
    readonly outOfSync: number;
  }[];
  /** Ports that need somebody to look, worst first, at most 100. */
  readonly attention: readonly {
    readonly switch: string;
    readonly port: string;
    readonly reason: string;
    readonly message: string;
    readonly fix: string;
  }[];
  readonly pid: number;
  readonly now: string;
}

/** Everything known about one port: the answer to "why is this port not right?". */
export interface PortView {
  readonly switch: string;
  readonly reachable: boolean;
  readonly readAt: string | null;
  readonly ageSeconds: number | null;
  readonly port: PortRow;
  /** Who wants it; null without attachment. */
  readonly wantedBy: {
    readonly publisher: string;
    readonly attachment: string;
    readonly revision: number;
    readonly state: string;
  } | null;
  readonly differences: readonly { readonly field: string; readonly from: string; readonly to: string }[];
  readonly reason: string | null;
  readonly meaning: string;
  readonly fix: string;
  readonly neighbors: readonly NeighborRow[];
  /** Commands and answers of the last failed change; empty when the last one went well. */
  readonly transcript: readonly { readonly command: string; readonly answer: string }[];
  /** Newest first, at most 20. */
  readonly history: readonly EventDocument[];
}

export interface IntentsView {
  readonly publishers: readonly {
    readonly name: string;
    readonly acceptedAt: string;
    readonly document: unknown;
    readonly result: ResultDocument;
  }[];
}

/** A port name that fits several ports. */
export interface AmbiguousPort {
  readonly candidates: readonly { readonly switch: string; readonly port: string }[];
}

/** Reading side of the agent, for the local API. Never throws, never waits for a switch or the broker. */
export interface AgentReader {
  status(): StatusView;
  ports(): readonly PortsDocument[];
  /** `name`: any name of the port, long or short, optionally "SWITCH:PORT" or "SWITCH/PORT". */
  port(
    name: string,
    switchName?: string,
  ): { readonly found: PortView } | { readonly ambiguous: AmbiguousPort } | { readonly missing: string };
  neighbors(): readonly NeighborsDocument[];
  intents(): IntentsView;
  plan(): PlanDocument;
  /** Events after `sequence`, oldest first, as far as they are still in memory. */
  events(after: number): readonly EventDocument[];
  /** Calls `listener` for each new event; returns a function that ends it. */
  onEvent(listener: (event: EventDocument) => void): () => void;
}

/** Acting side of the agent, for the control socket. Rejects with an error whose message is for a person. */
export interface AgentControl {
  /** Reads the switch (or all) now; resolves when done. */
  refresh(switchName?: string): Promise<void>;
  /** Reads, plans and applies now, also drift that is otherwise only reported; resolves when the round is over. */
  reconcile(switchName?: string): Promise<void>;
  /** Takes the switch that answers now as the known one. */
  accept(switchName: string): Promise<void>;
}
