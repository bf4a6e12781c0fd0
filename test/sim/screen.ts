import { type EditEvent, LineEditor } from './line-editor.ts';

/** What a session shows: collects output, writes it in one piece, and keeps the input line at the end of it. */
export class Screen {
  readonly #write: (bytes: Buffer) => void;
  readonly #editor: LineEditor;
  #pending: Buffer[] = [];

  constructor(write: (bytes: Buffer) => void, lineLimit?: number) {
    this.#write = write;
    this.#editor = new LineEditor((latin1) => this.#pending.push(Buffer.from(latin1, 'latin1')));
    if (lineLimit !== undefined) this.#editor.limit = lineLimit;
  }

  /** What is typed so far, as latin1. */
  get typed(): string {
    return this.#editor.text;
  }

  /** Takes a key for the input line. */
  key(code: number): EditEvent | null {
    return this.#editor.key(code);
  }

  print(text: string): void {
    this.#pending.push(Buffer.from(text, 'utf8'));
  }

  printLines(lines: readonly string[]): void {
    if (lines.length > 0) this.print(`${lines.join('\r\n')}\r\n`);
  }

  /** Prints a prompt and starts a new input line behind it. */
  prompt(text: string, width: number, echo = true): void {
    this.#editor.width = width;
    this.print(text);
    // IOS counts columns from the beginning of the line on which the prompt stands.
    this.#editor.start(text.slice(text.lastIndexOf('\n') + 1), echo);
  }

  /** Prints lines in the middle of typing and draws the input line again, changed when `line` is given. */
  interject(lines: readonly string[], line?: string): void {
    this.printLines(lines);
    if (line === undefined) this.#editor.redraw();
    else this.#editor.replace(line);
  }

  /** Prints at most so many bytes of a text. */
  printPart(text: string, bytes: number): void {
    this.#pending.push(Buffer.from(text, 'utf8').subarray(0, bytes));
  }

  /** Sends what was printed. */
  flush(): void {
    if (this.#pending.length === 0) return;
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#write(bytes);
  }
}
