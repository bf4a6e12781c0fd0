import { spawn } from 'node:child_process';
import { PRIVATE_VLAN_MIBS } from '../../drivers/mib/vlan-readers.ts';
import { systemClock } from '../../drivers/model/clock.ts';
import { readNeighbors } from '../../drivers/snmp/neighbors.ts';
import { readSwitch } from '../../drivers/snmp/read.ts';
import { openSnmp } from '../../drivers/transport/snmp.ts';
import { SnmpAgent } from '../snmp-agent/agent.ts';
import { integer, oid, TAG, tlv } from '../snmp-agent/ber.ts';
import { type Row, Table } from '../snmp-agent/dump.ts';
import { parts } from '../support/find-parts.ts';
import type { Measured } from './figures.ts';
import { median } from './stats.ts';

const PORTS = 52;
const VLANS = 100;
/** The tables that a reading needs. */
const TABLES = [
  '1.3.6.1.2.1.2.2',
  '1.3.6.1.2.1.31.1.1',
  '1.3.6.1.2.1.17.1.4',
  '1.3.6.1.2.1.17.7.1.4.2',
  '1.3.6.1.2.1.17.7.1.4.3',
  '1.3.6.1.2.1.17.7.1.4.5',
  '1.0.8802.1.1.2.1.3.7',
  '1.0.8802.1.1.2.1.4.1',
];

/** A full reading with neighbours, in turns with snmpbulkwalk over the same tables of the same agent. */
export async function measureSnmpRead(runs: number): Promise<Measured<'snmpRead'>> {
  const agent = await SnmpAgent.start({ public: new Table(rows()) });
  const session = await openSnmp(
    {
      host: '127.0.0.1',
      port: agent.port,
      timeoutMs: 2_000,
      retries: 1,
      maxRepetitions: 25,
      version: '2c',
      community: 'public',
      writeCommunity: null,
    },
    systemClock,
  );
  const hasTools = parts('snmp').ok;
  const own: number[] = [];
  const tools: number[] = [];
  let requests = 0;
  try {
    for (let run = 0; run <= runs; run++) {
      const began = performance.now();
      const before = agent.requests.length;
      const reading = await readSwitch(session, { private: PRIVATE_VLAN_MIBS });
      const names = new Map(reading.ports.map((p) => [p.ifIndex ?? 0, p.name]));
      const facts = { interfaces: [...reading.interfaces.values()], bridgePorts: reading.bridge.ports, names };
      const { neighbors } = await readNeighbors(session, facts);
      const ms = performance.now() - began;
      requests = agent.requests.length - before;
      if (reading.ports.length !== PORTS || reading.vlans.length !== VLANS || neighbors.length !== PORTS)
        throw new Error(
          `read ${reading.ports.length} ports, ${reading.vlans.length} VLANs, ${neighbors.length} neighbours`,
        );
      const others = hasTools ? await bulkwalk(agent.port) : Number.NaN;
      // The first one of each warms up.
      if (run === 0) continue;
      own.push(ms);
      tools.push(others);
    }
  } finally {
    session.close();
    await agent.stop();
  }
  return {
    'snmp.read.vsBulkwalk': hasTools ? median(own) / median(tools) : null,
    'snmp.read.ms': median(own),
    'snmp.read.requests': requests,
  };
}

async function bulkwalk(port: number): Promise<number> {
  const began = performance.now();
  for (const table of TABLES) {
    const args = ['-m', '', '-v2c', '-c', 'public', '-Cr25', '-Onq', `127.0.0.1:${port}`, table];
    const child = spawn('snmpbulkwalk', args, { stdio: 'ignore' });
    const code = await new Promise((resolve) => child.on('close', resolve));
    if (code !== 0) throw new Error(`snmpbulkwalk ended with ${String(code)}`);
  }
  return performance.now() - began;
}

