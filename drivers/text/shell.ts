import { DriverError } from '../errors.ts';
import { sanitizeText } from '../model/text.ts';

/** What one section of a script printed. */
export interface Section {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code of the section's command; null when the script did not get to its end. */
  readonly code: number | null;
}

const INERT_WORD = /^[A-Za-z0-9_][A-Za-z0-9_.,:=/+-]*$/;

/**
 * One word for a POSIX shell: as it is when no character in it means anything to a shell, else in single quotes.
 * Throws a TypeError on NUL and line ends, which no value of ours may contain.
 */
export function shellWord(text: string): string {
  if (INERT_WORD.test(text)) return text;
  if (/[\0\r\n]/.test(text)) throw new TypeError('a shell word may not contain NUL or line ends');
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A script for `sh -s`. The body is one function that is called in the last line: when the connection is cut while
 * the script is being sent, the shell meets the end of input inside the function and runs nothing of it, so that no
 * half of a command ever runs. Commands read from /dev/null, never from the script.
 *
 * `nonce` marks the sections; it must be hard to guess, so that no output can pretend to be a marker.
 */
export function sectionedScript(nonce: string, body: readonly string[]): string {
  return [
    'portkeeper() {',
    // Non-interactive logins often lack the sbin folders, where ip and lldpcli live.
    'PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"; LC_ALL=C; export PATH LC_ALL',
    `begin() { printf '\\n${nonce}+%s\\n' "$1"; printf '\\n${nonce}+%s\\n' "$1" >&2; }`,
    `end() { printf '\\n${nonce}=%s\\n' "$1"; }`,
    ...body,
    'begin end; end 0',
    '}',
    'portkeeper </dev/null',
    '',
  ].join('\n');
}

/** Shell lines that run one command as a section; afterwards `$r` holds its exit code. */
export function section(name: string, command: string): string {
  return `begin ${name}; ${command}; r=$?; end $r`;
}

/**
 * Takes the output of a {@link sectionedScript} apart. Throws {@link DriverError} `parse` when the script did not run to
 * its end (also when a login shell that is no shell answered instead).
 */
export function splitSections(nonce: string, stdout: string, stderr: string): ReadonlyMap<string, Section> {
  const errors = new Map(chunks(nonce, stderr).map(({ name, text }) => [name, text]));
  const sections = new Map<string, Section>();
  for (const { name, text } of chunks(nonce, stdout)) {
    const mark = text.lastIndexOf(`\n${nonce}=`);
    const code = mark < 0 ? null : Number.parseInt(text.slice(mark + nonce.length + 2), 10);
    sections.set(name, {
      stdout: mark < 0 ? text : text.slice(0, mark),
      stderr: errors.get(name) ?? '',
      code: Number.isNaN(code) ? null : code,
    });
  }
  if (sections.get('end')?.code !== 0) {
    const said = sanitizeText(`${stderr} ${stdout}`, 200);
    throw new DriverError('parse', `the commands sent did not run to their end; the switch said: "${said}"`, {
      answer: said,
    });
  }
  return sections;
}

function chunks(nonce: string, text: string): { name: string; text: string }[] {
  return `\n${text}`
    .split(`\n${nonce}+`)
    .slice(1)
    .map((chunk) => {
      const line = chunk.indexOf('\n');
      return line < 0 ? { name: chunk, text: '' } : { name: chunk.slice(0, line), text: chunk.slice(line + 1) };
    });
}
