import { DriverError } from '../errors.ts';
import type { Neighbor } from '../model/neighbor.ts';
import type { PortState } from '../model/port.ts';
import { type LldpDetail, parseLldpDetail } from '../text/lldp-detail.ts';

/** Runs one command; `untrusted`: its answer holds what strangers wrote, see SendOptions of the prompt-driven shell. */
type Show = (command: string, untrusted: boolean) => Promise<string>;

/**
 * The neighbours by IOS-like `show lldp neighbors detail`. `ports` reads the ports.
 *
 * A neighbour's text may look like another port's block, or like a refusal of the command. Then every port that is up is
 * asked for by itself, and can only speak for itself; a port whose answer still reads like a refusal is left out.
 */
export async function lldpNeighbors(
  show: Show,
  ports: () => Promise<readonly PortState[]>,
): Promise<readonly Neighbor[]> {
  const all = await ask(show, 'show lldp neighbors detail');
  if (all?.trusted) return all.neighbors;
  const neighbors: Neighbor[] = [];
  for (const { name, operState } of await ports()) {
    if (operState !== 'up') continue;
    const one = await ask(show, `show lldp neighbors ${name} detail`);
    neighbors.push(...(one?.neighbors.filter((n) => n.port === name) ?? []));
  }
  return neighbors;
}

/** Null when the command was refused, or seems to have been. */
async function ask(show: Show, command: string): Promise<LldpDetail | null> {
  try {
    return parseLldpDetail(await show(command, true));
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'rejected') return null;
    throw error;
  }
}
