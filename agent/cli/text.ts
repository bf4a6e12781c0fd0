/**
 * Text for a terminal. Whatever the agent says may hold words of switches and hosts, so everything that is shown passes
 * {@link printable} here as well, although the agent has cleaned it once.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;
const STACKED_MARKS = /(\p{M}{2})\p{M}+/gu;

/** Shows control, invisible and reordering characters as escapes (`\x1b`, `\u{202e}`), so that none reaches the terminal. */
export function printable(text: string): string {
  return text.replace(UNSAFE, escapeCharacter).replace(STACKED_MARKS, '$1');
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Like JSON.stringify with two blanks, and unsafe characters as \u escapes: the same value, safe to look at. */
export function printableJson(value: unknown, indent = 2): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replace(UNSAFE, (character) =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, i) => unicodeEscape(character, i)).join(''),
  );
}

function unicodeEscape(text: string, index: number): string {
  return `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`;
}

/** Blocks that terminals draw two cells wide (Unicode UAX #11, Wide and Fullwidth), besides emoji. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const ZERO_WIDTH = /\p{Mn}|\p{Me}/u;
const ASCII = /^[\x20-\x7e]*$/;

/** Cells that the text takes on a terminal. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** At most `width` cells; what is cut off is marked with "…". */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    const cells = characterWidth(character);
    if (used + cells > width - 1) break;
    kept += character;
    used += cells;
  }
  return width < 1 ? '' : `${kept}…`;
}

/** Breaks text at blanks into lines of at most `maxWidth` cells (2 and more); a longer word is broken too. */
export function wrap(text: string, maxWidth: number): string[] {
  const width = Math.max(2, maxWidth);
  const lines: string[] = [];
  let line = '';
  for (let word of text.split(' ')) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) <= width) {
      line += ` ${word}`;
      continue;
    }
    if (line !== '') lines.push(line);
    while (textWidth(word) > width) {
      let head = '';
      for (const character of word) {
        if (head !== '' && textWidth(head + character) > width) break;
        head += character;
      }
      lines.push(head);
      word = word.slice(head.length);
    }
    line = word;
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}

/** A length of time for a person: "4 s", "3 min", "2 h", "5 d". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7200) return `${Math.floor(whole / 60)} min`;
  return whole < 172_800 ? `${Math.floor(whole / 3600)} h` : `${Math.floor(whole / 86_400)} d`;
}

/** How long ago `then` was, both RFC 3339; "" when either is missing or not a time. */
export function since(then: string | null, now: string): string {
  const seconds = then === null ? Number.NaN : (Date.parse(now) - Date.parse(then)) / 1000;
  return Number.isNaN(seconds) ? '' : duration(seconds);
}

/** "2026-03-04 12:34:56Z" from RFC 3339; other text as it is. */
export function shortTime(time: string): string {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/.exec(time);
  return match ? `${match[1]} ${match[2]}Z` : time;
}

/** "1 port", "2 ports". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
