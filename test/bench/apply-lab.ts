import { readFileSync } from 'node:fs';
import { LIST_ARGUMENTS } from '../../drivers/open-vswitch/tables.ts';
import { LabAgent } from '../lab/agent.ts';
import { startLab } from '../lab/lab.ts';
import { type ApplySubject, type ApplyTimes, type Changes, measureApply, PORTS } from './apply.ts';
import { BareSsh } from './bare-ssh.ts';
import { accessPorts, Controller } from './controller.ts';
import type { Effort } from './figures.ts';

export const PROBE_ROLE = '--probe-in-the-lab';
const PROBE_WITHIN_MS = 150_000;

/** What the probe needs to know; files are the lab's. */
interface ProbeSettings {
  readonly rounds: number;
  readonly warmUp: number;
  readonly brokerUrl: string;
  readonly caFile: string;
  readonly passwordFile: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly keyFile: string;
}

/** The agent on Open vSwitch over OpenSSH, with mosquitto over TLS, against the same commands by a bare client. */
export async function applyInLab({ rounds, warmUp }: Effort): Promise<ApplyTimes> {
  const lab = await startLab({ ports: PORTS, prefix: `bench-${process.pid}`, maxSeconds: 300 });
  const agent = new LabAgent(lab, { tor: { pollInterval: 3600 } });
  try {
    agent.configure();
    await agent
      .launch()
      .waitFor('"started"', (self) => (self.stdout.includes('"msg":"started"') ? true : undefined), 20_000);
    const { switchTarget, broker } = lab;
    const settings: ProbeSettings = {
      rounds,
      warmUp,
      brokerUrl: broker.url,
      caFile: broker.caFile,
      passwordFile: broker.passwordFiles.ironic,
      host: switchTarget.address,
      port: switchTarget.port,
      username: switchTarget.user,
      keyFile: switchTarget.keyFile,
    };
    // Broker and switch can only be reached from inside the lab.
    const command = [process.execPath, process.argv[1] ?? '', PROBE_ROLE, JSON.stringify(settings)];
    const probe = await lab.in('agent', command, PROBE_WITHIN_MS);
    if (probe.code !== 0) throw new Error(`the measurement in the lab failed: ${probe.stderr.slice(-2000)}`);
    return JSON.parse(probe.stdout) as ApplyTimes;
  } finally {
    await agent.stop();
    await lab.stop();
  }
}

/** The other side of {@link applyInLab}: measures, and prints the times. */
export async function runProbe(text: string): Promise<void> {
  if (process.env['PORTKEEPER_LAB'] === undefined) throw new Error('this is not a node of the lab; nothing was sent');
  const settings = JSON.parse(text) as ProbeSettings;
  const controller = new Controller('lab');
  const read = (file: string) => readFileSync(file, 'utf8');
  await controller.connect(
    { url: settings.brokerUrl, protocol: '5', username: 'ironic' },
    { password: read(settings.passwordFile).trim(), ca: read(settings.caFile), cert: null, key: null },
  );
  const { host, port, username, keyFile } = settings;
  const ssh = await BareSsh.connect({ host, port, username, privateKey: read(keyFile) });
  const subject: ApplySubject = {
    agent: (vlans) => controller.apply(accessPorts('tor', vlans)),
    async bare(changes) {
      const began = performance.now();
      await ssh.exec(changeCommand(changes));
      await ssh.exec(READ_BACK);
      return performance.now() - began;
    },
  };
  const times = await measureApply(subject, settings);
  ssh.close();
  await controller.close();
  process.stdout.write(JSON.stringify(times));
}

/** What the driver sends for the same change, without what it does to see what became of each port. */
function changeCommand(changes: Changes): string {
  const parts = [...changes].map(([port, vlan]) => `set port swp${port} vlan_mode=access tag=${vlan} 'trunks=[]'`);
  return `ovs-vsctl --timeout=9 -- ${parts.join(' -- ')}`;
}

/** What the driver reads, in one command. */
const READ_BACK = `ovs-vsctl --timeout=9 -f json ${LIST_ARGUMENTS} && /sbin/ip -j link show`;
