import type { NeighborRow, NeighborsDocument } from '../model/report.ts';
import { createClient } from './client.ts';
import type { CommandRun } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { type Column, createWriter } from './writers.ts';

interface Line {
  readonly switch: string;
  readonly row: NeighborRow;
}

/** `portkeeper neighbors`: which host is on which port. */
export const run: CommandRun = async (call, io) => {
  const writer = createWriter(call, io);
  const answer = await createClient(call, io).get<{ readonly switches: readonly NeighborsDocument[] }>(
    '/v1/neighbors',
    {
      switch: call.value('switch'),
    },
  );
  if (writer.json) {
    writer.document(answer);
    return EXIT.ok;
  }
  const lines = answer.switches.flatMap((s) => s.neighbors.map((row) => ({ switch: s.switch, row })));
  if (lines.length === 0) writer.line('No LLDP neighbor is known.');
  else writer.table(columns(answer.switches.length > 1, call.has('wide')), lines);
  for (const s of answer.switches) {
    if (!s.reachable) io.stderr(`portkeeper: switch ${s.switch} is not reachable; its neighbors are as last read\n`);
  }
  return EXIT.ok;
};

function columns(several: boolean, wide: boolean): Column<Line>[] {
  const all: Column<Line>[] = [
    { title: 'PORT', value: ({ row }) => row.port, min: 12 },
    { title: 'SYSTEM', value: ({ row }) => row.systemName || '-', min: 12 },
    { title: 'CHASSIS ID', value: ({ row }) => row.chassisId.value, min: 17 },
    { title: 'PORT ID', value: ({ row }) => row.portId.value, min: 12 },
  ];
  if (several) all.unshift({ title: 'SWITCH', value: (line) => line.switch, min: 6 });
  if (!wide) return all;
  return [
    ...all,
    { title: 'PORT DESCRIPTION', value: ({ row }) => row.portDescription || '-' },
    { title: 'CAPABILITIES', value: ({ row }) => row.capabilities.join(',') || '-' },
    { title: 'ADDRESSES', value: ({ row }) => row.managementAddresses.join(',') || '-' },
    { title: 'TTL', value: ({ row }) => (row.ttlSeconds === null ? '-' : `${row.ttlSeconds} s`) },
    { title: 'SYSTEM DESCRIPTION', value: ({ row }) => row.systemDescription || '-' },
  ];
}
