import type { CliDefinition } from '../definition.ts';
import { afterEcho, MAX_PROMPT, renderTerminal } from './terminal.ts';

/** What a shell's output looks like so far. */
export type Look =
  | {
      readonly kind: 'prompt';
      readonly mode: string;
      readonly prompt: string;
      readonly host: string | null;
      readonly lines: readonly string[];
      readonly echoed: boolean;
    }
  | { readonly kind: 'more' }
  | { readonly kind: 'confirm'; readonly answer: string }
  /** The last line may be a question that nobody knows; only silence tells. */
  | { readonly kind: 'question'; readonly text: string }
  /** A prompt stood there before log messages came; only silence tells. */
  | { readonly kind: 'covered'; readonly lines: readonly string[] }
  | { readonly kind: 'wait' };

/** IOS cuts the host name in the prompts of its configuration modes; this much is always there. */
const HOST_PREFIX = 16;
const QUESTION =
  /(?:[[(](?:y(?:es)?\/n(?:o)?|n(?:o)?\/y(?:es)?|confirm)[\])][:?]? ?|pass(?:word|code|phrase)[^:]{0,40}: ?|\?\s?)$/i;
/** Bytes at the end that are looked at for a prompt. */
const TAIL = 2048;

/** The mode whose prompt `text` is; null: none. `host`: the name learnt at login. */
export function matchPrompt(
  definition: CliDefinition,
  text: string,
  host: string | null,
): { mode: string; host: string | null } | null {
  if (text === '' || text.length > MAX_PROMPT) return null;
  for (const mode of definition.modes) {
    const match = mode.prompt.exec(text);
    if (!match) continue;
    const shown = match[1] ?? null;
    if (host !== null && shown !== null && !sameHost(host, shown)) continue;
    return { mode: mode.name, host: shown };
  }
  return null;
}

function sameHost(known: string, shown: string): boolean {
  return shown === known || (shown.length >= HOST_PREFIX ? known.startsWith(shown.slice(0, HOST_PREFIX)) : false);
}

/** Looks at everything that came since the last line was sent. `command` null: no echo is expected. Pure. */
export function look(definition: CliDefinition, stream: string, command: string | null, host: string | null): Look {
  const tail = renderTerminal(stream.slice(-TAIL));
  const last = tail.at(-1) ?? '';
  const candidate = matchPrompt(definition, last, host);
  if (candidate === null && !interesting(definition, last)) return covered(definition, stream, tail, host);
  if (definition.more?.test(last)) return { kind: 'more' };
  if (candidate === null) {
    const known = definition.confirmations?.find((c) => c.pattern.test(last));
    if (known) return { kind: 'confirm', answer: known.answer };
    return QUESTION.test(last) ? { kind: 'question', text: last } : { kind: 'wait' };
  }
  const all = withoutAsync(definition, renderTerminal(stream)).slice(0, -1);
  const body = command === null ? all : afterEcho(all, command, (text) => matchPrompt(definition, text, host) !== null);
  return {
    kind: 'prompt',
    mode: candidate.mode,
    prompt: last,
    host: candidate.host,
    lines: body ?? all,
    echoed: command === null || body !== null,
  };
}

function interesting(definition: CliDefinition, last: string): boolean {
  return (
    definition.more?.test(last) === true ||
    definition.confirmations?.some((c) => c.pattern.test(last)) === true ||
    QUESTION.test(last)
  );
}

/** A prompt that log messages were written behind, without being drawn again. */
function covered(definition: CliDefinition, stream: string, tail: readonly string[], host: string | null): Look {
  if (tail.length < 2 || tail.at(-1) !== '') return { kind: 'wait' };
  const lines = withoutAsync(definition, renderTerminal(stream));
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  const prompt = lines.at(-1) ?? '';
  return matchPrompt(definition, prompt, host) === null ? { kind: 'wait' } : { kind: 'covered', lines };
}

/** Takes out log messages, pager prompts and trailing blanks. */
function withoutAsync(definition: CliDefinition, lines: readonly string[]): string[] {
  const kept = lines.filter(
    (line) => !definition.async?.some((a) => a.test(line.trimEnd())) && !(definition.more?.test(line) ?? false),
  );
  return kept.map((line, i) => (i === kept.length - 1 ? line : line.trimEnd()));
}
