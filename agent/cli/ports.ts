import { portProblem } from '../local/problems.ts';
import type { PortRow, PortsDocument } from '../model/report.ts';
import { createClient } from './client.ts';
import type { CommandRun } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { showPort } from './port.ts';
import { link, speed, stateOf, vlans } from './port-words.ts';
import { duration } from './text.ts';
import { type Column, createWriter, type Tone } from './writers.ts';

interface Line {
  readonly table: PortsDocument;
  readonly row: PortRow;
}

/** `portkeeper ports`: the port tables; with a port name the same as `portkeeper port`. */
export const run: CommandRun = async (call, io) => {
  const name = call.args[0];
  if (name !== undefined) return showPort(name, call, io);
  const writer = createWriter(call, io);
  const onlyProblems = call.has('problems');
  const answer = await createClient(call, io).get<{ readonly switches: readonly PortsDocument[] }>('/v1/ports', {
    switch: call.value('switch'),
    problems: onlyProblems ? '1' : undefined,
  });
  const lines = answer.switches.flatMap((table) => table.ports.map((row) => ({ table, row })));
  const exit = onlyProblems && lines.length > 0 ? EXIT.no : EXIT.ok;
  if (writer.json) {
    writer.document(answer);
    return exit;
  }
  if (lines.length > 0) writer.table(columns(answer.switches.length > 1, call.has('wide')), lines);
  else
    writer.line(
      onlyProblems ? 'No port needs attention.' : 'No port has been read yet.',
      onlyProblems ? 'good' : undefined,
    );
  for (const table of answer.switches) {
    if (table.reachable) continue;
    const age =
      table.readAt === null ? 'never read since the start' : `last read ${readAge(table, io.clock.now())} ago`;
    io.stderr(`portkeeper: switch ${table.switch} is not reachable; ${age}\n`);
  }
  return exit;
};

function readAge(table: PortsDocument, now: number): string {
  return duration((now - Date.parse(table.readAt ?? '')) / 1000);
}

function columns(several: boolean, wide: boolean): Column<Line>[] {
  const all: Column<Line>[] = [
    { title: 'PORT', value: ({ row }) => row.name, min: 22 },
    {
      title: 'LINK',
      value: ({ row }) => link(row),
      tone: ({ row }) => (row.operState === 'up' ? 'good' : null),
      min: 5,
    },
    { title: 'MODE', value: ({ row }) => modeOf(row), min: 6 },
    { title: 'NATIVE', value: ({ row }) => (row.actual.nativeVLAN === null ? '-' : String(row.actual.nativeVLAN)) },
    { title: 'TAGGED', value: ({ row }) => vlans(row.actual.allowedVLANs), min: 8 },
    { title: 'STATE', value: ({ row }) => stateOf(row), tone: ({ row }) => tone(row), min: 12 },
    { title: 'FOR', value: ({ row }) => heldBy(row, wide), min: 8 },
  ];
  if (several) all.unshift({ title: 'SWITCH', value: ({ table }) => table.switch, min: 6 });
  if (wide) {
    all.push(
      { title: 'SPEED', value: ({ row }) => speed(row.speedMbps) },
      { title: 'MTU', value: ({ row }) => (row.actual.mtu === null ? '-' : String(row.actual.mtu)) },
      { title: 'MAC', value: ({ row }) => row.macAddress ?? '-' },
      { title: 'ALIASES', value: ({ row }) => row.aliases.join(',') || '-' },
      { title: 'DESCRIPTION', value: ({ row }) => row.actual.description || '-' },
      { title: 'MESSAGE', value: ({ row }) => row.problem ?? (row.message || '-') },
    );
  }
  return all;
}

/** The attachment (with its publisher when there is room), or the provider network of a port without one. */
function heldBy(row: PortRow, wide: boolean): string {
  if (row.claimedBy !== null) return wide ? row.claimedBy : row.claimedBy.slice(row.claimedBy.indexOf('/') + 1);
  return row.network === null ? '-' : `(${row.network})`;
}

/** Mode with what is wrong about it marked: VLANs that leak untagged. */
function modeOf(row: PortRow): string {
  return row.actual.extraUntaggedVLANs.length > 0 ? `${row.actual.mode}+leak` : row.actual.mode;
}

function tone(row: PortRow): Tone | null {
  const problem = portProblem(row);
  if (problem === null) return row.inSync === true ? 'good' : 'dim';
  return problem === 'AwaitingSwitch' || problem === 'ObserveOnly' ? 'warn' : 'bad';
}
