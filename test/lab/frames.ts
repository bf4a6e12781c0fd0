import type { Lab } from './lab.ts';
import type { LabProcess } from './processes.ts';

type Host = `h${number}`;

/** What a host heard of another's frames. */
export interface Heard {
  readonly frames: number;
  /** The tags they arrived with, without repetition; 0: untagged. */
  readonly vids: readonly number[];
}

interface FrameLine {
  readonly time: number;
  readonly vid: number;
  readonly mark: string;
  readonly sentVid: number;
  readonly number: number;
  readonly sentAt: number;
}

const FRAMES = '/labsrc/frames.py';
let marks = 0;

function lines(text: string): Record<string, unknown>[] {
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  return complete.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
}

async function ready(listener: LabProcess): Promise<void> {
  await listener.waitFor('its "ready"', (self) => (self.stdout.includes('"ready"') ? true : undefined));
}

/**
 * See {@link Lab.hear}. "Heard nothing" does not rest on a pause: after the frames the switch answers two requests, between
 * which its only forwarding thread empties its queues, and a last frame sent on the wire to each listener ends the listening.
 *
 * @throws Error when the switch does not answer or a listener does not hear the last frame: then nothing is known.
 */
export async function hear(
  lab: Lab,
  options: { from: Host; to: readonly Host[]; vid?: number; count?: number },
): Promise<Record<string, Heard>> {
  const mark = `hear-${++marks}`;
  const { from, to, vid = 0, count = 3 } = options;
  const listeners = to.map((host) => lab.spawn(host, [FRAMES, 'listen', '--iface', 'eth0', '--until', `${mark}-end`]));
  try {
    await Promise.all(listeners.map(ready));
    const flags = ['--vid', String(vid), '--mark', mark, '--count', String(count)];
    await lab.must(from, [FRAMES, 'send', '--iface', 'eth0', ...flags]);
    for (const _ of [1, 2]) await lab.must('tor', ['ovs-appctl', '--timeout=3', 'version']);
    const wires = to.flatMap((host) => ['--iface', `swp${host.slice(1)}`]);
    await lab.must('tor', [FRAMES, 'send', ...wires, '--mark', `${mark}-end`]);
    const results: Record<string, Heard> = {};
    for (const [i, listener] of listeners.entries()) {
      const { code, stdout, stderr } = await listener.finished();
      if (code !== 0) throw new Error(`${to[i]} did not hear the last frame, which was put on its own wire: ${stderr}`);
      const vids = lines(stdout).flatMap((line) => (line['mark'] === mark ? [Number(line['vid'])] : []));
      results[to[i] ?? ''] = { frames: vids.length, vids: [...new Set(vids)].sort((a, b) => a - b) };
    }
    return results;
  } finally {
    for (const listener of listeners) listener.kill('SIGKILL');
  }
}

export interface IsolationOptions {
  /** The tenant of each host that takes part. Frames carry this name; letters, digits and "-". */
  readonly tenants: Readonly<Record<Host, string>>;
  /** Tags with which every host sends; 0: untagged. Default: untagged only. */
  readonly vids?: readonly number[];
  /** Frames a second, per host and tag; default 200. */
  readonly rate?: number;
}

/** A frame of one tenant that a host of another one heard. */
export interface Leak {
  readonly host: string;
  readonly tenant: string;
  readonly fromTenant: string;
  /** The tag it was sent with, and the one it arrived with; 0: untagged. */
  readonly sentVid: number;
  readonly vid: number;
  /** Seconds since 1970. */
  readonly time: number;
}

export interface IsolationResult {
  readonly sent: Readonly<Record<string, number>>;
  /** Frames by host that hears and tenant that sent (its own tenant too: the proof that it could hear). */
  readonly heard: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The first thousand of each host; `leaked` is the whole count. */
  readonly leaks: readonly Leak[];
  readonly leaked: number;
  /** Why the result proves less than it should: frames lost before they were looked at. Must be empty. */
  readonly doubts: readonly string[];
}

/**
 * Every host sends frames marked with its tenant all the time, and hears everything on its wire, while a test changes the
 * switch. A frame with another tenant's mark is a leak.
 */
export class Isolation {
  readonly #talkers: ReadonlyMap<Host, LabProcess>;
  readonly #tenants: Readonly<Record<Host, string>>;

  private constructor(talkers: ReadonlyMap<Host, LabProcess>, tenants: Readonly<Record<Host, string>>) {
    this.#talkers = talkers;
    this.#tenants = tenants;
  }

  /** Resolves once every host sends and hears. */
  static async start(lab: Lab, options: IsolationOptions): Promise<Isolation> {
    const flags = (options.vids ?? [0]).flatMap((vid) => ['--vid', String(vid)]);
    const talkers = new Map<Host, LabProcess>();
    for (const [host, tenant] of Object.entries(options.tenants) as [Host, string][]) {
      if (!/^[A-Za-z0-9-]{1,32}$/.test(tenant)) throw new Error(`${tenant}: letters, digits and "-", at most 32`);
      const rate = ['--rate', String(options.rate ?? 200)];
      talkers.set(host, lab.spawn(host, [FRAMES, 'talk', '--iface', 'eth0', '--mark', tenant, ...rate, ...flags]));
    }
    await Promise.all([...talkers.values()].map(ready));
    return new Isolation(talkers, options.tenants);
  }

  /** Resolves when the host has heard a frame of a tenant other than its own (before a test of the generator itself). */
  async leakAt(host: Host, timeoutMs = 10_000): Promise<void> {
    await this.#talkers
      .get(host)
      ?.waitFor('a foreign frame', (self) => (self.stdout.includes('"mark"') ? true : undefined), timeoutMs);
  }

  /** Ends it and says what was heard. @throws Error when a host's process ended before its time: then nothing is known. */
  async stop(): Promise<IsolationResult> {
    const sent: Record<string, number> = {};
    const heard: Record<string, Record<string, number>> = {};
    const leaks: Leak[] = [];
    const doubts: string[] = [];
    let leaked = 0;
    const early = [...this.#talkers].find(([, talker]) => !talker.running);
    const results = await Promise.all(
      [...this.#talkers].map(async ([host, talker]) => [host, await talker.end()] as const),
    );
    if (early) throw new Error(`the generator on ${early[0]} ended by itself: ${early[1].stderr}`);
    for (const [host, { stdout, stderr }] of results) {
      const tenant = this.#tenants[host] ?? '';
      const told = lines(stdout);
      const summary = told.pop();
      if (summary?.['summary'] !== true) throw new Error(`no summary of the generator on ${host}: ${stderr}`);
      sent[host] = Number(summary['sent']);
      if (summary['dropped'] !== 0) doubts.push(`${host} lost ${String(summary['dropped'])} frames unseen`);
      const counts: Record<string, number> = {};
      for (const { mark, frames } of summary['heard'] as { mark: string; frames: number }[]) {
        counts[mark] = (counts[mark] ?? 0) + frames;
        if (mark !== tenant) leaked += frames;
      }
      heard[host] = counts;
      for (const line of told as unknown as FrameLine[]) {
        if (line.mark === undefined) continue;
        const { time, vid, sentVid, mark: fromTenant } = line;
        leaks.push({ host, tenant, fromTenant, sentVid, vid, time });
      }
    }
    return { sent, heard, leaks, leaked, doubts };
  }
}
