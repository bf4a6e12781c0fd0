import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterEcho, renderTerminal } from '../../../drivers/transport/terminal.ts';
import { Transcript, viewOf } from '../../../drivers/transport/transcript.ts';

describe('renderTerminal', () => {
  it.each([
    ['lines end in CR LF, LF, or CR CR LF', 'a\r\nb\nc\r\r\nd', ['a', 'b', 'c', 'd']],
    ['BEL, NUL and DEL show nothing', '\x07a\x00b\x7f', ['ab']],
    ['backspaces go back and later characters overwrite', 'abc\b\bX', ['aXc']],
    ['backspaces stop at the left margin', 'a\b\b\b\bX', ['X']],
    ['a carriage return goes to the margin', 'sw2#\rsw1#', ['sw1#']],
    ['a pager erased by backspaces', ' --More-- \b\b\b\b\b\b\b\b\b\b          \b\b\b\b\b\b\b\b\b\bsw1#', ['sw1#']],
    ['a pager erased by carriage returns', ' --More-- \r          \rsw1#', ['sw1#']],
    ['a pager erased by erase-in-line', '--More--\r\x1b[Ksw#', ['sw#']],
    ['erase-in-line without a return keeps what is left of the cursor', 'abcdef\b\b\b\x1b[K', ['abc']],
    ['a whole line erased', 'abcdef\x1b[2K\rx', ['x']],
    ['erasing to the left leaves blanks', 'abc\b\x1b[1K\r', ['']],
    ['moves within the line', 'abc\x1b[2DX\x1b[1CY\x1b[1GZ', ['ZXcY']],
    [
      'colours, modes, titles and character sets',
      '\x1b[?2004h\x1b]0;title\x07\x1b[01;32msw\x1b[0m\x1b(B\x1b=#',
      ['sw#'],
    ],
    ['a title ended by ESC backslash', '\x1b]0;title\x1b\\sw#', ['sw#']],
    ['a sequence cut off at the end', 'sw#\x1b[3', ['sw#']],
    ['an escape alone at the end', 'sw#\x1b', ['sw#']],
    ['a title that never ends hides its line only', 'a\x1b]0;evil\nsw1#', ['a', 'sw1#']],
    ['blanks at the end of a prompt stay as far as the cursor', 'sw1# ', ['sw1# ']],
    ['a huge move does not make a huge line', '\x1b[999999999Cx', [`${' '.repeat(4096)}x`]],
  ])('%s', (_name, stream, lines) => {
    expect(renderTerminal(stream)).toEqual(lines);
  });

  it('shows text without control characters as it is', () => {
    const line = fc.string({ unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (rows) => {
        expect(renderTerminal(rows.join('\r\n'))).toEqual(rows);
      }),
    );
  });

  it('never throws and never shows a control character, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.constantFrom('\x1b', '[', ']', '\r', '\b', '9', 'C', 'K', '\n', 'x')),
        (a, b) => {
          for (const line of renderTerminal(a + b.join(''))) expect(line).not.toMatch(/[\x00-\x08\x0a-\x1f\x7f]/);
        },
      ),
    );
  });

  it('takes time in proportion to the length of hostile streams', () => {
    for (const piece of ['\x1b]', '\x1b[', '\x1b[1', 'x\x1b[4096C\r', '\b']) {
      const lines = renderTerminal(piece.repeat(200_000 / piece.length));
      expect(lines).toHaveLength(1);
    }
  });
});

describe('afterEcho', () => {
  const isPrompt = (text: string) => /^sw1(\(config-if\))?#$/.test(text);
  const command = 'switchport trunk allowed vlan add 10,20-29,4000';

  it('finds an echo that is wrapped at any width', () => {
    for (let width = 1; width <= command.length; width++) {
      const rows = command.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
      expect(afterEcho([...rows, '% no', ''], command, isPrompt), `width ${width}`).toEqual(['% no', '']);
    }
  });

  it('finds an echo that was broken anywhere and drawn again, with the prompt or without', () => {
    for (let at = 0; at < command.length; at++) {
      const piece = command.slice(0, at);
      expect(afterEcho([piece, `sw1(config-if)#${command}`, 'x'], command, isPrompt), `broken at ${at}`).toEqual(['x']);
      expect(afterEcho([`sw1#${piece}`, '', `sw1#${command}`, 'x'], command, isPrompt), `prompt ${at}`).toEqual(['x']);
      expect(afterEcho([piece, command.slice(at), 'x'], command, isPrompt), `goes on at ${at}`).toEqual(['x']);
    }
  });

  it('is not content with a piece, with another command, or with an echo behind foreign text', () => {
    expect(afterEcho([command.slice(0, -1)], command, isPrompt)).toBeNull();
    expect(afterEcho(['show clock', 'sw1#'], command, isPrompt)).toBeNull();
    expect(afterEcho(['some answer', `sw1#${command}`, 'x'], command, isPrompt)).toBeNull();
    expect(afterEcho([`sw2#${command}`, 'x'], command, isPrompt)).toBeNull();
    expect(afterEcho([], command, isPrompt)).toBeNull();
  });

  it('keeps an answer that repeats the command', () => {
    expect(afterEcho(['show x', 'show x'], 'show x', isPrompt)).toEqual(['show x']);
  });
});

describe('Transcript', () => {
  it('shows the same as the whole stream, however it came in', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3000 }), { maxLength: 12 }), fc.nat(), (parts, drop) => {
        const transcript = new Transcript();
        for (const part of parts) transcript.append(part);
        const stream = parts.join('');
        const { head, tail, length } = viewOf(stream);
        expect([transcript.head, transcript.tail, transcript.length]).toEqual([head, tail, length]);
        expect(transcript.all()).toBe(stream);
        const from = drop % (stream.length + 1);
        transcript.dropBefore(from);
        expect([transcript.all(), transcript.tail]).toEqual([stream.slice(from), viewOf(stream.slice(from)).tail]);
        transcript.clear();
        expect([transcript.length, transcript.head, transcript.tail, transcript.all()]).toEqual([0, '', '', '']);
      }),
    );
  });
});
