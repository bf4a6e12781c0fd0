import { randomBytes } from 'node:crypto';
import { pause } from '../../drivers/model/clock.ts';
import type { AgentDocument, ResultDocument } from '../model/report.ts';
import { agentSchema, resultSchema } from '../model/report.ts';
import { BrokerError, connectOnce, type OneShot } from '../mqtt/one-shot.ts';
import { receive } from '../mqtt/receive.ts';
import { type Topics, topics } from '../mqtt/topics.ts';
import { validateIntent } from '../pipeline/validate.ts';
import type { CliIo, CommandCall, CommandRun } from './command.ts';
import { CliError, EXIT, type ExitCode, usageError } from './exit-codes.ts';
import { showAttachments, showResult } from './intents.ts';
import { atRevision, type CheckedDocument, checkDocument, readInput, readRevisionChoice } from './publish-document.ts';
import { type PublishTarget, readTarget } from './publish-target.ts';
import { compareWithPrior, judge, type Prior, type Verdict } from './publish-wait.ts';
import { count } from './text.ts';
import { createWriter } from './writers.ts';

const CONNECT_MS = 10_000;
/** How long retained documents may take to come after subscribing. */
const SETTLE_MS = 700;
/** How long a result may come after the agent's own document. */
const STRAGGLER_MS = 150;
/** How long the agent may take to answer a repeated document before its last result is taken as the answer. */
const REPEAT_MS = 2000;
const DEFAULT_TIMEOUT_S = 60;

const EXITS: Readonly<Record<Exclude<Verdict, 'open'>, ExitCode>> = {
  applied: EXIT.ok,
  failed: EXIT.no,
  refused: EXIT.no,
  superseded: EXIT.no,
  'observe-only': EXIT.no,
};

/** `portkeeper publish`: checks a document, sends it, and with --wait says what became of it. */
export const run: CommandRun = async (call, io) => {
  const choice = readRevisionChoice(call.value('revision'));
  const timeoutMs = readTimeout(call) * 1000;
  const target = await readTarget(call, io);
  const checked = checkDocument(await readInput(call.args[0] ?? '-', io), choice, io);
  const names = topics(target.prefix, target.rack);
  const seen = new Seen(names, target.publisher);
  try {
    const broker = await connect(target, seen, io);
    try {
      return await publish({ broker, seen, names, target, choice, checked, timeoutMs }, call, io);
    } finally {
      await broker.close();
    }
  } catch (error) {
    throw error instanceof BrokerError ? brokerFailure(error) : error;
  }
};

interface Errand {
  readonly broker: OneShot;
  readonly seen: Seen;
  readonly names: Topics;
  readonly target: PublishTarget;
  readonly choice: ReturnType<typeof readRevisionChoice>;
  readonly checked: CheckedDocument;
  readonly timeoutMs: number;
}

async function publish(errand: Errand, call: CommandCall, io: CliIo): Promise<number> {
  const { broker, seen, names, target } = errand;
  const { publisher } = target;
  const deadline = io.clock.monotonic() + errand.timeoutMs;
  const refused = await broker.subscribe([names.result(publisher), names.intent(publisher), names.agent]);
  const blind = refused.includes(names.result(publisher));
  if (blind && (call.has('wait') || errand.choice === 'auto')) {
    throw new BrokerError(
      'not-authorised',
      `the broker refuses to show ${names.result(publisher)}; allow it in its access rules`,
    );
  }
  if (!blind) {
    // Retained messages come in the order of the subscriptions at most brokers, the agent's last.
    await seen.until(() => seen.agent !== null, SETTLE_MS, io);
    if (seen.result === null) await seen.until(() => seen.result !== null, STRAGGLER_MS, io);
  }
  const checked = errand.choice === 'auto' ? atRevision(errand.checked, seen.nextRevision()) : errand.checked;
  const { revision } = checked.document;
  const prior = compareWithPrior(checked.document, seen.result?.revision ?? null, seen.intent);
  if (prior.kind === 'hopeless') {
    throw new CliError(EXIT.no, `nothing was sent: ${prior.message}`, {
      type: 'raise the revision, or use --revision auto',
    });
  }
  const before = seen.result;
  await broker.publishRetained(names.intent(publisher), checked.bytes);
  const what = `revision ${revision} of ${publisher} (${count(Object.keys(checked.document.attachments).length, 'attachment')})`;
  if (!call.has('wait')) {
    createWriter(call, io).line(`Published ${what}; the broker has confirmed it.`);
    return EXIT.ok;
  }
  io.stderr(`portkeeper: published ${what}; waiting for the agent of rack ${target.rack}\n`);
  const left = () => Math.max(0, deadline - io.clock.monotonic());
  return wait({ seen, revision, prior, before, left, protocol: target.broker.protocol }, call, io);
}

interface Waiting {
  readonly seen: Seen;
  readonly revision: number;
  readonly prior: Prior;
  readonly before: ResultDocument | null;
  readonly left: () => number;
  readonly protocol: string;
}

