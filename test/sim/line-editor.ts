/** What a key did that the line editor cannot settle by itself. */
export type EditEvent =
  | { readonly kind: 'line'; readonly bytes: string }
  | { readonly kind: 'end-of-config'; readonly bytes: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'help' }
  | { readonly kind: 'complete' };

/** Longest input line; what comes after it is answered with BEL and dropped. */
export const LINE_LIMIT = 254;

const BEL = '\x07';

/**
 * The terminal side of one input line: echo, editing keys, the limit of the line buffer, and the way a long line
 * scrolls at the terminal's width (drawn again from "$"). Text is bytes as latin1.
 */
export class LineEditor {
  /** Columns; 0: no limit. */
  width = 80;
  /** Characters that a line may have; more are refused with BEL. */
  limit = LINE_LIMIT;
  #prompt = '';
  #echo = true;
  #line = '';
  /** How many characters of the line are scrolled out to the left. */
  #hidden = 0;
  #escape: 'none' | 'started' | 'sequence' = 'none';
  #literal = false;
  readonly #write: (latin1: string) => void;

  constructor(write: (latin1: string) => void) {
    this.#write = write;
  }

  get text(): string {
    return this.#line;
  }

  /** Starts a new input line after the prompt has been written. */
  start(prompt: string, echo: boolean): void {
    this.#prompt = prompt;
    this.#echo = echo;
    this.#line = '';
    this.#hidden = 0;
  }

  /** Replaces the input (Tab completion) and draws the line again. */
  replace(line: string): void {
    this.#line = line.slice(0, this.limit);
    this.redraw();
  }

  /** Draws prompt and input again on a new line. */
  redraw(): void {
    const room = this.width === 0 ? Number.POSITIVE_INFINITY : this.width - this.#prompt.length - 2;
    this.#hidden = Math.max(0, this.#line.length - room);
    const shown = this.#echo ? (this.#hidden > 0 ? '$' : '') + this.#line.slice(this.#hidden) : '';
    this.#write(`\r\n${this.#prompt}${shown}`);
  }

  /** Takes one byte. */
  key(code: number): EditEvent | null {
    if (this.#literal) {
      this.#literal = false;
      this.#insert(String.fromCharCode(code));
      return null;
    }
    if (this.#escape !== 'none') {
      this.#inEscape(code);
      return null;
    }
    if (code === 13 || code === 10) return this.#take('line', '\r\n');
    if (code === 26) return this.#take('end-of-config', '^Z\r\n');
    if (code === 63 && this.#echo) return { kind: 'help' };
    if (code === 9) return { kind: 'complete' };
    if (code === 3) {
      this.#write('\r\n');
      return { kind: 'interrupt' };
    }
    if (code >= 32 && code !== 127) this.#insert(String.fromCharCode(code));
    else this.#edit(code);
    return null;
  }

  #take(kind: 'line' | 'end-of-config', echo: string): EditEvent {
    this.#write(echo);
    const bytes = this.#line;
    this.#line = '';
    return { kind, bytes };
  }

  #inEscape(code: number): void {
    if (this.#escape === 'started' && code === 91) this.#escape = 'sequence';
    else if (this.#escape === 'started' || (code >= 64 && code <= 126)) this.#escape = 'none';
  }

  #edit(code: number): void {
    if (code === 27) this.#escape = 'started';
    else if (code === 22) this.#literal = true;
    else if (code === 8 || code === 127) this.#erase(1);
    else if (code === 21 || code === 24) this.#erase(this.#line.length);
    else if (code === 23) this.#erase(/\S*\s*$/.exec(this.#line)?.[0].length ?? 0);
    else if (code === 18 || code === 12) this.redraw();
  }

  #erase(count: number): void {
    const gone = Math.min(count, this.#line.length);
    this.#line = this.#line.slice(0, this.#line.length - gone);
    if (this.#echo) this.#write('\b \b'.repeat(gone));
  }

  #insert(character: string): void {
    if (this.#line.length >= this.limit) {
      this.#write(BEL);
      return;
    }
    this.#line += character;
    if (!this.#echo) return;
    const column = this.#prompt.length + (this.#hidden > 0 ? 1 : 0) + this.#line.length - this.#hidden;
    if (this.width === 0 || column < this.width) {
      this.#write(character);
      return;
    }
    this.#scroll();
  }

  /** The line has reached the margin: go back to the prompt and draw the tail of the line behind a "$". */
  #scroll(): void {
    const drawn = (this.#hidden > 0 ? 1 : 0) + this.#line.length - 1 - this.#hidden;
    const keep = Math.max(4, Math.floor((this.width - this.#prompt.length) / 3));
    this.#hidden = Math.max(1, this.#line.length - keep);
    const tail = `$${this.#line.slice(this.#hidden)}`;
    const rest = Math.max(0, drawn - tail.length);
    this.#write('\b'.repeat(drawn) + tail + ' '.repeat(rest) + '\b'.repeat(rest));
  }
}

/** Typed bytes as text; invalid UTF-8 becomes U+FFFD. */
export function fromBytes(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
