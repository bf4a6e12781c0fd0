import type { CommandContext, SessionState, SimSystem } from './command-context.ts';
import { type Grammar, tokenize } from './grammar.ts';

/** The grammar of the mode a session is in. */
function grammarOf(system: SimSystem, state: SessionState): Grammar<CommandContext> {
  const { kind } = state.mode;
  return kind === 'exec' ? system.grammars.exec(state.privilege) : system.grammars[kind];
}

/** What may come next, given the finished words and the one being typed. */
function nextWords(system: SimSystem, state: SessionState, text: string): { words: string[]; partial: string } {
  const tokens = tokenize(text);
  const partial = /\S$/.test(text) ? (tokens.pop()?.text ?? '') : '';
  return { words: grammarOf(system, state).next(tokens, partial) ?? [], partial };
}

/** The answer to `?`. */
export function helpLines(system: SimSystem, state: SessionState, text: string): string[] {
  const { words } = nextWords(system, state, text);
  return words.length === 0 ? ['% Unrecognized command'] : words.map((word) => `  ${word}`);
}

/** The line with its last word completed (Tab); null when that is not possible. */
export function completed(system: SimSystem, state: SessionState, text: string): string | null {
  const { words, partial } = nextWords(system, state, text);
  const only = words[0];
  if (partial === '' || only === undefined || words.length > 1) return null;
  return `${text.slice(0, text.length - partial.length)}${only} `;
}
