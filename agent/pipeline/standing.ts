import type { Config } from '../config/schema.ts';
import type { AttachmentState } from '../model/reasons.ts';
import type { DesiredPort } from './desired.ts';
import type { Refusal } from './fabric.ts';
import { missingVlans, portDifferences } from './plan.ts';
import { fingerprint, type SwitchView } from './switch-view.ts';

export interface Standing extends Refusal {
  readonly state: AttachmentState;
}

/**
 * How a wanted port stands. `applied` is said only of a port that was read after the attachment was accepted, by a switch
 * that answers, with nothing under way, and that is exactly as wanted.
 */
export function standing(port: string, wanted: DesiredPort, view: SwitchView, config: Config, since: number): Standing {
  if (view.changed !== null) return { state: 'held', ...view.changed };
  if (view.trouble !== null || view.reachability !== 'reachable') {
    const trouble = view.trouble ?? {
      reason: 'AwaitingSwitch' as const,
      message: `${view.name} has not been read yet`,
    };
    return { state: trouble.reason === 'SwitchChanged' ? 'held' : 'pending', ...trouble };
  }
  const awaiting: Standing = { state: 'pending', reason: 'AwaitingSwitch', message: `next in line on ${view.name}` };
  if (view.inFlight.has(port)) return { ...awaiting, message: `being changed on ${view.name} now` };
  const { reading } = view;
  const actual = reading?.ports.find((p) => p.name === port);
  if (reading === null || !actual || view.readMono < since) return awaiting;
  const differences = portDifferences(actual, wanted.config, view.driver.capabilities);
  const lacks = missingVlans(wanted.config, reading, view.driver.capabilities);
  if (differences.length === 0 && lacks.isEmpty) {
    return { state: 'applied', reason: 'Applied', message: `${port} of ${view.name} was read back and is as wanted` };
  }
  const failure = view.failures.get(port);
  if (failure?.target === fingerprint(wanted.config))
    return failure.reason === 'SwitchBusy' && failure.broughtBack
      ? { ...awaiting, reason: 'SwitchBusy', message: failure.message }
      : { state: 'failed', reason: failure.reason, message: failure.message };
  const blocked = view.blocked.get(port);
  if (blocked) return { state: 'failed', ...blocked };
  const text = [
    ...differences.map((d) => `${d.field} is ${d.from}, not ${d.to}`),
    ...(lacks.isEmpty ? [] : [`the switch has no VLAN ${lacks}`]),
  ].join('; ');
  if (config.mode === 'observe')
    return { state: 'pending', reason: 'ObserveOnly', message: `not written in mode observe: ${text}` };
  const drift = view.drifted.get(port);
  if (drift !== undefined && config.drift === 'report')
    return { state: 'failed', reason: 'DriftReported', message: `changed by somebody else: ${drift}` };
  return { ...awaiting, message: `to be changed on ${view.name}: ${text}` };
}
