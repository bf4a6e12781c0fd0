import { dottedMac } from './neighbor.ts';
import { shortName } from './port-names.ts';
import { RESERVED_VLANS } from './switch-config.ts';
import type { SwitchModel } from './switch-model.ts';

function status(model: SwitchModel, id: number): string {
  const vlan = model.config.vlans.get(id);
  if (RESERVED_VLANS.has(id)) return 'act/unsup';
  const state = vlan?.state === 'suspend' ? 'suspended' : 'active';
  return vlan?.shutdown ? `${state.slice(0, 3)}/lshut` : state;
}

/** Ports shown with a VLAN: those that do not trunk now. A trunk whose link is down is shown as an access port. */
function portsOf(model: SwitchModel, id: number): string[] {
  return [...model.config.ports]
    .filter(([name, port]) => {
      const trunks = model.trunking(name) && model.carried(name).up;
      return port.mode !== 'routed' && !trunks && port.channelGroup === null && port.accessVlan === id;
    })
    .map(([name]) => shortName(name));
}

function row(id: number, name: string, state: string, ports: readonly string[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i < Math.max(ports.length, 1); i += 4) {
    const left = i === 0 ? `${String(id).padEnd(4)} ${name.padEnd(32)} ${state.padEnd(9)} ` : ' '.repeat(48);
    lines.push(left + ports.slice(i, i + 4).join(', '));
  }
  return lines;
}

/** `show vlan brief`. */
export function showVlanBrief(model: SwitchModel, only: readonly number[] | null = null): string[] {
  const ids = [...model.config.vlans.keys()].filter((id) => only === null || only.includes(id)).sort((a, b) => a - b);
  return [
    '',
    'VLAN Name                             Status    Ports',
    '---- -------------------------------- --------- -------------------------------',
    ...ids.flatMap((id) => row(id, model.config.vlans.get(id)?.name ?? '', status(model, id), portsOf(model, id))),
  ];
}

/** `show vlan`: the table of names and a second one of types. */
export function showVlan(model: SwitchModel): string[] {
  const ids = [...model.config.vlans.keys()].sort((a, b) => a - b);
  return [
    ...showVlanBrief(model),
    '',
    'VLAN Type  SAID       MTU   Parent RingNo BridgeNo Stp  BrdgMode Trans1 Trans2',
    '---- ----- ---------- ----- ------ ------ -------- ---- -------- ------ ------',
    ...ids.map(
      (id) =>
        `${String(id).padEnd(4)} enet  ${100_000 + id}     1500  -      -      -        -    -        0      0   `,
    ),
    '',
  ];
}

/** `show mac address-table`: fixed entries of the CPU and the MAC of each host that is plugged in. */
export function showMacTable(model: SwitchModel): string[] {
  const rows = [[' All', '0100.0ccc.cccc', 'STATIC', 'CPU']];
  let learned = 0;
  for (const name of model.config.ports.keys()) {
    const mac = model.neighbor(name)?.mac;
    const { untagged, tagged, up } = model.carried(name);
    if (mac === undefined || !up) continue;
    for (const vlan of untagged === null ? tagged.slice(0, 1) : [untagged]) {
      rows.push([String(vlan).padStart(4), dottedMac(mac), 'DYNAMIC', shortName(name)]);
      learned++;
    }
  }
  return [
    '          Mac Address Table',
    '-------------------------------------------',
    '',
    'Vlan    Mac Address       Type        Ports',
    '----    -----------       --------    -----',
    ...rows.map(([vlan = '', mac = '', type = '', port = '']) => `${vlan}    ${mac}    ${type.padEnd(12)}${port}`),
    `Total Mac Addresses for this criterion: ${learned + 1}`,
  ];
}

/** `show etherchannel summary`. */
export function showEtherchannel(model: SwitchModel): string[] {
  const rows = model.channelNames.map((name) => {
    const members = model.members(name).map((member) => `${shortName(member)}(${memberFlag(model, member)})`);
    const layer = model.port(name).mode === 'routed' ? 'R' : 'S';
    const id = name.slice('Port-channel'.length);
    const protocol = model.members(name).some((m) => model.port(m).channelGroup?.mode !== 'on') ? 'LACP' : '-';
    const up = members.some((m) => m.endsWith('(P)'));
    return `${id.padEnd(7)}${`Po${id}(${layer}${up ? 'U' : 'D'})`.padEnd(14)}${protocol.padEnd(12)}${members.join('  ')}`;
  });
  return [
    'Flags:  D - down        P - bundled in port-channel',
    '        I - stand-alone s - suspended',
    '        R - Layer3      S - Layer2',
    '        U - in use      w - waiting to be aggregated',
    '',
    `Number of channel-groups in use: ${rows.length}`,
    `Number of aggregators:           ${rows.length}`,
    '',
    'Group  Port-channel  Protocol    Ports',
    '------+-------------+-----------+-----------------------------------------------',
    ...rows,
    '',
  ];
}

function memberFlag(model: SwitchModel, member: string): string {
  const { up } = model.carried(member);
  if (up) return 'P';
  return model.condition(member).link && !model.port(member).shutdown ? 's' : 'D';
}
