import { BenchDaemon } from './daemon.ts';
import type { Effort, Measured } from './figures.ts';
import { sleep } from './processes.ts';
import type { SimRack } from './sim-rack.ts';
import { median } from './stats.ts';

/** Seconds between polls: of the agent that shows what a poll costs, and of the one that shows what everything else costs. */
const OFTEN = 2;
const NEVER = 3600;
/** What the figure is for. */
const USUAL = 30;
const SAMPLES = 10;

/**
 * Memory and processor time of an agent with two switches of 52 ports. Two agents run side by side: one polls every 2 s, one
 * never. Their difference is what a poll (of both switches) costs; the other's is what a second costs without polls.
 */
export async function measureIdle(rack: SimRack, folder: string, effort: Effort): Promise<Measured<'idle'>> {
  const make = (name: string, pollInterval: number) =>
    new BenchDaemon({ rack, name, folder, switches: 2, pollInterval });
  const agents = [make('idle-often', OFTEN), make('idle-never', NEVER)] as const;
  try {
    for (const agent of agents) {
      await agent.start();
      await agent.settled();
    }
    await sleep(effort.settleSeconds * 1000);
    const before = agents.map((agent) => agent.cpuMs());
    const began = performance.now();
    const rss: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      await sleep((effort.idleSeconds * 1000) / SAMPLES);
      // The later half: the one that polls has worked most, and the collector has had its turn.
      if (sample >= SAMPLES / 2) rss.push(agents[0].rssMb());
    }
    const elapsed = (performance.now() - began) / 1000;
    const [often = 0, never = 0] = agents.map((agent, i) => (agent.cpuMs() - (before[i] ?? 0)) / elapsed);
    const perPoll = (often - never) * OFTEN;
    // Milliseconds per second, of 1000.
    return {
      'memory.idleRssMb': median(rss),
      'cpu.idlePercent': (never + perPoll / USUAL) / 10,
      'cpu.msPerPoll': perPoll,
    };
  } finally {
    await Promise.all(agents.map((agent) => agent.stop()));
  }
}
