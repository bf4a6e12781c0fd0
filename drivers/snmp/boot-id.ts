import type { SystemFacts } from '../mib/system.ts';
import type { Clock } from '../model/clock.ts';

/** sysUpTime starts again after this many hundredths of a second: 497 days. */
const WRAP = 2 ** 32;
/** Width of what a boot time is rounded to: 328 s. It divides {@link WRAP}, so that rounding goes round with it. */
const STEP = 2 ** 15;
/**
 * Hundredths of a second by which two readings of the same boot may differ: answers on the way, agents that keep sysUpTime for a while,
 * clocks that run apart. A reboot moves the boot time by the uptime before it and the time it takes: mostly more.
 */
const TOLERANCE = 12_000;

/** Where in the 497 days of sysUpTime the switch was started, by the two clocks of this machine. It survives a wrap. */
interface Phase {
  readonly wall: number;
  readonly steady: number;
}

/**
 * Makes boot IDs that change when the switch has rebooted, and at no other time. Keep one for a switch as long as the process lives:
 * it remembers, so that neither clocks that drift apart nor one that is set look like a reboot.
 *
 * - `engine/ID/BOOTS` where the agent counts its starts (snmpEngineBoots, RFC 3411); starts of the agent alone count too;
 * - `uptime/N` otherwise: the boot time, which is the time now less sysUpTime, modulo 497 days and rounded.
 *
 * Without memory, a boot time near the edge of its step may come out as the next one: give the boot ID that was stored as `known`.
 */
export class BootWitness {
  readonly #clock: Clock;
  /** Milliseconds between the clocks as they were at first, whatever the wall clock is set to later. */
  readonly #offset: number;
  #last: (Phase & { readonly id: string }) | null = null;
  #known: string | null;

  constructor(clock: Clock, known: string | null = null) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
    this.#known = known;
  }

  /** The boot ID by what was just read; null when the agent tells neither. */
  idOf(facts: Pick<SystemFacts, 'engineId' | 'engineBoots' | 'uptimeTicks'>): string | null {
    if (facts.engineId !== null && facts.engineBoots !== null) return `engine/${facts.engineId}/${facts.engineBoots}`;
    if (facts.uptimeTicks === null) return null;
    const phase = this.#phase(facts.uptimeTicks);
    const id = this.#idOf(phase);
    this.#last = { ...phase, id };
    this.#known = null;
    return id;
  }

  #idOf(phase: Phase): string {
    const last = this.#last;
    // One clock is enough: the other was set, or stood still while the machine slept.
    if (last !== null && (near(phase.steady, last.steady, 0) || near(phase.wall, last.wall, 0))) return last.id;
    const step = /^uptime\/([0-9]{1,6})$/.exec(this.#known ?? '')?.[1];
    if (this.#known !== null && step !== undefined && near(phase.wall, Number(step) * STEP, STEP / 2))
      return this.#known;
    return `uptime/${Math.round(phase.wall / STEP) % (WRAP / STEP)}`;
  }

  #phase(uptimeTicks: number): Phase {
    const since = (ms: number) => modulo(ms / 10 - uptimeTicks);
    return { wall: since(this.#clock.now()), steady: since(this.#offset + this.#clock.monotonic()) };
  }
}

function near(a: number, b: number, slack: number): boolean {
  const distance = modulo(a - b);
  return Math.min(distance, WRAP - distance) <= TOLERANCE + slack;
}

function modulo(ticks: number): number {
  return ((ticks % WRAP) + WRAP) % WRAP;
}
