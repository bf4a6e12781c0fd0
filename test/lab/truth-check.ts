import type { ResultDocument } from '../../agent/model/report.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';

/** Milliseconds since 1970. */
type Time = number;

/** What the switch does on one port; absent keys are not known yet. */
export interface PortFacts {
  /** Sorted: "100u" untagged, "200t" tagged. "unsettled": written down, but the switch does not work by it. */
  readonly carries?: string;
  readonly description?: string;
  readonly mtu?: number;
  readonly up?: boolean;
}

/** A change of a port, which happened at some moment from `lo` to `hi`. */
export interface PortChange {
  readonly port: string;
  readonly lo: Time;
  readonly hi: Time;
  /** All that is known after it. */
  readonly facts: PortFacts;
}

export interface PublishedDocument {
  readonly publisher: string;
  readonly revision: number;
  readonly attachments: Readonly<Record<string, unknown>>;
  /** When publishing began: the agent cannot have had it before. */
  readonly at: Time;
}

export interface ReceivedResult {
  readonly at: Time;
  readonly document: Pick<ResultDocument, 'publisher' | 'revision' | 'state' | 'reason' | 'attachments'>;
}

/** A span in which a port may be changed past the agent. */
export interface Excuse {
  readonly port: string;
  readonly from: Time;
  readonly to: Time;
}

/** `applied` was said of an attachment while the port was not so. */
export interface Lie {
  readonly attachment: string;
  readonly revision: number;
  readonly port: string;
  readonly from: Time;
  readonly to: Time;
  readonly wanted: PortFacts;
  readonly was: PortFacts;
}

export interface Evidence {
  readonly documents: readonly PublishedDocument[];
  readonly results: readonly ReceivedResult[];
  readonly changes: readonly PortChange[];
  readonly excuses: readonly Excuse[];
  /** Provider networks by name: their native VLAN. */
  readonly networks: Readonly<Record<string, number>>;
  /** Until when everything is known. */
  readonly until: Time;
}

export interface Verdict {
  readonly lies: readonly Lie[];
  /** Spans in which `applied` was said of a port and compared with what it was; their number and length. */
  readonly claims: number;
  readonly claimedMs: number;
}

interface Columns {
  readonly mode: string | null;
  readonly tag: number | null;
  readonly trunks: readonly number[];
}

/** What a port lets pass; ovs-vswitchd.conf.db(5), Port: vlan_mode, tag, trunks. */
export function carriesOf({ mode, tag, trunks }: Columns): string {
  const kind = mode ?? (tag === null ? 'trunk' : 'access');
  if (kind === 'access' || kind === 'dot1q-tunnel') return `${tag ?? 0}u`;
  const ids = (trunks.length === 0 ? VlanSet.ALL : VlanSet.of(...trunks)).ids();
  if (kind === 'trunk' || tag === null) return words(ids, null);
  return words(ids, tag, kind === 'native-tagged' ? 't' : 'u');
}

function words(tagged: readonly number[], native: number | null, kind: 't' | 'u' = 'u'): string {
  const all = tagged.filter((id) => id !== native).map((id) => `${id}t`);
  return [...(native === null ? [] : [`${native}${kind}`]), ...all].sort().join(' ');
}

interface LooseAttachment {
  readonly port?: { readonly portId: string };
  readonly network?: string;
  readonly adminState?: 'up' | 'down';
  readonly description?: string;
  readonly switchport?: {
    readonly mode: string;
    readonly nativeVLAN?: number;
    readonly allowedVLANs?: readonly (number | string)[];
    readonly mtu?: number;
  };
}

/** What an attachment asks of its port, written independently of the agent's own code. */
export function wantedOf(attachment: unknown, networks: Evidence['networks']): PortFacts {
  const { switchport, network, description, adminState = 'up' } = attachment as LooseAttachment;
  const provider = network === undefined ? undefined : networks[network];
  const native = provider ?? switchport?.nativeVLAN ?? null;
  const tagged = provider === undefined ? (switchport?.allowedVLANs ?? []) : [];
  const ids = VlanSet.fromItems([...tagged]).ids();
  return {
    carries: words(ids, native),
    up: adminState === 'up',
    ...(switchport?.mtu === undefined ? {} : { mtu: switchport.mtu }),
    ...(description === undefined ? {} : { description }),
  };
}

/**
 * Compares what results say with what the switch did. From the arrival of a result on until the next one arrives or a newer
 * document is being published, each port of which it says `applied` must be as that document asks. Moments at which it is
 * not certain what the port was count for the agent.
 */
export function judge(evidence: Evidence): Verdict {
  const lies: Lie[] = [];
  let claims = 0;
  let claimedMs = 0;
  for (const [index, { at, document }] of evidence.results.entries()) {
    const next = evidence.results.slice(index + 1).find((r) => r.document.publisher === document.publisher);
    const mine = evidence.documents.filter((d) => d.publisher === document.publisher);
    const meant = mine.findLast((d) => d.revision === document.revision);
    if (!meant || document.revision === null) continue;
    const newer = mine.find((d) => d.at > meant.at);
    const to = Math.min(next?.at ?? evidence.until, newer?.at ?? evidence.until, evidence.until);
    if (to <= at) continue;
    for (const [name, said] of Object.entries(document.attachments)) {
      if (said.state !== 'applied' || said.port === null) continue;
      claims++;
      claimedMs += to - at;
      const wanted = wantedOf(meant.attachments[name], evidence.networks);
      const claim = { attachment: `${document.publisher}/${name}`, revision: document.revision, wanted };
      lies.push(...against(said.port, wanted, at, to, evidence).map((lie) => ({ ...claim, ...lie })));
    }
  }
  return { lies, claims, claimedMs };
}

function against(port: string, wanted: PortFacts, from: Time, to: Time, { changes, excuses }: Evidence) {
  const mine = changes.filter((c) => c.port === port);
  const found: Pick<Lie, 'port' | 'from' | 'to' | 'was'>[] = [];
  for (const [i, { hi, facts }] of mine.entries()) {
    const start = Math.max(hi, from);
    const end = Math.min(mine[i + 1]?.lo ?? to, to);
    if (start >= end || holds(wanted, facts)) continue;
    const excused = excuses.some((e) => e.port === port && e.from <= start && end <= e.to);
    if (!excused) found.push({ port, from: start, to: end, was: facts });
  }
  return found;
}

function holds(wanted: PortFacts, was: PortFacts): boolean {
  return (Object.keys(wanted) as (keyof PortFacts)[]).every(
    (key) => was[key] === undefined || was[key] === wanted[key],
  );
}
