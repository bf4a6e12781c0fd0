import type { Duplex, Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { sanitizeText } from '../model/text.ts';
import type { ExecResult, SshShell } from './connection.ts';

/** What is used of the library's channel. */
export interface Channel extends Duplex {
  readonly stderr: Readable;
  close(): void;
}

/** Collects what a command writes until its channel closes. `tooMuch` is called when that is more than `limit` bytes. */
export function collectOutput(
  channel: Channel,
  limit: number,
  done: (result: ExecResult) => void,
  tooMuch: () => void,
): void {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let bytes = 0;
  let exit: { code: number | null; signal: string | null } = { code: null, signal: null };
  const collect = (into: Buffer[]) => (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= limit) into.push(chunk);
    else tooMuch();
  };
  channel.on('data', collect(stdout));
  channel.stderr.on('data', collect(stderr));
  channel.on('exit', (code: number | null, signal?: string) => {
    exit = { code, signal: signal === undefined ? null : sanitizeText(signal, 20) };
  });
  channel.on('close', () => done({ stdout: text(stdout), stderr: text(stderr), ...exit }));
}

export function shellOf(channel: Channel): SshShell {
  let alive = true;
  const closed: (() => void)[] = [];
  channel.on('close', () => {
    alive = false;
    for (const listener of closed.splice(0)) listener();
  });
  channel.stderr.on('data', () => {});
  return {
    get alive() {
      return alive;
    },
    write: (line) => {
      if (alive) channel.write(line);
    },
    onData: (listener) => {
      channel.on('data', listener);
    },
    onClose: (listener) => {
      if (alive) closed.push(listener);
      else listener();
    },
    close: () => channel.close(),
  };
}

/** Bytes that are not UTF-8 become U+FFFD. */
function text(chunks: readonly Buffer[]): string {
  const decoder = new StringDecoder('utf8');
  return chunks.map((c) => decoder.write(c)).join('') + decoder.end();
}
