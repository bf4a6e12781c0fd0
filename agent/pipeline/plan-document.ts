import type { Driver } from '../../drivers/driver.ts';
import { DriverError } from '../../drivers/errors.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import type { PlanDocument } from '../model/command.ts';
import { own } from '../model/own.ts';
import { emptySwitch } from '../store/state.ts';
import { ownedVlans } from './bookkeeping.ts';
import { driverOptions } from './driver-options.ts';
import { planSwitch, type SwitchPlan } from './plan.ts';
import type { ReportInput } from './report-input.ts';

/** What would be sent now, switch by switch, for people and for the `plan` request. Pure; nothing is sent. */
export function planDocument(input: ReportInput): PlanDocument {
  const plan: PlanDocument = {
    changes: [],
    createVLANs: [],
    deleteVLANs: [],
    refused: [],
    unknownSwitches: [],
    writes: input.config.mode === 'manage',
  };
  for (const [owner, verdict] of input.desired.verdicts) {
    if (verdict.refusal && verdict.state !== 'unresolved') {
      plan.refused.push({ attachment: owner, reason: verdict.refusal.reason, message: verdict.refusal.message });
    }
  }
  for (const view of input.views.values()) {
    if (view.reading === null) {
      plan.unknownSwitches.push(view.name);
      continue;
    }
    const desired = input.desired.ports.get(view.name) ?? new Map();
    const found = planSwitch({
      desired,
      usedVlans: input.desired.vlans.get(view.name) ?? VlanSet.EMPTY,
      reading: view.reading,
      capabilities: view.driver.capabilities,
      ownedVlans: ownedVlans(own(input.state.switches, view.name) ?? emptySwitch),
      manageVlans: input.config.vlans.manage,
      bounce: input.config.transition === 'bounce',
      refusedVlans: new Map(),
      skip: new Set(),
    });
    addChanges(
      plan,
      view.name,
      found,
      (port) => desired.get(port)?.owner ?? null,
      commandsOf(view.driver, found, driverOptions(view.config)),
    );
    for (const [port, refusal] of found.blocked)
      plan.refused.push({ attachment: desired.get(port)?.owner ?? `${view.name} ${port}`, ...refusal });
  }
  return plan;
}

/** Commands by step, keyed "kind subject"; a batch that the driver cannot render shows the driver's words instead. */
function commandsOf(
  driver: Driver,
  plan: SwitchPlan,
  options: Readonly<Record<string, unknown>>,
): Map<string, readonly string[]> {
  try {
    return new Map(driver.render(plan.changes, options).map((s) => [`${s.kind} ${s.subject}`, s.commands]));
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return new Map(plan.changes.ports.map((c) => [`port ${c.from.name}`, [`# ${error.message}`]]));
  }
}

function addChanges(
  plan: PlanDocument,
  name: string,
  found: SwitchPlan,
  owner: (port: string) => string | null,
  commands: Map<string, readonly string[]>,
): void {
  for (const { from } of found.changes.ports) {
    const differences = (found.differences.get(from.name) ?? []).map((d) => ({ ...d }));
    plan.changes.push({
      switch: name,
      port: from.name,
      for: owner(from.name),
      differences,
      commands: [...(commands.get(`port ${from.name}`) ?? [])],
    });
  }
  for (const { id } of found.changes.createVlans)
    plan.createVLANs.push({ switch: name, id, commands: [...(commands.get(`vlan-create ${id}`) ?? [])] });
  for (const id of found.changes.deleteVlans)
    plan.deleteVLANs.push({ switch: name, id, commands: [...(commands.get(`vlan-delete ${id}`) ?? [])] });
}
