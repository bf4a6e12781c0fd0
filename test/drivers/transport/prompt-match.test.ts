import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CliDefinition } from '../../../drivers/definition.ts';
import { DEFINITION } from '../../../drivers/sim/definition.ts';
import { isIdleNoise, look, matchPrompt } from '../../../drivers/transport/prompt-match.ts';

const LOG = '*Jun 26 09:40:22.578: %LINK-3-UPDOWN: Interface Gi1/0/1, changed state to up';
const FAILED = '*Jun 26 09:40:22.578: %SW_VLAN-4-VLAN_CREATE_FAIL: Failed to create VLANs 1006: not available';
const COMMAND = 'switchport access vlan 10';
const CONFIG = 'sw1(config-if)#';
const asking: CliDefinition = { ...DEFINITION, confirmations: [{ pattern: /\[confirm\]\s*$/, answer: '' }] };

const see = (stream: string, command: string | null = COMMAND, host: string | null = 'sw1') =>
  look(asking, stream, command, host);

describe('matchPrompt', () => {
  const long = 'rack-12-unit-40-access-switch-of-hall-07';
  it('takes a host name that config mode cuts to 16 to 20 characters, and no other', () => {
    for (let cut = 16; cut <= 20; cut++)
      expect(matchPrompt(DEFINITION, `${long.slice(0, cut)}(config-if)#`, long)?.mode, `cut at ${cut}`).toBe(
        'config-if',
      );
    expect(matchPrompt(DEFINITION, `${long}#`, long)?.mode).toBe('enable');
    expect(matchPrompt(DEFINITION, `${long.slice(0, 15)}(config-if)#`, long)).toBeNull();
    expect(matchPrompt(DEFINITION, 'rack-12-unit-41-access(config)#', long)).toBeNull();
    expect(matchPrompt(DEFINITION, 'sw2#', 'sw1')).toBeNull();
    expect(matchPrompt(DEFINITION, 'sw11#', 'sw1')).toBeNull();
  });

  it.each(['', '#', 'Welcome to sw1#', '### sw1 ###', 'sw1 (config)#', `${'x'.repeat(200)}#`, 'sw1(tcl)#'])(
    'refuses %j',
    (text) => {
      expect(matchPrompt(DEFINITION, text, null)).toBeNull();
    },
  );
});

describe('look', () => {
  it.each<[string, string, string[]]>([
    ['a plain answer', `${COMMAND}\r\n% Invalid input\r\n${CONFIG}`, ['% Invalid input']],
    ['no answer', `${COMMAND}\r\n${CONFIG}`, []],
    ['a wrapped echo', `switchport acce\r\nss vlan 10\r\n${CONFIG}`, []],
    ['a log message before the echo', `\r\n${LOG}\r\n${CONFIG}${COMMAND}\r\nx\r\n${CONFIG}`, ['x']],
    ['a log message in the echo, drawn again', `switchp\r\n${LOG}\r\n${CONFIG}${COMMAND}\r\nx\r\n${CONFIG}`, ['x']],
    ['a log message in the echo, in the same line', `switchp${LOG}\r\n${CONFIG}${COMMAND}\r\nx\r\n${CONFIG}`, ['x']],
    ['a log message in the echo that goes on', `switchp\r\n${LOG}\r\nort access vlan 10\r\nx\r\n${CONFIG}`, ['x']],
    [
      'a log message after the echo, drawn again',
      `${COMMAND}\r\n${LOG}\r\n${CONFIG}${COMMAND}\r\nx\r\n${CONFIG}`,
      ['x'],
    ],
    ['a log message in the answer', `${COMMAND}\r\nx\r\n${LOG}\r\ny\r\n${CONFIG}`, ['x', 'y']],
    ['a prompt covered and drawn again', `${COMMAND}\r\nx\r\n${CONFIG}\r\n${LOG}\r\n${CONFIG}`, ['x']],
    ['a prompt covered in its own line', `${COMMAND}\r\nx\r\n${CONFIG}${LOG}\r\n${CONFIG}`, ['x']],
    ['a pager', `${COMMAND}\r\nx\r\n --More-- \n\b\b\b\b\b    \b\b\b\b\by\r\n${CONFIG}`, ['x', 'y']],
    ['bells and colours', `${COMMAND}\x07\r\n\x1b[1mx\x1b[0m\r\n\x1b[32m${CONFIG}\x1b[0m`, ['x']],
    ['a blank behind the prompt', `${COMMAND}\r\nx\r\n${CONFIG} `, ['x']],
    ['a foreign prompt in the answer', `${COMMAND}\r\nsw2#\r\n${CONFIG}`, ['sw2#']],
    ['a log message that reports a failure is kept', `${COMMAND}\r\n${FAILED}\r\n${CONFIG}`, [FAILED]],
  ])('%s', (_name, stream, lines) => {
    expect(see(stream)).toMatchObject({ kind: 'prompt', mode: 'config-if', echoed: true, lines });
  });

  it('doubts a prompt that is all there is besides a log message: the line may still have to be executed', () => {
    expect(see(`${COMMAND}\r\n${LOG}\r\n${CONFIG}`)).toMatchObject({ kind: 'prompt', echoed: true, doubtful: true });
    expect(see(`${COMMAND}\r\nx\r\n${LOG}\r\n${CONFIG}`)).toMatchObject({ doubtful: false });
  });

  it('takes no prompt for the answer before the echo was seen', () => {
    for (const stream of [
      CONFIG,
      `\r\n${LOG}\r\n${CONFIG}`,
      `switchp\r\n${LOG}\r\n${CONFIG}`,
      `old answer\r\n${CONFIG}`,
    ])
      expect(see(stream), stream).toMatchObject({ kind: 'prompt', echoed: false, lines: [] });
  });

  it.each<[string, string, string]>([
    ['a pager', 'x\r\n --More-- ', 'more'],
    ['a pager half there', 'x\r\n --More-', 'wait'],
    ['a known question', 'copy run start\r\nProceed? [confirm]', 'confirm'],
    ['an unknown question', 'Really do it? (y/n): ', 'question'],
    ['[yes/no]', 'Continue? [yes/no]: ', 'question'],
    ['a password', 'enable\r\nPassword: ', 'question'],
    ['nothing', '', 'wait'],
    ['half an answer', 'x\r\nVlan  Na', 'wait'],
    ['a banner', 'Welcome\r\n### authorised users only ###', 'wait'],
    ['a covered prompt', `x\r\n${CONFIG}\r\n${LOG}\r\n`, 'covered'],
    ['a prompt covered in its own line', `x\r\n${CONFIG}${LOG}\r\n`, 'covered'],
    ['a prompt covered by two messages', `x\r\n${CONFIG}\r\n${LOG}\r\n\r\n${LOG}\r\n`, 'covered'],
    ['an answer with a log message at its end', `x\r\ny\r\n${LOG}\r\n`, 'wait'],
  ])('sees %s', (_name, stream, kind) => {
    expect(see(stream).kind).toBe(kind);
  });

  it('finds the answer in a stream much longer than what it keeps at hand', () => {
    const body = Array.from({ length: 50_000 }, (_, i) => `line ${i} of an answer`);
    expect(see(`${COMMAND}\r\n${body.join('\r\n')}\r\n${CONFIG}`)).toMatchObject({ echoed: true, lines: body });
    expect(see(`stale\r\n${body.join('\r\n')}\r\n${CONFIG}`)).toMatchObject({ echoed: false, lines: [] });
  });
});

