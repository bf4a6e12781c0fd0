import { BenchDaemon, BUNDLE } from './daemon.ts';
import type { Measured } from './figures.ts';
import { wallMs } from './processes.ts';
import type { SimRack } from './sim-rack.ts';
import { median } from './stats.ts';

const settings = (rack: SimRack, folder: string) => ({ rack, name: 'start', folder, switches: 2, pollInterval: 30 });

/** From the start of the process to subscribed and answering; in turns with a Node.js process that does nothing. */
export async function measureStart(rack: SimRack, folder: string, starts: number): Promise<Measured<'start'>> {
  const ready: number[] = [];
  const bare: number[] = [];
  const daemon = new BenchDaemon(settings(rack, folder));
  // The first one makes the store and warms the disk cache.
  for (let i = 0; i <= starts; i++) {
    const nothing = await wallMs(['-e', '0']);
    const ms = await daemon.start();
    await daemon.stop();
    if (i > 0) {
      bare.push(nothing);
      ready.push(ms);
    }
  }
  return { 'start.readyMs': median(ready), 'start.bareNodeMs': median(bare) };
}

/**
 * `portkeeper status`, from the start of its process to its end, with a running agent of two switches; in turns with a
 * Node.js process that does nothing.
 */
export async function measureStatus(rack: SimRack, folder: string, runs: number): Promise<Measured<'cli'>> {
  const daemon = new BenchDaemon(settings(rack, folder));
  try {
    await daemon.start();
    await daemon.settled();
    const times: number[] = [];
    const bare: number[] = [];
    for (let i = 0; i <= runs; i++) {
      const nothing = await wallMs(['-e', '0']);
      const ms = await wallMs([BUNDLE, 'status', '--socket', daemon.runtimeDir]);
      if (i === 0) continue;
      bare.push(nothing);
      times.push(ms);
    }
    return { 'cli.statusMs': median(times), 'cli.bareNodeMs': median(bare) };
  } finally {
    await daemon.stop();
  }
}
