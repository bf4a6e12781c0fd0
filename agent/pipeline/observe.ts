import type { SwitchReading } from '../../drivers/driver.ts';
import type { Neighbor } from '../../drivers/model/neighbor.ts';
import type { EventKind } from '../model/report.ts';

/** Something that two readings of a switch show to have happened on a port. */
export interface Observation {
  readonly kind: EventKind;
  readonly port: string;
  readonly message: string;
}

/** Link changes between two readings. Pure. */
export function linkChanges(before: SwitchReading | null, after: SwitchReading): Observation[] {
  if (before === null) return [];
  const old = new Map(before.ports.map((p) => [p.name, p]));
  const seen: Observation[] = [];
  for (const port of after.ports) {
    const was = old.get(port.name);
    if (!was || (was.operState === 'up') === (port.operState === 'up')) continue;
    const up = port.operState === 'up';
    seen.push({
      kind: up ? 'link-up' : 'link-down',
      port: port.name,
      message: `${port.name} went ${up ? 'up' : 'down'}${port.problem === null ? '' : `: ${port.problem}`}`,
    });
  }
  return seen;
}

/** Neighbours that came, went or changed. Pure. A silent first reading is no news. */
export function neighborChanges(before: readonly Neighbor[], after: readonly Neighbor[]): Observation[] {
  const was = byPort(before);
  const is = byPort(after);
  const seen: Observation[] = [];
  for (const port of new Set([...was.keys(), ...is.keys()])) {
    const from = was.get(port) ?? '';
    const to = is.get(port) ?? '';
    if (from !== to) {
      seen.push({
        kind: 'neighbor-changed',
        port,
        message: `${port} sees ${to || 'nobody'} (before: ${from || 'nobody'})`,
      });
    }
  }
  return seen;
}

function byPort(neighbors: readonly Neighbor[]): Map<string, string> {
  const ports = new Map<string, string[]>();
  for (const n of neighbors) ports.set(n.port, [...(ports.get(n.port) ?? []), describeNeighbor(n)]);
  return new Map([...ports].map(([port, names]) => [port, names.sort().join(', ')]));
}

/** "worker-1 eno1", or the chassis ID when the other side does not tell its name. */
export function describeNeighbor(n: Neighbor): string {
  return `${n.systemName || n.chassisId.value} ${n.portId.value}`.trim();
}

/** Ports whose neighbour says it is a bridge or a router: a cable to the rest of the network, until someone confirms it. */
export function uplinksAmong(neighbors: readonly Neighbor[]): Map<string, string> {
  const uplinks = new Map<string, string>();
  for (const n of neighbors) {
    if (n.capabilities.some((c) => c === 'bridge' || c === 'router')) uplinks.set(n.port, describeNeighbor(n));
  }
  return uplinks;
}
