import type { CliDefinition } from '../definition.ts';
import { reportsFailure } from './judge.ts';
import { afterEcho, isPieceOfEcho, MAX_ECHO_START, MAX_PROMPT, renderTerminal } from './terminal.ts';
import { type StreamView, viewOf } from './transcript.ts';

/** What a shell's output looks like so far. */
export type Look =
  | {
      readonly kind: 'prompt';
      readonly mode: string;
      readonly prompt: string;
      readonly host: string | null;
      /** The answer; empty until the echo was seen. */
      readonly lines: readonly string[];
      /** The echo of the command was seen. A prompt before that belongs to something else. */
      readonly echoed: boolean;
      /** A log message came, and nothing else: the prompt may have been drawn again before the line was executed. */
      readonly doubtful: boolean;
    }
  | { readonly kind: 'more' }
  | { readonly kind: 'confirm'; readonly answer: string }
  /** The last line may be a question that nobody knows; only silence tells. */
  | { readonly kind: 'question'; readonly text: string }
  /** A prompt stood there before log messages came; only silence tells. */
  | { readonly kind: 'covered' }
  | { readonly kind: 'wait' };

/** IOS cuts the host name in the prompts of its configuration modes; this much is always there. */
const HOST_PREFIX = 16;
const QUESTION =
  /(?:[[(](?:y(?:es)?\/n(?:o)?|n(?:o)?\/y(?:es)?|confirm)[\])][:?]? ?|pass(?:word|code|phrase)[^:]{0,40}: ?|\?\s?)$/i;
/** Longest log message that is looked for behind a prompt or a piece of the echo. */
const MAX_ASYNC = 1024;

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

/**
 * Looks at everything that came since the last line was sent. `command` null: no echo is expected. `host`: the name learnt
 * at login. Pure; what it says of a complete answer does not depend on how the answer came in.
 */
export function look(
  definition: CliDefinition,
  stream: StreamView | string,
  command: string | null,
  host: string | null,
): Look {
  const view = typeof stream === 'string' ? viewOf(stream) : stream;
  const tail = renderTerminal(view.tail);
  const last = tail.at(-1) ?? '';
  if (definition.more?.test(last)) return { kind: 'more' };
  const candidate = matchPrompt(definition, last, host);
  if (candidate === null) {
    const known = definition.confirmations?.find((c) => c.pattern.test(last));
    if (known) return { kind: 'confirm', answer: known.answer };
    if (QUESTION.test(last)) return { kind: 'question', text: last };
    return { kind: isCovered(definition, tail, host) ? 'covered' : 'wait' };
  }
  const isPrompt = (text: string) => matchPrompt(definition, text, host) !== null;
  const found = { kind: 'prompt', mode: candidate.mode, prompt: last, host: candidate.host } as const;
  const answerIn = (text: string) => {
    const seen = withoutAsync(definition, renderTerminal(text), command ?? '', isPrompt);
    return { ...seen, body: command === null ? seen.lines : afterEcho(seen.lines, command, isPrompt) };
  };
  // The whole is gone through only when its beginning shows that this is the answer.
  if (view.length > view.head.length && answerIn(view.head).body === null)
    return { ...found, lines: [], echoed: false, doubtful: false };
  const { body, removed } = answerIn(view.all());
  if (body === null) return { ...found, lines: [], echoed: false, doubtful: false };
  const lines = withoutPrompts(body.slice(0, -1), isPrompt);
  return { ...found, lines, echoed: true, doubtful: command !== null && removed && lines.length === 0 };
}

/**
 * True when what came after a prompt is nothing but log messages and prompts drawn again. Anything else means that the
 * prompt was none, and the answer before it was cut short. The last line may still be on its way and is not judged.
 */
export function isIdleNoise(definition: CliDefinition, stream: string, host: string | null): boolean {
  const isPrompt = (text: string) => matchPrompt(definition, text, host) !== null;
  const { lines } = withoutAsync(definition, renderTerminal(stream), '', isPrompt);
  return lines.slice(0, -1).every((line) => line.trim() === '' || isPrompt(line.trimEnd()));
}

/** A prompt that log messages were written behind, without being drawn again. */
function isCovered(definition: CliDefinition, tail: readonly string[], host: string | null): boolean {
  const isPrompt = (text: string) => matchPrompt(definition, text, host) !== null;
  for (let i = tail.length - 1; i >= 0; i--) {
    const line = (tail[i] ?? '').trimEnd();
    const at = asyncAt(definition, line);
    if (at === 0 || line === '') continue;
    // A prompt alone on the last line is none that is covered.
    return (at !== null || i < tail.length - 1) && isPrompt(at === null ? line : line.slice(0, at).trimEnd());
  }
  return false;
}

/** Where a log message starts in the line; null: nowhere. */
function asyncAt(definition: CliDefinition, line: string): number | null {
  if (!definition.async || line.length > MAX_ASYNC) return null;
  for (let at = 0; at < Math.min(line.length, MAX_PROMPT * 4); at++) {
    const rest = line.slice(at);
    if (isAsync(definition, rest)) return at;
  }
  return null;
}

/** A log message that reports a failure is no noise: it may be the only sign that the command was refused. */
function isAsync(definition: CliDefinition, line: string): boolean {
  return definition.async?.some((a) => a.test(line)) === true && !reportsFailure(definition, line);
}

/** Takes out log messages, also behind a piece of the echo, pager prompts, and blanks at the ends of lines. */
function withoutAsync(
  definition: CliDefinition,
  lines: readonly string[],
  command: string,
  isPrompt: (text: string) => boolean,
): { lines: string[]; removed: boolean } {
  const kept: string[] = [];
  let removed = false;
  for (const [i, raw] of lines.entries()) {
    if (definition.more?.test(raw)) continue;
    const line = i === lines.length - 1 ? raw : raw.trimEnd();
    const whole = line.trimEnd();
    if (isAsync(definition, whole)) {
      removed = true;
      continue;
    }
    // Inside an answer a line is taken as it stands; only echo and prompt can be interrupted.
    const mayBeCut = kept.length < 2 * MAX_ECHO_START || i >= lines.length - MAX_ECHO_START;
    const at = mayBeCut ? asyncAt(definition, whole) : null;
    if (at !== null && isPieceOfEcho(line.slice(0, at), command, isPrompt)) {
      removed = true;
      kept.push(line.slice(0, at).trimEnd());
    } else kept.push(line);
  }
  return { lines: kept, removed };
}

/** Blank lines and prompts at the end: a prompt that was covered by a log message and drawn again. */
function withoutPrompts(lines: readonly string[], isPrompt: (text: string) => boolean): readonly string[] {
  let end = lines.length;
  while (end > 0 && ((lines[end - 1] ?? '').trim() === '' || isPrompt((lines[end - 1] ?? '').trimEnd()))) end--;
  return lines.slice(0, end);
}
