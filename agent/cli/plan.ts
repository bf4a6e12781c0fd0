import type { PlanDocument } from '../model/command.ts';
import { createClient } from './client.ts';
import type { CommandRun } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { count } from './text.ts';
import { createWriter, type Writer } from './writers.ts';

/** `portkeeper plan`: what would be changed now. Exit 0: nothing; 1: changes are due. */
export const run: CommandRun = async (call, io) => {
  const writer = createWriter(call, io);
  const plan = await createClient(call, io).get<PlanDocument>('/v1/plan');
  if (writer.json) writer.document(plan);
  else showPlan(plan, { commands: call.has('commands'), only: call.value('switch') }, writer);
  return isEmpty(plan) ? EXIT.ok : EXIT.no;
};

function isEmpty(plan: PlanDocument): boolean {
  return plan.changes.length + plan.createVLANs.length + plan.deleteVLANs.length + plan.unknownSwitches.length === 0;
}

/** Writes a plan: "+" is made, "~" changed, "-" removed; the last lines count. */
export function showPlan(
  plan: PlanDocument,
  look: { readonly commands: boolean; readonly only: string | undefined },
  writer: Writer,
): void {
  const wanted = (entry: { readonly switch: string }) => look.only === undefined || entry.switch === look.only;
  const changes = plan.changes.filter(wanted);
  const created = plan.createVLANs.filter(wanted);
  const deleted = plan.deleteVLANs.filter(wanted);
  const commands = (lines: readonly string[]) => {
    if (look.commands) for (const line of lines) writer.line(`        ${line}`, 'dim');
  };
  for (const name of new Set([...created, ...changes, ...deleted].map((entry) => entry.switch))) {
    writer.line(name, 'strong');
    for (const vlan of created.filter((entry) => entry.switch === name)) {
      writer.line(`  + VLAN ${vlan.id}`, 'good');
      commands(vlan.commands);
    }
    for (const change of changes.filter((entry) => entry.switch === name)) {
      const [first, ...rest] = change.differences.map((d) => `${d.field} ${shown(d.from)} -> ${shown(d.to)}`);
      const head = `~ ${change.port}`;
      writer.paragraph(`${head} ${first ?? 'no difference given'}`, 2, 'warn');
      for (const line of rest) writer.paragraph(line, 3 + head.length, 'warn');
      writer.paragraph(`for ${change.for ?? 'no attachment: the port goes to idle'}`, 3 + head.length, 'dim');
      commands(change.commands);
    }
    for (const vlan of deleted.filter((entry) => entry.switch === name)) {
      writer.line(`  - VLAN ${vlan.id}`, 'bad');
      commands(vlan.commands);
    }
    writer.line();
  }
  for (const refusal of plan.refused)
    writer.paragraph(`refused: ${refusal.attachment}: ${refusal.reason}: ${refusal.message}`, 0, 'bad');
  for (const name of plan.unknownSwitches)
    writer.paragraph(`switch ${name} has not been read yet: nothing can be said of it`, 0, 'bad');
  if (plan.refused.length + plan.unknownSwitches.length > 0) writer.line();
  const total = changes.length + created.length + deleted.length;
  if (total > 0 && !plan.writes) writer.paragraph('Mode observe: nothing of this is sent.', 0, 'warn');
  if (total > 0) {
    const vlans = `${count(created.length, 'VLAN')} to create, ${deleted.length} to delete`;
    writer.paragraph(`${count(changes.length, 'port')} to change, ${vlans}.`, 0, 'strong');
  } else if (plan.unknownSwitches.length > 0) writer.paragraph('0 ports to change, as far as is known.');
  else writer.paragraph('No changes: every port is as wanted.', 0, 'good');
}

function shown(value: string): string {
  return value === '' ? '""' : value;
}
