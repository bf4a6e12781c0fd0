import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  duration,
  printable,
  printableJson,
  shortTime,
  since,
  textWidth,
  truncate,
  wrap,
} from '../../../agent/cli/text.ts';
import { HOSTILE } from '../../support/fake-reader.ts';

/** What a terminal could take for more than text. */
const ACTIVE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

describe('printable', () => {
  it('shows what a terminal would act on', () => {
    expect(printable('\u001b[31m\u0007\u009b\u202ea\nb\tc\ud800')).toBe(
      '\\x1b[31m\\x07\\x9b\\u{202e}a\\x0ab\\x09c\\u{d800}',
    );
    expect(printable('Zürich 東京 🚀')).toBe('Zürich 東京 🚀');
  });

  it('never lets an active character through, and says the same twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const safe = printable(text + HOSTILE);
        expect(ACTIVE.test(safe)).toBe(false);
        expect(printable(safe)).toBe(safe);
      }),
    );
  });

  it('keeps stacks of combining marks low', () => {
    expect(printable(`e${'\u0301'.repeat(50)}x`)).toBe('e\u0301\u0301x');
  });
});

describe('printableJson', () => {
  it('is the same value without active characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.string({ unit: 'binary' }), (value, text) => {
        const document = { value, text, [`${text}${HOSTILE}`]: HOSTILE };
        const json = printableJson(document);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(document)));
        expect(ACTIVE.test(json.replaceAll('\n', ''))).toBe(false);
      }),
    );
  });
});

describe('widths', () => {
  it.each([
    ['abc', 3],
    ['東京', 4],
    ['ｱ', 1],
    ['Ａ', 2],
    ['e\u0301', 1],
    ['🚀', 2],
    ['한글', 4],
    ['…', 1],
    ['', 0],
  ])('%s takes %i cells', (text, cells) => {
    expect(textWidth(text)).toBe(cells);
  });

  it('cuts at a cell, never through a character', () => {
    expect(truncate('abcdef', 4)).toBe('abc…');
    expect(truncate('東京都庁', 6)).toBe('東京…');
    expect(truncate('東京都庁', 8)).toBe('東京都庁');
    expect(truncate('ab', 2)).toBe('ab');
    expect(truncate('abc', 0)).toBe('');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, width) => {
        expect(textWidth(truncate(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('breaks lines at blanks, and words that are too long', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij']);
    expect(wrap('', 10)).toEqual(['']);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, width) => {
        const lines = wrap(text, width);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});

describe('times', () => {
  it.each([
    [0, '0 s'],
    [119.4, '119 s'],
    [120, '2 min'],
    [7199, '119 min'],
    [7200, '2 h'],
    [172_800, '2 d'],
    [-5, '0 s'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });

  it('shows times in UTC and leaves other text alone', () => {
    expect(shortTime('2026-03-04T12:34:56.789Z')).toBe('2026-03-04 12:34:56Z');
    expect(shortTime('yesterday')).toBe('yesterday');
    expect(since('2026-03-04T12:00:00Z', '2026-03-04T12:05:00Z')).toBe('5 min');
    expect(since(null, '2026-03-04T12:05:00Z')).toBe('');
    expect(since('?', '2026-03-04T12:05:00Z')).toBe('');
  });
});
