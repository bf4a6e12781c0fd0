import { LabAgent, on } from '../lab/agent.ts';
import { startLab } from '../lab/lab.ts';
import { snmpLabConfig, writeSnmpSecrets } from '../lab/snmp-agent-config.ts';
import type { Measured } from './figures.ts';
import { median } from './stats.ts';

const TRAP_PORT = 9162;

/** A cable pulled until the event is on MQTT, and one port changed over SNMP, on the lab's switch. */
export async function measureSnmpInLab(rounds: number): Promise<Measured<'snmpLab'>> {
  const lab = await startLab({ ports: 4, prefix: `bench-snmp-${process.pid}`, maxSeconds: 300 });
  const login = await lab.startSnmp(TRAP_PORT);
  const agent = new LabAgent(lab, snmpLabConfig(login, TRAP_PORT));
  try {
    writeSnmpSecrets(agent.folder, login);
    await agent.start();
    const changes: number[] = [];
    const traps: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const result = await agent.apply({ a: on('swp1', { mode: 'access', nativeVLAN: 100 + (round % 2) }) });
      const published = agent.published.at(-1)?.at ?? 0;
      const said = agent
        .results()
        .findLast((r) => r.document.revision === result.revision && r.document.state === 'applied');
      const pulled = Date.now();
      await lab.cut('swp4');
      const seen = await event(agent, 'link-down', pulled);
      const plugged = Date.now();
      await lab.plug('swp4');
      await event(agent, 'link-up', plugged);
      if (round === 0) continue;
      changes.push((said?.at ?? 0) - published);
      traps.push(seen - pulled);
    }
    return { 'trap.toEventMs': median(traps), 'snmp.onePort.ms': median(changes) };
  } finally {
    await agent.stop();
    await lab.stop();
  }
}

async function event(agent: LabAgent, kind: string, since: number): Promise<number> {
  const message = await agent.viewer.next(
    kind,
    (m) =>
      m.at >= since &&
      m.topic.endsWith('/event') &&
      m.payload.includes(`"kind":"${kind}"`) &&
      m.payload.includes('"port":"swp4"'),
    20_000,
  );
  return message.at;
}