async function wait(
  { seen, revision, prior, before, left, protocol }: Waiting,
  call: CommandCall,
  io: CliIo,
): Promise<number> {
  const fresh = () => seen.result !== null && seen.result !== before;
  // An agent that gets the document in force once more has nothing new to say.
  if (prior.kind === 'repeated') await seen.until(fresh, Math.min(REPEAT_MS, left()), io);
  /** The result that speaks of this document, as far as there is one. */
  const current = () => (fresh() || (prior.kind === 'repeated' && seen.agent?.state === 'online') ? seen.result : null);
  const verdict = (): Verdict => {
    const result = current();
    return result === null ? 'open' : judge(result, revision);
  };
  await seen.until(() => verdict() !== 'open', left(), io);
  const final = verdict();
  const result = current();
  const writer = createWriter(call, io);
  if (result !== null && writer.json) writer.document(result);
  else if (result !== null) {
    showResult(result, writer);
    showAttachments(result, writer);
  }
  if (final === 'superseded') {
    io.stderr(`portkeeper: revision ${result?.revision} has taken the place of ${revision}\n`);
  }
  if (final === 'observe-only') io.stderr('portkeeper: the agent is in mode observe and writes nothing\n');
  if (final !== 'open') return EXITS[final];
  if (seen.lost !== null) throw seen.lost;
  const reached = result?.revision === revision;
  if (reached && result.counts.failed + result.counts.rejected + result.counts.held > 0) return EXIT.no;
  throw new CliError(EXIT.timeout, `time-out: ${reached ? 'not applied yet' : 'the agent has not taken it up yet'}`, {
    why: reached ? `${result.reason}: ${result.message}` : whySilent(seen, protocol),
    type: 'portkeeper status    (on the machine of the agent)',
  });
}

function whySilent(seen: Seen, protocol: string): string {
  const agent = seen.agent === null ? 'no agent has ever reported for this rack' : `the agent is ${seen.agent.state}`;
  // MQTT 3.1.1, 3.3.5: a broker that refuses a message can say so only by cutting the connection, and most say nothing.
  return protocol === '5' ? agent : `${agent}; or the broker refused the message, which MQTT 3.1.1 does not tell`;
}

/** What came from the broker, and who waits for it. */
class Seen {
  result: ResultDocument | null = null;
  agent: AgentDocument | null = null;
  intent: ReturnType<typeof parseIntent> = null;
  lost: BrokerError | null = null;
  readonly #names: Topics;
  readonly #publisher: string;
  #changed = new AbortController();

  constructor(names: Topics, publisher: string) {
    this.#names = names;
    this.#publisher = publisher;
  }

  take(topic: string, payload: Buffer): void {
    const received = receive(payload);
    if (received.empty || !received.ok) return;
    if (topic === this.#names.result(this.#publisher))
      this.result = resultSchema.safeParse(received.value).data ?? this.result;
    else if (topic === this.#names.agent) this.agent = agentSchema.safeParse(received.value).data ?? this.agent;
    else if (topic === this.#names.intent(this.#publisher)) this.intent = parseIntent(received.value);
    this.wake();
  }

  lose(error: BrokerError): void {
    this.lost = error;
    this.wake();
  }

  /** The revision after the newest that is known. */
  nextRevision(): number {
    const known = [this.result?.revision, this.result?.rejectedRevision, this.intent?.revision];
    return Math.max(0, ...known.map((revision) => revision ?? 0)) + 1;
  }

  /** Resolves when `done` holds, the connection is lost or the time is over. */
  async until(done: () => boolean, ms: number, io: CliIo): Promise<void> {
    const end = io.clock.monotonic() + ms;
    while (!done() && this.lost === null) {
      const left = end - io.clock.monotonic();
      if (left <= 0) return;
      await pause(io.clock, left, this.#changed.signal);
    }
  }

  private wake(): void {
    this.#changed.abort();
    this.#changed = new AbortController();
  }
}

function parseIntent(value: unknown) {
  const checked = validateIntent(value);
  return checked.ok ? checked.document : null;
}

function connect(target: PublishTarget, seen: Seen, io: CliIo): Promise<OneShot> {
  return connectOnce({
    config: target.broker,
    clientId: `portkeeper-publish-${randomBytes(6).toString('hex')}`,
    credentials: target.credentials,
    clock: io.clock,
    timeoutMs: CONNECT_MS,
    onMessage: (topic, payload) => seen.take(topic, payload),
    onLost: (error) => seen.lose(error),
  });
}

function brokerFailure(error: BrokerError): CliError {
  const exit = { unreachable: EXIT.unreachable, 'not-authorised': EXIT.permission, timeout: EXIT.timeout }[error.kind];
  return new CliError(exit, error.message);
}

function readTimeout(call: CommandCall): number {
  const text = call.value('timeout');
  if (text === undefined) return DEFAULT_TIMEOUT_S;
  const seconds = Number(text);
  if (/^[0-9]{1,6}$/.test(text) && seconds > 0) return seconds;
  throw usageError(`--timeout takes whole seconds from 1, not "${text}"`);
}
