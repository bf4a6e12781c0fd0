import { hasMembership } from '../../drivers/model/switchport.ts';
import type { SnmpReading } from '../../drivers/snmp/read.ts';
import { type Comparison, compareWith } from './compare.ts';
import type { DumpedDevice } from './corpus.ts';
import { replay } from './replay.ts';

/** One dump as the product reads it, beside what somebody else says of it. */
export interface Measured {
  readonly device: DumpedDevice;
  readonly reading: SnmpReading;
  readonly comparison: Comparison;
  readonly requests: number;
}

const done = new Map<DumpedDevice, Promise<Measured>>();

/** Replays a dump over UDP, once for all who ask. */
export function measure(device: DumpedDevice): Promise<Measured> {
  const known = done.get(device);
  if (known !== undefined) return known;
  const measured = replay(device.dump).then(({ reading, neighbors, requests }) => ({
    device,
    reading,
    comparison: compareWith(device.oracle, reading, neighbors),
    requests,
  }));
  done.set(device, measured);
  return measured;
}

/** Ports whose mode is told, of all: `other` is the mode of those of which the switch does not tell enough. */
export function told({ ports }: Pick<SnmpReading, 'ports'>): { readonly agree: number; readonly of: number } {
  const known = ports.filter(({ switchport: s }) => hasMembership(s) || s.mode === 'none' || s.mode === 'routed');
  return { agree: known.length, of: ports.length };
}
