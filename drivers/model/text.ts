/**
 * Makes text from a switch, host or publisher safe to keep and show: control characters (C0, C1, DEL), bidirectional
 * overrides, zero-width and other invisible format characters and lone surrogates become U+FFFD; length is bounded.
 */
export function sanitizeText(text: string, maxLength = 255): string {
  const bounded = text.length > maxLength * 2 ? text.slice(0, maxLength * 2) : text;
  const clean = bounded.toWellFormed().replace(UNSAFE, '\ufffd').trim();
  const points = Array.from(clean);
  return points.length <= maxLength ? clean : `${points.slice(0, maxLength - 1).join('')}…`;
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu;

/** Like {@link sanitizeText} for several lines: keeps line feeds, turns CR LF into LF and tabs into spaces. */
export function sanitizeLines(text: string, maxLength = 4096): string {
  return text
    .slice(0, maxLength)
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .split('\n')
    .map((line) => line.toWellFormed().replace(UNSAFE, '\ufffd'))
    .join('\n');
}
