import type { PrivateVlanMib } from '../../../drivers/mib/facts.ts';
import { readInterfaces } from '../../../drivers/mib/if-mib.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { switchportsOf } from '../../../drivers/snmp/switchports.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';

/** A bitmap in which bit n, from the most significant one of the first octet on, is set for each of `bits`. */
export function bitmap(bits: readonly number[], length = 128): number[] {
  const list: number[] = new Array(length).fill(0);
  for (const bit of bits) list[bit >> 3] = (list[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return list;
}

/** What a vendor's MIB says of each port, as "mode native tagged/extra: detail"; null: the switch lacks the MIB. */
export async function privateSwitchports(mib: PrivateVlanMib, values: readonly VarBind[], ports: readonly number[]) {
  const session = new MemorySnmp(values);
  const { rows } = await readInterfaces(session);
  const bridge = new Map(ports.map((ifIndex, i) => [i + 1, ifIndex]));
  const facts = await mib.read(session, bridge, rows);
  if (facts === null) return null;
  const read = switchportsOf(facts, ports, {
    bridged: new Set(ports),
    bridgeIncomplete: null,
    up: new Set(ports),
    untaggedIsPvid: false,
  });
  const shown = ports.map((ifIndex) => {
    const port = read.get(ifIndex);
    if (port === undefined) return 'not read';
    const text = `${port.mode} ${port.nativeVlan} ${port.taggedVlans}/${port.extraUntaggedVlans}`;
    return port.detail === '' ? text : `${text}: ${port.detail}`;
  });
  return { facts, shown };
}
