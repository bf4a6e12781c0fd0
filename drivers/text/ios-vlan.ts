import type { Step } from '../driver.ts';
import type { VlanEntry } from '../model/port.ts';

const VLAN_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

/** The lines that make a VLAN on an IOS-like switch. A name that is not one plain word is left out: the switch then names it itself. */
export function createVlan({ id, name }: VlanEntry): Step {
  const naming = VLAN_NAME.test(name) ? [`name ${name}`] : [];
  return { kind: 'vlan-create', subject: `${id}`, commands: [`vlan ${id}`, ...naming, 'exit'] };
}

export function deleteVlan(id: number): Step {
  return { kind: 'vlan-delete', subject: `${id}`, commands: [`no vlan ${id}`] };
}

/**
 * Why a description cannot be typed; null when it can. Only printable ASCII: the terminal has no other, "?" asks for help, and
 * spaces at the ends would not come back.
 */
export function descriptionProblem(description: string, maxLength: number): string | null {
  if (description.length > maxLength) return `a description has at most ${maxLength} characters`;
  if (/[^\x20-\x7e]|\?/.test(description))
    return 'a description has only printable ASCII and no "?", which asks for help';
  return description.trim() === description ? null : 'a description neither starts nor ends with a space';
}
