import type { CommandContext } from './command-context.ts';
import type { Grammar, Parsed, Token } from './grammar.ts';
import { tokenize } from './grammar.ts';
import { applyPipe } from './pipe.ts';
import { promptOf } from './prompt.ts';
import { commitVlans } from './vlan-rules.ts';

type Result = Parsed<CommandContext>;

/**
 * Executes one line in the session's mode. A line that the submode does not know is tried as a global command, which
 * leaves the submode; a line that is refused leaves everything as it was.
 */
export function runCommand(context: CommandContext, text: string): void {
  const { state } = context;
  const { command, filter } = splitPipe(text);
  const tokens = tokenize(command);
  const first = tokens[0];
  if (!first || first.text.startsWith('!')) return;
  if (state.mode.kind === 'exec' || first.text.toLowerCase() === 'do') {
    const start = state.mode.kind === 'exec' ? 0 : 1;
    const result: Result = tokens.length === start ? { kind: 'incomplete' } : execGrammar(context).parse(tokens, start);
    settle(context, result, text, tokens, start);
    if (filter !== null && result.kind === 'run') applyPipe(context, filter);
    return;
  }
  runConfig(context, text, tokens);
}

function execGrammar(context: CommandContext): Grammar<CommandContext> {
  return context.system.grammars.exec(context.state.privilege);
}

function runConfig(context: CommandContext, text: string, tokens: readonly Token[]): void {
  const { state, system } = context;
  const global = system.grammars.config;
  if (state.mode.kind === 'config') {
    settle(context, global.parse(tokens), text, tokens, 0);
    return;
  }
  const inSubmode = (state.mode.kind === 'vlan' ? system.grammars.vlan : system.grammars.interface).parse(tokens);
  if (inSubmode.kind !== 'invalid') {
    settle(context, inSubmode, text, tokens, 0);
    return;
  }
  const outside = global.parse(tokens);
  if (outside.kind === 'invalid') {
    const column = Math.max(inSubmode.column, outside.column);
    settle(context, { kind: 'invalid', column }, text, tokens, 0);
    return;
  }
  const before = state.mode;
  if (outside.kind === 'run' && before.kind === 'vlan') commitVlans(context);
  settle(context, outside, text, tokens, 0);
  if (outside.kind === 'run' && !context.rejected && state.mode === before) state.mode = { kind: 'config' };
}

function settle(context: CommandContext, result: Result, text: string, tokens: readonly Token[], start: number): void {
  if (result.kind === 'run') {
    result.run(context, result.args);
    return;
  }
  context.rejected = true;
  if (result.kind === 'incomplete') {
    context.print('% Incomplete command.', '');
    return;
  }
  if (result.kind === 'ambiguous') {
    context.print(`% Ambiguous command:  "${text.trim()}"`, '');
    return;
  }
  const single = tokens.length === start + 1 && start === 0 && context.state.mode.kind === 'exec';
  if (single && result.column <= (tokens[0]?.text.length ?? 0)) {
    context.print('% Unknown command or computer name, or unable to find computer address', '');
    return;
  }
  const prompt = promptOf(context.model.hostname, context.state);
  context.print(`${' '.repeat(prompt.length + result.column)}^`, "% Invalid input detected at '^' marker.", '');
}

/** Splits "show x | include y" at the bar; other commands take the bar as text. */
function splitPipe(text: string): { readonly command: string; readonly filter: string | null } {
  const match = /^(\s*(?:do\s+)?sh\S*\s[^|]*?)\s*\|\s*(.*)$/i.exec(text);
  return match ? { command: match[1] ?? '', filter: match[2] ?? '' } : { command: text, filter: null };
}
