/** One Interface of a made-up database. */
export interface InterfaceRow {
  readonly name: string;
  readonly type?: string;
  readonly link?: 'up' | 'down';
  readonly ofport?: number;
  readonly error?: string;
}

export interface PortRow {
  readonly name: string;
  readonly mode?: string;
  readonly tag?: number;
  readonly trunks?: readonly number[];
  readonly description?: string;
  readonly interfaces: readonly InterfaceRow[];
}

/** What `ovs-vsctl -f json` prints for the driver's listing; a set of one element is the element itself (RFC 7047, 5.1). */
export function database(
  bridges: Readonly<Record<string, readonly PortRow[]>>,
  config: { readonly next: number; readonly current: number } = { next: 7, current: 7 },
): string {
  const ports = Object.values(bridges).flat();
  const interfaces = ports.flatMap((port) => port.interfaces);
  const portId = (port: PortRow) => ['uuid', `port-${ports.indexOf(port)}`];
  const interfaceId = (row: InterfaceRow) => ['uuid', `if-${interfaces.indexOf(row)}`];
  return [
    table('_uuid next_cfg cur_cfg ovs_version', [[['uuid', 'root'], config.next, config.current, '3.1.0']]),
    table(
      'name ports datapath_type other_config',
      Object.entries(bridges).map(([name, rows]) => [name, set(rows.map(portId)), 'netdev', ['map', []]]),
    ),
    table(
      '_uuid name interfaces vlan_mode tag trunks external_ids fake_bridge',
      ports.map((port) => [
        portId(port),
        port.name,
        set(port.interfaces.map(interfaceId)),
        set(port.mode === undefined ? [] : [port.mode]),
        set(port.tag === undefined ? [] : [port.tag]),
        set(port.trunks ?? []),
        ['map', port.description === undefined ? [] : [['description', port.description]]],
        false,
      ]),
    ),
    table(
      '_uuid name type admin_state link_state link_speed ifindex mac_in_use mtu error ofport',
      interfaces.map((row, i) => [
        interfaceId(row),
        row.name,
        row.type ?? '',
        'up',
        row.link ?? 'up',
        10_000_000_000,
        i + 3,
        '02:00:00:00:00:01',
        1500,
        set(row.error === undefined ? [] : [row.error]),
        row.ofport ?? i + 1,
      ]),
    ),
  ].join('\n');
}

function set(elements: readonly unknown[]): unknown {
  return elements.length === 1 ? elements[0] : ['set', elements];
}

function table(headings: string, data: readonly unknown[]): string {
  return JSON.stringify({ data, headings: headings.split(' ') });
}
