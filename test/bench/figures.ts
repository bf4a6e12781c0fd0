/** One figure of the benchmark. What it means and how it is measured: docs/bench.md. */
export interface Figure {
  readonly key: string;
  /** The figure is to be below it; null: a figure that only explains another one. */
  readonly goal: number | null;
  /** Only measured where real parts are; null elsewhere. */
  readonly realOnly?: true;
}

/** The parts of a run, and the figures that each must bring. */
export const FIGURES = {
  apply: [
    { key: 'apply.onePort.vsFloor', goal: 1.5 },
    { key: 'apply.onePort.ms', goal: null },
    { key: 'apply.onePort.floorMs', goal: null },
    { key: 'apply.ownMsPerPort', goal: 20 },
    { key: 'apply.48Ports.vsOnePort', goal: 3 },
    { key: 'apply.48Ports.ms', goal: null },
    { key: 'apply.48Ports.floorMs', goal: null },
  ],
  applySim: [
    { key: 'apply.onePort.sim.vsPromptFloor', goal: null },
    { key: 'apply.48Ports.sim.vsPromptFloor', goal: null },
    { key: 'apply.sim.ownMsPerPort', goal: 20 },
  ],
  start: [
    { key: 'start.readyMs', goal: 1000 },
    { key: 'start.bareNodeMs', goal: null },
  ],
  idle: [
    { key: 'memory.idleRssMb', goal: 90 },
    { key: 'cpu.idlePercent', goal: 1 },
    { key: 'cpu.msPerPoll', goal: null },
  ],
  plan: [
    { key: 'plan.4096x200Ms', goal: 50 },
    { key: 'plan.4096x200.unchangedMs', goal: null },
  ],
  cli: [
    { key: 'cli.statusMs', goal: 200 },
    { key: 'cli.bareNodeMs', goal: null },
  ],
  snmpRead: [
    { key: 'snmp.read.vsBulkwalk', goal: 2, realOnly: true },
    { key: 'snmp.read.ms', goal: null },
    { key: 'snmp.read.requests', goal: null },
  ],
  snmpLab: [
    { key: 'trap.toEventMs', goal: 300, realOnly: true },
    { key: 'snmp.onePort.ms', goal: null, realOnly: true },
  ],
} as const satisfies Record<string, readonly Figure[]>;

export type Part = keyof typeof FIGURES;
export type KeyOf<P extends Part> = (typeof FIGURES)[P][number]['key'];
/** Exactly the figures of a part, none missing. */
export type Measured<P extends Part> = Readonly<Record<KeyOf<P>, number | null>>;

export const ALL_FIGURES: readonly Figure[] = Object.values(FIGURES).flat();

/** How much is measured. */
export interface Effort {
  /** One-port changes; every second one is followed by one of 48 ports. Those of the warm-up come before and do not count. */
  readonly rounds: number;
  readonly warmUp: number;
  readonly starts: number;
  readonly cliRuns: number;
  readonly idleSeconds: number;
  readonly settleSeconds: number;
  readonly planRuns: number;
}

export const FULL: Effort = {
  rounds: 32,
  warmUp: 3,
  starts: 11,
  cliRuns: 20,
  idleSeconds: 20,
  settleSeconds: 3,
  planRuns: 21,
};
/** Enough to see that every part works; the figures mean little. */
export const QUICK: Effort = {
  rounds: 2,
  warmUp: 0,
  starts: 1,
  cliRuns: 1,
  idleSeconds: 1,
  settleSeconds: 0,
  planRuns: 1,
};
