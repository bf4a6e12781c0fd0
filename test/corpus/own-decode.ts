import type { Oracle, OracleMember, OraclePort } from './oracle.ts';

/**
 * A second decoder for dumps of which nobody else says what they mean. It is as plain as can be, trusts what it reads and shares no
 * code with the product: what both read alike is not one slip of one of them. It says less than another project's word.
 */
export function ownDecode(dump: string): Oracle {
  const table = new Dump(dump);
  const cisco = table.column('1.3.6.1.4.1.9.9.46.1.3.1.1.4');
  const members = cisco.size > 0 ? ciscoMembers(table) : staticMembers(table);
  const names = cisco.size > 0 ? ciscoNames(table, cisco) : table.column('1.3.6.1.2.1.17.7.1.4.3.1.1');
  return {
    ports: ports(table),
    ...(names.size === 0
      ? {}
      : { vlans: [...names].map(([id, v]) => ({ vlan_vlan: Number(id), vlan_name: v.text || `VLAN ${id}` })) }),
    ...(members.length === 0 ? {} : { ports_vlans: members }),
  };
}

interface Value {
  readonly text: string;
  readonly octets: Buffer;
}

/** The lines of a dump by OID; the first of several with one OID counts. */
class Dump {
  readonly #rows: (readonly [string, Value])[] = [];

  constructor(text: string) {
    const seen = new Set<string>();
    for (const line of text.split('\n')) {
      const [oid = '', tag = '', ...rest] = line.split('|');
      if (tag === '' || seen.has(oid)) continue;
      seen.add(oid);
      const value = rest.join('|');
      const octets = Buffer.from(value, tag.endsWith('x') ? 'hex' : 'utf8');
      this.#rows.push([oid.replace(/^\./, ''), { text: octets.toString('utf8'), octets }]);
    }
  }

  column(oid: string): ReadonlyMap<string, Value> {
    const under = this.#rows.filter(([name]) => name.startsWith(`${oid}.`));
    return new Map(under.map(([name, value]) => [name.slice(oid.length + 1), value]));
  }
}

const TYPES: Readonly<Record<string, string>> = { 6: 'ethernetCsmacd', 117: 'gigabitEthernet', 161: 'ieee8023adLag' };
const STATES: Readonly<Record<string, string>> = { 1: 'up', 2: 'down' };

function ports(table: Dump): OraclePort[] {
  const [names, types] = [table.column('1.3.6.1.2.1.31.1.1.1.1'), table.column('1.3.6.1.2.1.2.2.1.3')];
  const [admin, oper] = [table.column('1.3.6.1.2.1.2.2.1.7'), table.column('1.3.6.1.2.1.2.2.1.8')];
  const [mtu, mac] = [table.column('1.3.6.1.2.1.2.2.1.4'), table.column('1.3.6.1.2.1.2.2.1.6')];
  const speed = table.column('1.3.6.1.2.1.31.1.1.1.15');
  return [...types].map(([index, type]) => ({
    ifIndex: Number(index),
    ifName: names.get(index)?.text.trim() ?? null,
    ifType: TYPES[type.text] ?? 'other',
    ifAdminStatus: STATES[admin.get(index)?.text ?? ''] ?? null,
    ifOperStatus: STATES[oper.get(index)?.text ?? ''] ?? null,
    ifSpeed: speed.has(index) ? Number(speed.get(index)?.text) * 1_000_000 : null,
    ifMtu: mtu.has(index) ? Number(mtu.get(index)?.text) : null,
    ifPhysAddress: mac.get(index)?.octets.toString('hex') ?? null,
  }));
}

/** dot1qVlanStaticEgressPorts and -UntaggedPorts: bit 0 of octet 0 is bridge port 1; on Junos the ports are written in decimal. */
function staticMembers(table: Dump): OracleMember[] {
  const [egress, untagged] = [table.column('1.3.6.1.2.1.17.7.1.4.3.1.2'), table.column('1.3.6.1.2.1.17.7.1.4.3.1.4')];
  const decimal = [...egress.values()].every(({ text }) => /^[\d,]*$/.test(text));
  const portsOf = (list: Value | undefined) => {
    if (list === undefined || list.octets.length === 0) return [];
    return decimal ? list.text.split(',').map(Number) : bits(list.octets).map((bit) => bit + 1);
  };
  return [...egress].flatMap(([vlan, list]) => {
    const plain = new Set(portsOf(untagged.get(vlan)));
    return portsOf(list).map((baseport) => ({ vlan: Number(vlan), baseport, untagged: plain.has(baseport) ? 1 : 0 }));
  });
}

/** Numbers of the bits that are set; the most significant one of octet 0 is 0. */
function bits(octets: Uint8Array): number[] {
  return [...octets].flatMap((octet, at) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => octet & (0x80 >> bit)).map((bit) => at * 8 + bit),
  );
}

/** vtpVlanName of Ethernet VLANs, by VLAN ID. */
function ciscoNames(table: Dump, names: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  const types = table.column('1.3.6.1.4.1.9.9.46.1.3.1.1.3');
  const ethernet = [...names].filter(([index]) => types.get(index)?.text === '1');
  return new Map(ethernet.map(([index, name]) => [index.split('.').at(-1) ?? '', name]));
}

/** vmVlan of ports that never trunk, and the four bitmaps of those that always do; what the others are is not asserted. */
function ciscoMembers(table: Dump): OracleMember[] {
  const trunk = (column: number) => table.column(`1.3.6.1.4.1.9.9.46.1.6.1.1.${column}`);
  const [access, native, lists] = [table.column('1.3.6.1.4.1.9.9.68.1.2.2.1.2'), trunk(5), [4, 17, 18, 19].map(trunk)];
  return [...trunk(13)].flatMap(([index, state]) => {
    const row = (vlan: number, untagged: number) => ({ vlan, baseport: 0, ifIndex: Number(index), untagged });
    const own = access.get(index)?.text;
    if (state.text === '2') return own === undefined ? [] : [row(Number(own), 1)];
    if (state.text !== '1' && state.text !== '5') return [];
    return lists
      .flatMap((list, part) => bits(list.get(index)?.octets ?? Buffer.alloc(0)).map((bit) => part * 1024 + bit))
      .filter((vlan) => vlan >= 1 && vlan <= 4094)
      .map((vlan) => row(vlan, String(vlan) === native.get(index)?.text ? 1 : 0));
  });
}
