/**
 * What a terminal would show of a stream: escape sequences, BEL and NUL are dropped, backspace and carriage return move
 * the cursor, later characters overwrite. Returns the lines, the last one being where the cursor is. Pure.
 */
export function renderTerminal(stream: string): string[] {
  const lines: string[] = [];
  let line: string[] = [];
  let cursor = 0;
  const text = stream.replace(ESCAPES, '');
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === '\n') {
      lines.push(line.join(''));
      line = [];
      cursor = 0;
    } else if (char === '\r') {
      cursor = 0;
    } else if (char === '\b') {
      cursor = Math.max(0, cursor - 1);
    } else if (char === '\t') {
      line[cursor++] = char;
    } else if (char >= ' ' && char !== '\x7f') {
      // A gap cannot come up: the cursor never goes beyond the end.
      line[cursor++] = char;
    }
  }
  // What a pager blanked out ends up as blanks.
  lines.push(line.join(''));
  return lines;
}

/** CSI and OSC sequences, two-character escapes; also one that is cut off at the end. */
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*(?:[0-Z\\^-~]|$))/g;

/**
 * Finds the echo of `command` at the beginning of the lines and returns what follows it; null: not there (yet). The echo
 * may be wrapped over several lines, stand behind a redrawn prompt, or come after a first try that a log message broke.
 */
export function afterEcho(
  lines: readonly string[],
  command: string,
  isPrompt: (text: string) => boolean,
): readonly string[] | null {
  const wanted = squeeze(command);
  for (let start = 0; start < Math.min(lines.length, MAX_ECHO_START); start++) {
    const first = lines[start] ?? '';
    const end = echoEnd(lines, start, first, wanted) ?? behindPrompt(lines, start, wanted, isPrompt);
    if (end !== null) return lines.slice(end);
    // Only a piece of the echo, or nothing, may stand before it.
    if (!wanted.startsWith(squeeze(first)) && !isPrompt(first.trimEnd()) && !endsInPiece(first, wanted, isPrompt))
      return null;
  }
  return null;
}

const MAX_ECHO_START = 8;

function squeeze(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Index of the line after the echo, when the echo starts with `first` at `start`. */
function echoEnd(lines: readonly string[], start: number, first: string, wanted: string): number | null {
  let seen = squeeze(first);
  for (let i = start; ; i++) {
    if (seen === wanted) return i + 1;
    if (!wanted.startsWith(seen) || i + 1 >= lines.length) return null;
    seen += squeeze(lines[i + 1] ?? '');
  }
}

function behindPrompt(
  lines: readonly string[],
  start: number,
  wanted: string,
  isPrompt: (text: string) => boolean,
): number | null {
  const line = lines[start] ?? '';
  for (let at = 1; at < Math.min(line.length, MAX_PROMPT); at++) {
    if (!isPrompt(line.slice(0, at))) continue;
    const end = echoEnd(lines, start, line.slice(at), wanted);
    if (end !== null) return end;
  }
  return null;
}

function endsInPiece(line: string, wanted: string, isPrompt: (text: string) => boolean): boolean {
  for (let at = 1; at < Math.min(line.length, MAX_PROMPT); at++) {
    if (isPrompt(line.slice(0, at)) && wanted.startsWith(squeeze(line.slice(at)))) return true;
  }
  return false;
}

/** Longest prompt that is looked for. */
export const MAX_PROMPT = 128;
