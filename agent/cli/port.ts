import { portProblem } from '../local/problems.ts';
import type { NeighborRow } from '../model/report.ts';
import type { PortView } from '../model/views.ts';
import { createClient } from './client.ts';
import type { CliIo, CommandCall, CommandRun } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { link, speed, stateOf, vlans } from './port-words.ts';
import { duration, shortTime } from './text.ts';
import { type Column, createWriter, type LabelledRow, type Writer } from './writers.ts';

/** `portkeeper port NAME`: the answer to "why is this port not right?". */
export const run: CommandRun = (call, io) => showPort(call.args[0] ?? '', call, io);

/** Fetches and shows one port. Exit 0: as wanted, or nothing is wanted and nothing is wrong. */
export async function showPort(name: string, call: CommandCall, io: CliIo): Promise<number> {
  const writer = createWriter(call, io);
  const view = await createClient(call, io).get<PortView>('/v1/port', { name, switch: call.value('switch') });
  if (writer.json) writer.document(view);
  else show(view, writer);
  return portProblem(view.port) === null && view.reachable ? EXIT.ok : EXIT.no;
}

function show(view: PortView, writer: Writer): void {
  verdict(view, writer);
  writer.line();
  facts(view, writer);
  writer.line();
  compare(view, writer);
  section('Other end (LLDP, as the host says)', view.neighbors.length > 0, writer, () => {
    for (const neighbor of view.neighbors) showNeighbor(neighbor, writer);
  });
  section('Last failed change', view.transcript.length > 0, writer, () => {
    for (const { command, answer } of view.transcript) {
      writer.line(`  > ${command}`);
      for (const line of answer.split('\n')) if (line.trim() !== '') writer.paragraph(line, 4, 'dim');
    }
  });
  section('Last changes', view.history.length > 0, writer, () => {
    writer.labelled(
      view.history.map((event): LabelledRow => [`${shortTime(event.time)}  ${event.kind}`, event.message]),
      2,
    );
  });
}

function verdict(view: PortView, writer: Writer): void {
  const { port } = view;
  const name = `${view.switch} ${port.name}`;
  const problem = portProblem(port);
  if (!view.reachable) {
    const age = view.ageSeconds === null ? 'never read since the start' : `as of ${duration(view.ageSeconds)} ago`;
    writer.paragraph(`Switch ${view.switch} is NOT REACHABLE; what follows is ${age}.`, 0, 'bad');
  }
  if (problem === null) {
    const text: Readonly<Record<string, string>> = {
      'in sync': 'is as wanted',
      protected: 'is protected and never written',
      'as it is': 'is managed; nothing is wanted of it, so it is left as it is',
      'not managed': 'is not managed: the agent never writes it',
    };
    writer.paragraph(`${name} ${text[stateOf(port)] ?? stateOf(port)}.`, 0, 'good');
    if (port.protected !== null) writer.paragraph(port.protected, 2);
  } else {
    writer.paragraph(`${name} is NOT RIGHT: ${view.reason ?? problem}`, 0, 'bad');
    for (const line of [view.meaning, port.message, port.problem ?? '']) if (line !== '') writer.paragraph(line, 2);
    if (view.fix !== '')
      writer.paragraph(
        `What to do: ${view.fix.replaceAll(' in `portkeeper port NAME`', ' below').replaceAll('See `portkeeper port NAME`', 'See below')}`,
        2,
        'strong',
      );
  }
}

function facts(view: PortView, writer: Writer): void {
  const { port, wantedBy } = view;
  const rows: [string, string][] = [];
  if (wantedBy) {
    rows.push([
      'Wanted by',
      `${wantedBy.publisher}, ${wantedBy.attachment}, revision ${wantedBy.revision} (${wantedBy.state})`,
    ]);
  } else if (port.wanted) rows.push(['Wanted by', 'no attachment: the port is kept idle']);
  else rows.push(['Wanted by', 'nobody']);
  if (port.network !== null) rows.push(['Network', port.network]);
  const up = port.operState === 'up' ? `, ${speed(port.speedMbps)}` : '';
  rows.push(['Link', `${link(port)}${up} (admin ${port.adminState})`]);
  if (port.lag !== null) rows.push(['LAG', port.lag]);
  if (port.aliases.length > 0) rows.push(['Also called', port.aliases.join(', ')]);
  rows.push(['Read', view.ageSeconds === null ? 'never' : `${duration(view.ageSeconds)} ago`]);
  writer.labelled(rows);
}

