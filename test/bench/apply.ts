import type { Effort } from './figures.ts';
import { sleep } from './processes.ts';
import { median } from './stats.ts';

/** Number of ports in the document. */
export const PORTS = 48;
const VLANS = [100, 200] as const;
/** Until what the last change left to do, on either side, is done. */
const REST_MS = 60;

/** Port number, from 1, to its new access VLAN. */
export type Changes = ReadonlyMap<number, number>;

/** One switch, changed through the agent and by a bare client. */
export interface ApplySubject {
  /** Through the agent: the VLAN of each port. Milliseconds from publishing to the result that says applied. */
  agent(vlans: readonly number[]): Promise<number>;
  /** The same commands for the change and its read-back by a bare client on a warm connection. Milliseconds. */
  bare(changes: Changes): Promise<number>;
}

export interface ApplyTimes {
  readonly one: readonly number[];
  readonly oneFloor: readonly number[];
  readonly all: readonly number[];
  readonly allFloor: readonly number[];
}

/**
 * Moves ports between two VLANs, in turns through the agent and by the bare client. The bare client moves them back and
 * forth, so that the agent finds what it left.
 */
export async function measureApply(
  subject: ApplySubject,
  { rounds, warmUp }: Pick<Effort, 'rounds' | 'warmUp'>,
): Promise<ApplyTimes> {
  const times = { one: [] as number[], oneFloor: [] as number[], all: [] as number[], allFloor: [] as number[] };
  const now: number[] = new Array(PORTS).fill(VLANS[0]);
  await subject.agent(now);
  async function turn(ports: readonly number[], agent: number[], bare: number[], counts: boolean): Promise<void> {
    const before = new Map(ports.map((port) => [port, now[port - 1] ?? 0]));
    const after = new Map(ports.map((port) => [port, otherVlan(now[port - 1])]));
    for (const [port, vlan] of after) now[port - 1] = vlan;
    await sleep(REST_MS);
    const ms = await subject.agent(now);
    const floors: number[] = [];
    for (const changes of [before, after]) {
      await sleep(REST_MS);
      floors.push(await subject.bare(changes));
    }
    if (!counts) return;
    agent.push(ms);
    bare.push(...floors);
  }
  const every = Array.from({ length: PORTS }, (_, i) => i + 1);
  for (let round = 0; round < rounds + warmUp; round++) {
    await turn([(round % PORTS) + 1], times.one, times.oneFloor, round >= warmUp);
    if (round % 2 === 0) await turn(every, times.all, times.allFloor, round >= warmUp);
  }
  return times;
}

function otherVlan(vlan: number | undefined): number {
  return vlan === VLANS[0] ? VLANS[1] : VLANS[0];
}

/** The ratios that count, and the medians behind them. */
export function summarize(times: ApplyTimes) {
  const [one, oneFloor, all, allFloor] = [times.one, times.oneFloor, times.all, times.allFloor].map(median) as [
    number,
    number,
    number,
    number,
  ];
  return {
    one,
    oneFloor,
    all,
    allFloor,
    oneVsFloor: one / oneFloor,
    allVsFloor: all / allFloor,
    allVsOne: all / one,
    ownPerPort: (all - allFloor) / PORTS,
  };
}
