import { portProblem } from '../local/problems.ts';
import type { PortRow } from '../model/report.ts';

/** A word of at most eight letters: "up", "down", "off" (shut by configuration), "absent" (no module), "testing" ... */
export function link(row: Pick<PortRow, 'adminState' | 'operState'>): string {
  if (row.adminState === 'down' && row.operState !== 'up') return 'off';
  if (row.operState === 'lowerLayerDown') return 'down';
  return row.operState === 'notPresent' ? 'absent' : row.operState;
}

/** One word for what the agent makes of the port. */
export function stateOf(row: PortRow): string {
  const problem = portProblem(row);
  if (problem !== null) return problem;
  if (row.inSync === true) return 'in sync';
  if (row.protected !== null) return 'protected';
  return row.managed ? 'as it is' : 'not managed';
}

/** "10,20-29" or "-". */
export function vlans(items: readonly (number | string)[]): string {
  return items.length === 0 ? '-' : items.join(',');
}

/** "25 Gbit/s", "100 Mbit/s" or "-". */
export function speed(mbps: number | null): string {
  if (mbps === null) return '-';
  return mbps >= 1000 ? `${mbps / 1000} Gbit/s` : `${mbps} Mbit/s`;
}
