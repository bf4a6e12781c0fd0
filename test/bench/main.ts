import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAB_PARTS, parts } from '../support/find-parts.ts';
import { summarize } from './apply.ts';
import { applyInLab, PROBE_ROLE, runProbe } from './apply-lab.ts';
import { applyOnSimulator } from './apply-sim.ts';
import { type Effort, FIGURES, FULL, type Measured, type Part, QUICK } from './figures.ts';
import { measureIdle } from './idle.ts';
import { measurePlan } from './plan.ts';
import { endChildrenOnExit } from './processes.ts';
import { type Outcome, outcomeOf, printGoals, progress } from './report.ts';
import { RACK_ROLE, runRack, SimRack } from './sim-rack.ts';
import { measureSnmpInLab } from './snmp-lab.ts';
import { measureSnmpRead } from './snmp-read.ts';
import { measureStart, measureStatus } from './start-and-status.ts';

/**
 * `npm run bench`: prints one JSON object on standard output, everything else on standard error. `--quick`: simulator only,
 * and so little of everything that only the shape of the answer means something. Ends with 1 when something could not be
 * measured; what was not is null.
 */
async function bench(effort: Effort, mayUseLab: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'portkeeper-bench-'));
  const found = mayUseLab ? parts(...LAB_PARTS) : { ok: false, reason: '--quick leaves the lab out' };
  const outcome: Outcome = { measuredOn: found.ok ? 'lab' : 'simulator' };
  if (!found.ok && 'reason' in found) progress(`simulator only: ${found.reason}`);
  let failed = false;
  async function measure<P extends Part>(part: P, work: () => Promise<Measured<P>> | Measured<P>): Promise<void> {
    progress(part);
    try {
      Object.assign(outcome, outcomeOf(part, await work()));
    } catch (error) {
      failed = true;
      progress(`${part} could not be measured: ${error instanceof Error ? error.stack : String(error)}`);
      for (const { key } of FIGURES[part]) outcome[key] ??= null;
    }
  }
  let rack: SimRack | null = null;
  try {
    rack = await SimRack.start();
    const simulated = rack;
    await measure('plan', () => measurePlan(effort.planRuns));
    await measure('start', () => measureStart(simulated, folder, effort.starts));
    await measure('cli', () => measureStatus(simulated, folder, effort.cliRuns));
    await measure('idle', () => measureIdle(simulated, folder, effort));
    const sim = applyOnSimulator(simulated, folder, effort).then(summarize);
    await measure('applySim', async () => {
      const { oneVsFloor, allVsFloor, ownPerPort } = await sim;
      return {
        'apply.onePort.sim.vsPromptFloor': oneVsFloor,
        'apply.48Ports.sim.vsPromptFloor': allVsFloor,
        'apply.sim.ownMsPerPort': ownPerPort,
      };
    });
    await measure('apply', async () => {
      const times = found.ok ? summarize(await applyInLab(effort)) : await sim;
      return {
        'apply.onePort.vsFloor': times.oneVsFloor,
        'apply.onePort.ms': times.one,
        'apply.onePort.floorMs': times.oneFloor,
        'apply.ownMsPerPort': times.ownPerPort,
        'apply.48Ports.vsOnePort': times.allVsOne,
        'apply.48Ports.ms': times.all,
        'apply.48Ports.floorMs': times.allFloor,
      };
    });
    await measure('snmpRead', () => measureSnmpRead(effort.planRuns));
    await measure('snmpLab', async () =>
      found.ok ? await measureSnmpInLab(effort.rounds / 4) : { 'trap.toEventMs': null, 'snmp.onePort.ms': null },
    );
  } finally {
    await rack?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  printGoals(outcome);
  process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
  return failed ? 1 : 0;
}

function main(args: readonly string[]): Promise<number | undefined> {
  if (args[0] === RACK_ROLE) return runRack().then(() => undefined);
  if (args[0] === PROBE_ROLE) return runProbe(args[1] ?? '').then(() => 0);
  endChildrenOnExit();
  const quick = args.includes('--quick');
  return bench(quick ? QUICK : FULL, !quick);
}

main(process.argv.slice(2)).then(
  (code) => {
    // The rack's process lives until its parent is gone.
    if (code !== undefined) process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
