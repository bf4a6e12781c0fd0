import type { CommandContext } from './command-context.ts';
import type { Rule } from './grammar.ts';
import { shortName } from './port-names.ts';
import { showLldpDetail, showLldpTable } from './show-lldp.ts';
import { portStatus, showInterface, showManagementSvi, showStatus, showSwitchport, showTrunks } from './show-ports.ts';
import { showRunning, showRunningInterface, showStartup, showUsers, showVersion } from './show-system.ts';
import { fullTime } from './show-text.ts';
import { showEtherchannel, showMacTable, showVlan, showVlanBrief } from './show-vlans.ts';
import type { SwitchModel } from './switch-model.ts';

type Render = (model: SwitchModel, args: readonly string[]) => readonly string[];

function show(pattern: string, render: Render, level = 1): Rule<CommandContext> {
  return { pattern: `show ${pattern}`, level, run: (c, args) => c.print(...render(c.model, args)) };
}

/** Ports first, Port-channels after them. */
function allPorts(model: SwitchModel): string[] {
  return [...model.portNames, ...model.channelNames];
}

/** `show interfaces description`. */
function showDescriptions(model: SwitchModel): string[] {
  const rows = allPorts(model).map((name) => {
    const status = portStatus(model, name);
    const up = !['disabled', 'err-disabled', 'notconnect'].includes(status);
    const state = (model.port(name).shutdown ? 'admin down' : up ? 'up' : 'down').padEnd(15);
    return `${shortName(name).padEnd(31)}${state}${(up ? 'up' : 'down').padEnd(9)}${model.port(name).description}`;
  });
  return ['Interface                      Status         Protocol Description', ...rows];
}

/** `show interfaces status err-disabled`. */
function showErrDisabled(model: SwitchModel): string[] {
  const rows = allPorts(model).flatMap((name) => {
    const reason = model.condition(name).errDisabled;
    if (reason === null) return [];
    const label = model.port(name).description.slice(0, 18).padEnd(19);
    return [`${shortName(name).padEnd(10)}${label}err-disabled ${reason}`];
  });
  return rows.length === 0
    ? []
    : ['', 'Port      Name               Status       Reason               Err-disabled Vlans', ...rows];
}

/** The show commands. Configuration is for privilege 15 only. */
export const showRules: readonly Rule<CommandContext>[] = [
  show('version', showVersion),
  show('running-config', showRunning, 15),
  show('running-config interface <port>', (m, [name = '']) => showRunningInterface(m, name), 15),
  show('startup-config', showStartup, 15),
  show('clock', (m) => [`*${fullTime(m.clock.now(), true)}`]),
  show('vlan', showVlan),
  show('vlan brief', (m) => showVlanBrief(m)),
  show('vlan id <1-4094>', (m, [id]) =>
    m.config.vlans.has(Number(id))
      ? showVlanBrief(m, [Number(id)])
      : [`VLAN id ${id} not found in current VLAN database`],
  ),
  show('interfaces', (m) => [...showManagementSvi(m), ...allPorts(m).flatMap((name) => showInterface(m, name))]),
  show('interfaces <port>', (m, [name = '']) => showInterface(m, name)),
  show('interfaces switchport', (m) => allPorts(m).flatMap((name) => showSwitchport(m, name))),
  show('interfaces <port> switchport', (m, [name = '']) => showSwitchport(m, name)),
  show('interfaces status', (m) => showStatus(m, allPorts(m))),
  show('interfaces <port> status', (m, [name = '']) => showStatus(m, [name])),
  show('interfaces status err-disabled', showErrDisabled),
  show('interfaces description', showDescriptions),
  show('interfaces trunk', showTrunks),
  show('etherchannel summary', showEtherchannel),
  show('mac address-table', showMacTable),
  show('lldp neighbors', showLldpTable),
  show('lldp neighbors detail', (m) => showLldpDetail(m, null)),
  show('lldp neighbors <port> detail', (m, [name = '']) => showLldpDetail(m, name)),
  {
    pattern: 'show privilege',
    run: (c) => c.print(`Current privilege level is ${c.state.privilege}`),
  },
  {
    pattern: 'show users',
    run: (c) => c.print(...showUsers(c.system.sessions(), c.state)),
  },
];