describe('isIdleNoise', () => {
  it.each([
    ['nothing', '', true],
    ['a log message and the prompt again', `\r\n${LOG}\r\n${CONFIG}`, true],
    ['a log message behind the prompt', `${LOG}\r\n`, true],
    ['a log message on its way', `\r\n*Jun 26 09:4`, true],
    ['more of an answer', `\r\n10   users   active\r\n${CONFIG}`, false],
    ['a log message that reports a failure', `\r\n${FAILED}\r\n${CONFIG}`, false],
  ])('%s', (_name, stream, expected) => {
    expect(isIdleNoise(DEFINITION, stream, 'sw1')).toBe(expected);
  });
});

describe('splitting', () => {
  const words = ['% Invalid input', 'x', '  indented', '', 'Gi1/0/1   connected  10', 'sw2#', 'a?b', '--- ---', 'ü'];
  const answers = fc.record({
    command: fc.constantFrom('exit', COMMAND, 'show vlan', 'interface GigabitEthernet1/0/12'),
    body: fc.array(fc.constantFrom(...words), { maxLength: 5 }),
    before: fc.constantFrom('', `\r\n${LOG}\r\n${CONFIG}`, `${LOG}\r\n`),
    brokenAt: fc.option(fc.nat(40)),
    middle: fc.constantFrom('', `${LOG}\r\n`, '\x1b[0m', '\x07', ' --More-- \r          \r'),
    wrap: fc.option(fc.integer({ min: 5, max: 80 })),
    end: fc.constantFrom(CONFIG, `\x1b[1m${CONFIG}\x1b[0m`, `${CONFIG} `),
  });
  const streamOf = (a: typeof answers extends fc.Arbitrary<infer T> ? T : never) => {
    const at = a.brokenAt === null ? null : Math.min(a.brokenAt, a.command.length);
    const broken = at === null ? '' : `${a.command.slice(0, at)}\r\n${LOG}\r\n${CONFIG}`;
    const echo = a.wrap === null ? a.command : a.command.replace(new RegExp(`(.{${a.wrap}})(?=.)`, 'g'), '$1\r\n');
    const half = Math.floor(a.body.length / 2);
    const lines = (some: string[]) => some.map((line) => `${line}\r\n`).join('');
    return `${a.before}${broken}${echo}\r\n${lines(a.body.slice(0, half))}${a.middle}${lines(a.body.slice(half))}${a.end}`;
  };

  it('never shows an answer early, at whatever character the stream is cut, and finds it at the end', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const stream = streamOf(answer);
        const final = look(DEFINITION, stream, answer.command, 'sw1');
        if (final.kind !== 'prompt') throw new Error(`no prompt: ${final.kind}`);
        expect(final.echoed).toBe(true);
        const shown = final.lines.filter((line) => line !== '');
        expect(shown).toEqual(answer.body.filter((line) => line !== '').map((line) => line.trimEnd()));
        for (let at = 0; at < stream.length; at++) {
          const early = look(DEFINITION, stream.slice(0, at), answer.command, 'sw1');
          if (early.kind === 'prompt' && early.echoed && !early.doubtful)
            expect(early.lines, `cut at ${at}`).toEqual(final.lines);
        }
      }),
      { numRuns: 300 },
    );
  });
});
