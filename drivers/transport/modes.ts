import type { CliDefinition, CliMode } from '../definition.ts';

const MAX_DEPTH = 16;

/** The modes from the outermost one to `target`. */
export function lineage({ modes }: CliDefinition, target: string): readonly CliMode[] {
  const found: CliMode[] = [];
  let mode = modes.find((m) => m.name === target);
  while (mode && found.length < MAX_DEPTH) {
    found.unshift(mode);
    const { from } = mode;
    mode = from === undefined ? undefined : modes.find((m) => m.name === from);
  }
  return found;
}

/** The next command on the way from one mode to another: into a mode, or out of the current one; null: there is no way. */
export function nextHop(
  definition: CliDefinition,
  from: string,
  to: string,
): { readonly command: string; readonly into: CliMode | null } | null {
  const goal = lineage(definition, to);
  const at = goal.findIndex((m) => m.name === from);
  if (at >= 0) {
    const below = goal[at + 1];
    return below?.enter === undefined ? null : { command: below.enter, into: below };
  }
  const leave = definition.modes.find((m) => m.name === from)?.leave;
  return leave === undefined ? null : { command: leave, into: null };
}
