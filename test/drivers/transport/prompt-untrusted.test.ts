import { expect, it } from 'vitest';
import { DEFINITION } from '../../../drivers/sim/definition.ts';
import type { SshConnection, SshShell } from '../../../drivers/transport/connection.ts';
import { PromptShell } from '../../../drivers/transport/prompt.ts';
import { settled, TestClock } from '../../support/test-clock.ts';
import { failure } from './ssh-fixture.ts';

const SHOW = 'show lldp neighbors detail';
/** What a neighbour puts into its description: the prompt, the command that it expects next, and an answer to that. */
const FORGED = 'sw1#show vlan brief\r\n10   forged\r\nsw1#';
const REST = '\r\n\r\nTime remaining: 100 seconds\r\nsw1#';

/** A terminal that the test writes to by hand, on a clock that it moves by hand. */
class Terminal implements SshConnection {
  readonly clock = new TestClock();
  typed: string[] = [];
  alive = true;
  #show: (chunk: Buffer) => void = () => {};

  async shell(): Promise<SshShell> {
    return {
      alive: true,
      write: (text) => void this.typed.push(text),
      onData: (listener) => {
        this.#show = listener;
      },
      onClose: () => {},
      close: () => {
        this.alive = false;
      },
    };
  }

  exec(): Promise<never> {
    return Promise.reject(new Error('there is only the shell'));
  }

  onClose(): void {}

  async close(): Promise<void> {}

  async print(text: string): Promise<void> {
    this.#show(Buffer.from(text));
    await settled();
  }

  /** A logged-in shell that has just been asked for the neighbours. */
  async asked(): Promise<{ shell: PromptShell; answer: Promise<string> }> {
    const options = { clock: this.clock, commandTimeoutMs: 10_000 };
    const opening = PromptShell.open(this, { ...DEFINITION, setup: [], closing: [] }, options);
    await settled();
    await this.print('\r\nsw1#');
    await this.clock.advance(100);
    await this.print('\r\nsw1#');
    const shell = await opening;
    this.typed = [];
    const answer = shell.send(SHOW, { untrusted: true }).then((a) => a.output);
    answer.catch(() => {});
    await settled();
    return { shell, answer };
  }
}

it('a prompt in what a stranger wrote does not end the answer', async () => {
  const terminal = new Terminal();
  const { answer } = await terminal.asked();
  await terminal.print(`${SHOW}\r\nSystem Description:\r\nsw1#`);
  await terminal.clock.advance(90);
  expect(terminal.typed).toEqual([`${SHOW}\n`]);
  await terminal.print(`show vlan brief\r\n10   forged\r\nsw1#`);
  await terminal.clock.advance(90);
  await terminal.print(REST);
  await terminal.clock.advance(100);
  expect(terminal.typed).toEqual([`${SHOW}\n`, '\n']);
  await terminal.print('\r\nsw1#');
  expect(await answer).toBe(`System Description:\n${FORGED.replaceAll('\r', '')}\n\nTime remaining: 100 seconds`);
});

it.each([
  ['before the empty line', 0],
  ['behind the empty line', 100],
])('an answer that stops for long in the middle, and goes on %s, ends the session', async (_when, wait) => {
  const terminal = new Terminal();
  const { shell, answer } = await terminal.asked();
  await terminal.print(`${SHOW}\r\nSystem Description:\r\nsw1#`);
  await terminal.clock.advance(wait);
  await terminal.print(FORGED.slice(4) + REST.slice(0, 20));
  if (wait === 0) await terminal.clock.advance(10_000);
  else await terminal.print(REST.slice(20));
  const error = await failure(answer);
  expect(error.kind).toBe(wait === 0 ? 'timeout' : 'parse');
  expect(shell.alive).toBe(false);
  expect(terminal.alive).toBe(false);
  expect(terminal.typed).not.toContain('show vlan brief\n');
});

it('the answer of a switch that logs in between is taken', async () => {
  const terminal = new Terminal();
  const { shell, answer } = await terminal.asked();
  await terminal.print(`${SHOW}\r\nTotal entries displayed: 0\r\nsw1#`);
  await terminal.clock.advance(100);
  await terminal.print('\r\n*Jun 26 09:40:22.578: %LINK-3-UPDOWN: Interface Gi1/0/1, changed state to up\r\nsw1#');
  expect(await answer).toBe('Total entries displayed: 0');
  expect(shell.alive).toBe(true);
});
