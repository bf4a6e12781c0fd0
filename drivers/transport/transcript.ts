/** What is looked at of a stream without going through all of it. */
export interface StreamView {
  /** The first characters; the echo stands here. */
  readonly head: string;
  /** The last characters; the prompt stands here. */
  readonly tail: string;
  readonly length: number;
  all(): string;
}

const HEAD = 8192;
const TAIL = 2048;

export function viewOf(stream: string): StreamView {
  return { head: stream.slice(0, HEAD), tail: stream.slice(-TAIL), length: stream.length, all: () => stream };
}

/**
 * A stream that grows. Appending and looking at both ends cost the same however long it is: output that comes in
 * thousands of small packets must not take time by the square of its length.
 */
export class Transcript implements StreamView {
  #parts: string[] = [];
  #head = '';
  #tail = '';
  #length = 0;

  get head(): string {
    return this.#head;
  }

  get tail(): string {
    return this.#tail;
  }

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    if (text === '') return;
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#head.length < HEAD) this.#head = (this.#head + text).slice(0, HEAD);
    this.#tail = (this.#tail + text).slice(-TAIL);
  }

  /** Forgets everything before `from`. */
  dropBefore(from: number): void {
    const rest = this.all().slice(from);
    this.#parts = [];
    this.#head = '';
    this.#tail = '';
    this.#length = 0;
    this.append(rest);
  }

  clear(): void {
    this.dropBefore(this.#length);
  }

  all(): string {
    if (this.#parts.length > 1) this.#parts = [this.#parts.join('')];
    return this.#parts[0] ?? '';
  }
}
