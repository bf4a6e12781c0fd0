/**
 * What a terminal would show of a stream: BEL, NUL and most escape sequences are dropped; backspace, carriage return and
 * cursor movements within the line move the cursor, later characters overwrite, "erase in line" erases. Returns the lines,
 * the last one being where the cursor is, without blanks behind the cursor. Pure.
 */
export function renderTerminal(stream: string): string[] {
  const rows = stream.split('\n');
  return rows.map((row, i) => renderRow(row, i === rows.length - 1));
}

/** Control characters that need a look at each character. */
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/;
/**
 * CSI (1: parameters, 2: final byte) and OSC sequences, two-character escapes; also one that is cut off at the end. None
 * goes beyond its line, so that an unfinished one in a text from a host hides nothing that follows.
 */
const ESCAPE = /\x1b(?:\[([0-?]*)[ -/]*([@-~]|$)|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*(?:[0-Z\\^-~]|$))/y;
/** Columns beyond which no cursor movement leads. */
const MAX_COLUMN = 4096;

function renderRow(row: string, isLast: boolean): string {
  // Nearly every line ends in CR LF and has nothing else that needs care.
  const plain = isLast || !row.endsWith('\r') ? row : row.slice(0, -1);
  if (!CONTROL.test(plain)) return plain;
  const line: string[] = [];
  let cursor = 0;
  const eraseInLine = (how: string) => {
    if (how === '1' || how === '2') line.fill(' ', 0, Math.min(line.length, cursor + 1));
    if (how !== '1' && line.length > cursor) line.length = cursor;
  };
  for (let i = 0; i < row.length; i++) {
    const char = row[i] ?? '';
    if (char === '\r') cursor = 0;
    else if (char === '\b') cursor = Math.max(0, cursor - 1);
    else if (char === '\x1b') {
      ESCAPE.lastIndex = i;
      const sequence = ESCAPE.exec(row);
      if (!sequence) continue;
      i = ESCAPE.lastIndex - 1;
      const [, how = '', final] = sequence;
      const count = Math.max(1, Number.parseInt(how, 10) || 1);
      if (final === 'K' || final === 'J') eraseInLine(how);
      else if (final === 'D') cursor = Math.max(0, cursor - count);
      else if (final === 'C') cursor = Math.min(MAX_COLUMN, cursor + count);
      else if (final === 'G') cursor = Math.min(MAX_COLUMN, count - 1);
    } else if (char === '\t' || (char >= ' ' && char !== '\x7f')) {
      while (line.length < cursor) line.push(' ');
      line[cursor++] = char;
    }
  }
  const shown = line.join('');
  // What a pager blanked out behind the cursor is not there.
  return isLast ? shown.slice(0, cursor) + shown.slice(cursor).trimEnd() : shown;
}

/** Longest prompt that is looked for. */
export const MAX_PROMPT = 128;
/** Lines at the beginning in which the echo may start. */
export const MAX_ECHO_START = 8;

/**
 * Finds the echo of `command` at the beginning of the lines and returns what follows it; null: not there (yet). The echo
 * may be wrapped over several lines, stand behind a redrawn prompt, or come after a first try that a log message broke;
 * one that is drawn again, complete, behind a new prompt counts as the same.
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
    if (end !== null) return lines.slice(drawnAgain(lines, end, wanted, isPrompt));
    // Only a piece of the echo, a prompt, or nothing, may stand before it.
    if (!wanted.startsWith(squeeze(first)) && !isPrompt(first.trimEnd()) && !endsInPiece(first, wanted, isPrompt))
      return null;
  }
  return null;
}

/** True when `text`, as it stands before a log message, is a piece of the echo, perhaps behind a prompt. */
export function isPieceOfEcho(text: string, command: string, isPrompt: (text: string) => boolean): boolean {
  const wanted = squeeze(command);
  return wanted.includes(squeeze(text)) || isPrompt(text.trimEnd()) || endsInPiece(text, wanted, isPrompt);
}

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

/** A log message between echo and answer makes some switches draw prompt and line once more. */
function drawnAgain(
  lines: readonly string[],
  end: number,
  wanted: string,
  isPrompt: (text: string) => boolean,
): number {
  if (wanted === '') return end;
  let at = end;
  while (at < lines.length && (lines[at] ?? '').trim() === '') at++;
  return at < lines.length ? (behindPrompt(lines, at, wanted, isPrompt) ?? end) : end;
}

function endsInPiece(line: string, wanted: string, isPrompt: (text: string) => boolean): boolean {
  for (let at = 1; at < Math.min(line.length, MAX_PROMPT); at++) {
    if (isPrompt(line.slice(0, at)) && wanted.startsWith(squeeze(line.slice(at)))) return true;
  }
  return false;
}
