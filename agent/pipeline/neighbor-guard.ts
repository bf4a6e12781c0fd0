import { normalizeMac } from '../../drivers/model/mac.ts';
import type { Neighbor } from '../../drivers/model/neighbor.ts';
import type { ExpectedNeighbor } from '../model/intent.ts';

/**
 * The cabling guard: compares what LLDP shows on a port with what an attachment expects. null: it fits, or nobody speaks
 * LLDP on the port (silence is no proof of a wrong cable); otherwise a sentence for a person. MACs match in any notation,
 * names without regard to case; with several neighbours on a port one that fits is enough.
 */
export function checkNeighbor(expected: ExpectedNeighbor, seen: readonly Neighbor[]): string | null {
  if (seen.length === 0 || seen.some((n) => fits(expected, n))) return null;
  const wanted = [expected.systemName, expected.chassisId, expected.macAddress, expected.portId].filter(
    (v) => v !== undefined,
  );
  const shown = seen
    .slice(0, 3)
    .map((n) => [n.systemName || n.chassisId.value, n.portId.value].filter((v) => v !== '').join(' '));
  return `expected ${wanted.join(' ')}, see ${shown.join(' and ')}`;
}

function fits(expected: ExpectedNeighbor, seen: Neighbor): boolean {
  const { macAddress, chassisId, portId, systemName } = expected;
  if (macAddress !== undefined && !same(macAddress, seen.portId.value) && !same(macAddress, seen.chassisId.value))
    return false;
  if (chassisId !== undefined && !same(chassisId, seen.chassisId.value)) return false;
  if (portId !== undefined && !same(portId, seen.portId.value) && !same(portId, seen.portDescription)) return false;
  return systemName === undefined || same(systemName, seen.systemName);
}

function same(a: string, b: string): boolean {
  const mac = normalizeMac(a);
  return mac === null ? a.toLowerCase() === b.toLowerCase() : mac === normalizeMac(b);
}
