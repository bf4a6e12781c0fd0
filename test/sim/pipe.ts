import type { CommandContext } from './command-context.ts';

/** Filters what a show command printed: `| include`, `exclude`, `begin`, `section`, `count` and a regular expression. */
export function applyPipe(context: CommandContext, filter: string): void {
  const match = /^([a-z]+)\s+(.+)$/i.exec(filter.trim());
  const kinds = ['include', 'exclude', 'begin', 'section', 'count'].filter((k) =>
    k.startsWith(match?.[1]?.toLowerCase() ?? '-'),
  );
  const kind = kinds[0];
  const pattern = kind === undefined ? null : compile(match?.[2] ?? '');
  if (kind === undefined || pattern === null) {
    context.out.length = 0;
    context.reject('% Incomplete command.', '');
    return;
  }
  const lines = context.out.splice(0);
  if (kind === 'count') {
    context.print(`Number of lines which match regexp = ${lines.filter((l) => pattern.test(l)).length}`);
  } else context.print(...filterLines(lines, kind, pattern));
}

function compile(text: string): RegExp | null {
  try {
    return new RegExp(text.slice(0, 200));
  } catch {
    return null;
  }
}

function filterLines(lines: readonly string[], kind: string, pattern: RegExp): readonly string[] {
  if (kind === 'include') return lines.filter((l) => pattern.test(l));
  if (kind === 'exclude') return lines.filter((l) => !pattern.test(l));
  if (kind === 'begin') {
    const from = lines.findIndex((l) => pattern.test(l));
    return from < 0 ? [] : lines.slice(from);
  }
  let inside = false;
  return lines.filter((l) => {
    if (!l.startsWith(' ')) inside = pattern.test(l);
    return inside;
  });
}
