import type { CommandContext } from './command-context.ts';
import type { Rule } from './grammar.ts';
import { parseVlanList, type VlanIds } from './vlan-list.ts';
import { commitVlans } from './vlan-rules.ts';

const VTP_CLIENT = 'VTP VLAN configuration not allowed when device is in CLIENT mode.';

/** Leaves configuration mode from wherever the session is in it, which commits a VLAN and notes who changed what. */
export function endConfig(context: CommandContext): void {
  const { state, model } = context;
  if (state.mode.kind === 'exec') return;
  commitVlans(context);
  state.mode = { kind: 'exec' };
  model.lastChange = { at: context.system.clock.now(), by: state.user };
  model.log(`%SYS-5-CONFIG_I: Configured from console by ${state.user} on vty${state.line} (${state.from})`);
}

function vlanIds(context: CommandContext, text: string): VlanIds | null {
  if (context.model.vtp === 'client') {
    context.reject(VTP_CLIENT);
    return null;
  }
  const ids = parseVlanList(text);
  if (typeof ids !== 'string') return ids;
  context.reject(`Command rejected: ${ids}`);
  return null;
}

function enterVlan(context: CommandContext, text: string): void {
  const ids = vlanIds(context, text);
  if (ids) context.state.mode = { kind: 'vlan', ids: [...ids], draft: {} };
}

function removeVlans(context: CommandContext, text: string): void {
  const ids = vlanIds(context, text);
  for (const id of ids ?? []) {
    if (id === 1 || (id >= 1002 && id <= 1005)) context.reject(`%Default VLAN ${id} may not be deleted.`);
    else context.model.deleteVlan(id);
  }
}

function enterInterface(context: CommandContext, name: string): void {
  const { model } = context;
  if (!model.config.ports.has(name)) {
    model.config.ports.set(name, { ...model.defaults(), mode: 'routed' });
  }
  context.state.mode = { kind: 'interface', ports: [name], range: false };
}

function defaultInterface(context: CommandContext, names: string): void {
  for (const name of names.split(',')) {
    context.model.setPort(name, context.model.defaults());
    context.print(`Interface ${name} set to default configuration`);
  }
}

/** Commands of (config); they also work in every submode, which they leave. */
export const configRules: readonly Rule<CommandContext>[] = [
  { pattern: 'end', run: endConfig },
  { pattern: 'exit', run: endConfig },
  { pattern: 'hostname <word>', run: (c, [name = '']) => setHostname(c, name) },
  { pattern: 'vlan <word>', run: (c, [list = '']) => enterVlan(c, list) },
  { pattern: 'no vlan <word>', run: (c, [list = '']) => removeVlans(c, list) },
  { pattern: 'interface <any-port>', run: (c, [name = '']) => enterInterface(c, name) },
  {
    pattern: 'interface range <ports>',
    run: (c, [names = '']) => {
      c.state.mode = { kind: 'interface', ports: names.split(','), range: true };
    },
  },
  {
    pattern: 'no interface <port>',
    run: (c, [name = '']) => {
      if (name.startsWith('Port-channel')) c.model.deleteChannel(name);
      else c.reject('% Removal of physical interfaces is not permitted');
    },
  },
  { pattern: 'default interface <port>', run: (c, [name = '']) => defaultInterface(c, name) },
  { pattern: 'default interface range <ports>', run: (c, [names = '']) => defaultInterface(c, names) },
  { pattern: 'lldp run', run: (c) => setLldp(c, true) },
  { pattern: 'no lldp run', run: (c) => setLldp(c, false) },
  { pattern: 'no ip domain-lookup', run: () => {} },
];

function setLldp(context: CommandContext, on: boolean): void {
  context.model.config.lldpRun = on;
}

function setHostname(context: CommandContext, name: string): void {
  if (/^[A-Za-z][A-Za-z0-9._-]{0,62}$/.test(name)) context.model.config.hostname = name;
  else context.reject('% Hostname contains one or more illegal characters.');
}
