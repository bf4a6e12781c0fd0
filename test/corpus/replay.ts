import { PRIVATE_VLAN_MIBS } from '../../drivers/mib/vlan-readers.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import type { Neighbor } from '../../drivers/model/neighbor.ts';
import { readNeighbors } from '../../drivers/snmp/neighbors.ts';
import { readSwitch, type SnmpReading } from '../../drivers/snmp/read.ts';
import { openSnmp } from '../../drivers/transport/snmp.ts';
import { SnmpAgent } from '../snmp-agent/agent.ts';
import { readDump, Table } from '../snmp-agent/dump.ts';

/** What the product reads of a dump that an agent of ours serves over UDP, and with how many requests. */
export async function replay(
  dump: string,
): Promise<{ reading: SnmpReading; neighbors: readonly Neighbor[]; requests: number }> {
  const agent = await SnmpAgent.start({ public: new Table(readDump(dump)) });
  const session = await openSnmp(
    {
      host: '127.0.0.1',
      port: agent.port,
      timeoutMs: 2_000,
      retries: 2,
      maxRepetitions: 25,
      version: '2c',
      community: 'public',
      writeCommunity: null,
    },
    systemClock,
  );
  try {
    const reading = await readSwitch(session, { private: PRIVATE_VLAN_MIBS });
    const names = new Map(
      reading.ports.flatMap((p): [number, string][] => (p.ifIndex === null ? [] : [[p.ifIndex, p.name]])),
    );
    const { neighbors } = await readNeighbors(session, {
      interfaces: [...reading.interfaces.values()],
      bridgePorts: reading.bridge.ports,
      names,
    });
    return { reading, neighbors, requests: agent.requests.length };
  } finally {
    session.close();
    await agent.stop();
  }
}
