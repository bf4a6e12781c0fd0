import type { CommandContext, VlanDraft } from './command-context.ts';
import type { Rule } from './grammar.ts';

/** Commits what was typed in config-vlan, if the session is in it. Errors come here, not on the line that caused them. */
export function commitVlans(context: CommandContext): void {
  const { mode } = context.state;
  if (mode.kind !== 'vlan') return;
  context.state.mode = { kind: 'config' };
  const { draft, ids } = mode;
  const twin = draft.name === undefined ? undefined : nameTwin(context, draft.name, ids);
  if (twin !== undefined) {
    context.print(`% VLAN #${ids[0]} and #${twin} have an identical name: ${draft.name}`);
    return;
  }
  for (const id of ids) context.model.setVlan(id, draft);
}

function nameTwin(context: CommandContext, name: string, ids: readonly number[]): number | undefined {
  if (ids.length > 1) return ids[1];
  return [...context.model.config.vlans].find(([id, vlan]) => vlan.name === name && !ids.includes(id))?.[0];
}

function change(context: CommandContext, patch: VlanDraft): void {
  const { mode } = context.state;
  if (mode.kind !== 'vlan') return;
  if (mode.ids.some((id) => id === 1 || (id >= 1002 && id <= 1005))) {
    context.reject(`Default VLAN ${mode.ids[0]} may not have its name or state changed.`);
    return;
  }
  Object.assign(mode.draft, patch);
}

/** Commands of config-vlan. */
export const vlanRules: readonly Rule<CommandContext>[] = [
  {
    pattern: 'name <word>',
    run: (c, [name = '']) => {
      if (name.length > 32) c.reject('Command rejected: Bad VLAN name - longer than 32 characters.');
      else change(c, { name });
    },
  },
  {
    pattern: 'no name',
    ignoreRest: true,
    run: (c) => {
      const { mode } = c.state;
      if (mode.kind === 'vlan') change(c, { name: `VLAN${String(mode.ids[0]).padStart(4, '0')}` });
    },
  },
  { pattern: 'state active', run: (c) => change(c, { state: 'active' }) },
  { pattern: 'state suspend', run: (c) => change(c, { state: 'suspend' }) },
  { pattern: 'no state', ignoreRest: true, run: (c) => change(c, { state: 'active' }) },
  { pattern: 'shutdown', run: (c) => change(c, { shutdown: true }) },
  { pattern: 'no shutdown', run: (c) => change(c, { shutdown: false }) },
  { pattern: 'exit', run: commitVlans },
];
