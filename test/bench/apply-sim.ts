import { type ApplySubject, type ApplyTimes, measureApply } from './apply.ts';
import { BareSsh } from './bare-ssh.ts';
import { accessPorts, Controller } from './controller.ts';
import { BenchDaemon } from './daemon.ts';
import type { Effort } from './figures.ts';
import type { SimRack } from './sim-rack.ts';

const ACCESS_VLAN = /^(switchport access vlan) \d+$/;

/** The agent on a simulated switch, against the very lines that it sent, sent again by a bare client. */
export async function applyOnSimulator(rack: SimRack, folder: string, effort: Effort): Promise<ApplyTimes> {
  const [device] = rack.switches;
  if (!device) throw new Error('the rack has no switch');
  const daemon = new BenchDaemon({ rack, name: 'apply', folder, switches: 1, pollInterval: 3600 });
  const controller = new Controller('apply');
  let ssh: BareSsh | null = null;
  try {
    await daemon.start();
    await daemon.settled();
    await controller.connect(
      { url: rack.brokerUrl, protocol: '3.1.1', username: 'ironic' },
      { password: null, ca: null, cert: null, key: null },
    );
    ssh = await BareSsh.connect(device);
    const terminal = await ssh.terminal();
    let sent: readonly string[] = [];
    const subject: ApplySubject = {
      async agent(vlans) {
        await rack.lines();
        const ms = await controller.apply(accessPorts(device.name, vlans));
        // Saving comes a second later and belongs to no change.
        sent = (await rack.lines()).filter((line) => line !== 'write memory');
        return ms;
      },
      async bare(changes) {
        const lines = withVlans(sent, changes);
        const began = performance.now();
        for (const line of lines) await terminal.line(line);
        return performance.now() - began;
      },
    };
    return await measureApply(subject, effort);
  } finally {
    ssh?.close();
    await controller.close();
    await daemon.stop();
  }
}

/** The lines with other VLANs. Throws when they do not change exactly these ports. */
function withVlans(lines: readonly string[], changes: ReadonlyMap<number, number>): string[] {
  let port = 0;
  let changed = 0;
  const others = lines.map((line) => {
    port = Number(/^interface \D+(?:\d+\/)*(\d+)$/.exec(line)?.[1] ?? port);
    if (!ACCESS_VLAN.test(line)) return line;
    changed++;
    return line.replace(ACCESS_VLAN, `$1 ${changes.get(port)}`);
  });
  if (changed !== changes.size || others.some((line) => line.includes('undefined')))
    throw new Error(`the agent sent other lines than expected: ${lines.join(' | ')}`);
  return others;
}