function rows(): Row[] {
  const text = (value: string) => tlv(TAG.octets, Buffer.from(value));
  const list = (member: (port: number) => boolean) => {
    const octets = Buffer.alloc(Math.ceil(PORTS / 8));
    for (let port = 1; port <= PORTS; port++)
      if (member(port)) octets[(port - 1) >> 3] = (octets[(port - 1) >> 3] ?? 0) | (0x80 >> ((port - 1) & 7));
    return tlv(TAG.octets, octets);
  };
  const made: Row[] = [
    { oid: '1.3.6.1.2.1.1.1.0', value: text('A switch') },
    { oid: '1.3.6.1.2.1.1.2.0', value: oid('1.3.6.1.4.1.99999.1') },
    { oid: '1.3.6.1.2.1.1.3.0', value: integer(4_711, TAG.timeTicks) },
  ];
  for (let port = 1; port <= PORTS; port++) {
    const mac = tlv(TAG.octets, Buffer.from([2, 0, 0, 0, 1, port]));
    const columns: [string, Buffer][] = [
      ['1.3.6.1.2.1.2.2.1.1', integer(port)],
      ['1.3.6.1.2.1.2.2.1.2', text(`Ethernet port ${port}`)],
      ['1.3.6.1.2.1.2.2.1.3', integer(6)],
      ['1.3.6.1.2.1.2.2.1.4', integer(9216)],
      ['1.3.6.1.2.1.2.2.1.5', integer(4_294_967_295, TAG.gauge32)],
      ['1.3.6.1.2.1.2.2.1.6', mac],
      ['1.3.6.1.2.1.2.2.1.7', integer(1)],
      ['1.3.6.1.2.1.2.2.1.8', integer(1)],
      ...[9, 10, 11, 13, 14, 16, 17, 19, 20].map((c): [string, Buffer] => [
        `1.3.6.1.2.1.2.2.1.${c}`,
        integer(1_000_000 + port, TAG.counter32),
      ]),
      ['1.3.6.1.2.1.31.1.1.1.1', text(`ge${port}`)],
      ...[6, 7, 10, 11].map((c): [string, Buffer] => [
        `1.3.6.1.2.1.31.1.1.1.${c}`,
        integer(1_000_000_000_000n, TAG.counter64),
      ]),
      ['1.3.6.1.2.1.31.1.1.1.15', integer(25_000, TAG.gauge32)],
      ['1.3.6.1.2.1.31.1.1.1.18', text(`worker-${port}`)],
      ['1.3.6.1.2.1.17.1.4.1.1', integer(port)],
      ['1.3.6.1.2.1.17.1.4.1.2', integer(port)],
      ['1.3.6.1.2.1.17.7.1.4.5.1.1', integer(1 + (port % VLANS), TAG.gauge32)],
      ['1.3.6.1.2.1.17.7.1.4.5.1.2', integer(1)],
      ['1.3.6.1.2.1.17.7.1.4.5.1.3', integer(1)],
      ['1.0.8802.1.1.2.1.3.7.1.2', integer(5)],
      ['1.0.8802.1.1.2.1.3.7.1.3', text(`ge${port}`)],
      ['1.0.8802.1.1.2.1.3.7.1.4', text(`ge${port}`)],
    ];
    made.push(...columns.map(([column, value]) => ({ oid: `${column}.${port}`, value })));
    const remote: [number, Buffer][] = [
      [4, integer(4)],
      [5, mac],
      [6, integer(3)],
      [7, mac],
      [8, text('eno1')],
      [9, text(`worker-${port}`)],
      [10, text('Debian GNU/Linux 12')],
      [11, tlv(TAG.octets, Buffer.from([1, 0]))],
      [12, tlv(TAG.octets, Buffer.from([1, 0]))],
    ];
    made.push(...remote.map(([column, value]) => ({ oid: `1.0.8802.1.1.2.1.4.1.1.${column}.0.${port}.1`, value })));
  }
  for (let id = 1; id <= VLANS; id++) {
    const untagged = (port: number) => 1 + (port % VLANS) === id;
    const egress = list((port) => untagged(port) || (port + id) % 3 === 0);
    made.push(
      { oid: `1.3.6.1.2.1.17.7.1.4.2.1.4.0.${id}`, value: egress },
      { oid: `1.3.6.1.2.1.17.7.1.4.2.1.5.0.${id}`, value: list(untagged) },
      { oid: `1.3.6.1.2.1.17.7.1.4.3.1.1.${id}`, value: text(`vlan-${id}`) },
      { oid: `1.3.6.1.2.1.17.7.1.4.3.1.2.${id}`, value: egress },
      { oid: `1.3.6.1.2.1.17.7.1.4.3.1.4.${id}`, value: list(untagged) },
      { oid: `1.3.6.1.2.1.17.7.1.4.3.1.5.${id}`, value: integer(1) },
    );
  }
  return made;
}