interface Compared {
  readonly field: string;
  readonly wanted: string;
  readonly actual: string;
  readonly differs: boolean;
}

/** Wanted and actual side by side; what differs is marked by a word. */
function compare(view: PortView, writer: Writer): void {
  const { actual, wanted } = view.port;
  const rows: Compared[] = [];
  const add = (field: string, want: string | null, is: string) => {
    rows.push({
      field,
      wanted: want ?? (wanted ? 'left as is' : '-'),
      actual: is,
      differs: want !== null && want !== is,
    });
  };
  const isTrunk = (mode: string) => mode === 'trunk' || mode === 'hybrid';
  // A switch without a hybrid port type makes a trunk of it, and that is right; the agent's own differences decide.
  const sameMode = wanted !== null && isTrunk(wanted.mode) && isTrunk(actual.mode) && !differsIn(view, 'mode');
  add('mode', wanted && !sameMode ? wanted.mode : wanted ? actual.mode : null, actual.mode);
  add('native VLAN', wanted ? String(wanted.nativeVLAN ?? 'none') : null, String(actual.nativeVLAN ?? 'none'));
  add('tagged VLANs', wanted ? vlans(wanted.allowedVLANs) : null, vlans(actual.allowedVLANs));
  if (actual.extraUntaggedVLANs.length > 0)
    add('leaks untagged', wanted ? '-' : null, vlans(actual.extraUntaggedVLANs));
  add('admin state', wanted ? wanted.adminState : null, actual.adminState);
  if (actual.mtu !== null || typeof wanted?.mtu === 'number') {
    add('MTU', typeof wanted?.mtu === 'number' ? String(wanted.mtu) : null, String(actual.mtu ?? '-'));
  }
  add('description', wanted?.description ?? null, actual.description);
  const columns: Column<Compared>[] = [
    { title: '', value: (row) => row.field, min: 14 },
    { title: 'WANTED', value: (row) => row.wanted || '""' },
    { title: 'ON THE SWITCH', value: (row) => row.actual || '""' },
    { title: '', value: (row) => (row.differs ? 'DIFFERS' : ''), tone: () => 'bad', min: 7 },
  ];
  writer.table(columns, rows);
  const shown = new Set(rows.filter((row) => row.differs).map((row) => row.field.toLowerCase()));
  if (shown.size > 0 || view.differences.length === 0) return;
  for (const d of view.differences) writer.paragraph(`differs: ${d.field}: ${d.from} -> ${d.to}`, 0, 'bad');
}

function differsIn(view: PortView, word: string): boolean {
  return view.differences.some((difference) => difference.field.toLowerCase().includes(word));
}

function showNeighbor(neighbor: NeighborRow, writer: Writer): void {
  const who = neighbor.systemName || neighbor.chassisId.value || 'unnamed';
  writer.paragraph(`${who}, port ${neighbor.portId.value || '?'}`, 2);
  const rows: [string, string][] = [['chassis ID', `${neighbor.chassisId.value} (${neighbor.chassisId.subtype})`]];
  rows.push(['port ID', `${neighbor.portId.value} (${neighbor.portId.subtype})`]);
  if (neighbor.portDescription) rows.push(['port', neighbor.portDescription]);
  if (neighbor.systemDescription) rows.push(['system', neighbor.systemDescription]);
  if (neighbor.capabilities.length > 0) rows.push(['capabilities', neighbor.capabilities.join(', ')]);
  if (neighbor.managementAddresses.length > 0) rows.push(['addresses', neighbor.managementAddresses.join(', ')]);
  writer.labelled(rows, 4);
}

function section(title: string, there: boolean, writer: Writer, body: () => void): void {
  if (!there) return;
  writer.line();
  writer.line(title, 'strong');
  body();
}
