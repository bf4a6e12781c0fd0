import type { PortRow } from '../model/report.ts';

/**
 * Why somebody should look at a port, in a word (a reason code, or `PortProblem` for what the switch itself says); null
 * when nothing is wrong. A change that is still under way counts, since the port is not yet as wanted.
 */
export function portProblem(row: PortRow): string | null {
  if (row.reason !== null && row.reason !== 'Applied') return row.reason;
  if (row.inSync === false) return 'NotInSync';
  return row.problem === null ? null : 'PortProblem';
}
