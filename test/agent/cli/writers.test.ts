import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../../../agent/cli/text.ts';
import { type Column, renderTable } from '../../../agent/cli/writers.ts';

type Row = readonly string[];
const plain = { headers: true, indent: 0, paint: (text: string) => text };
const columns = (titles: readonly string[], min?: number): Column<Row>[] =>
  titles.map((title, i) => ({ title, value: (row) => row[i] ?? '', ...(min === undefined ? {} : { min }) }));

describe('renderTable', () => {
  it('lines columns up by cells, not characters', () => {
    const table = renderTable(
      columns(['A', 'B']),
      [
        ['東京', 'x'],
        ['e\u0301', 'y'],
        ['abc', ''],
      ],
      { ...plain, width: 80 },
    );
    expect(table).toBe('A     B\n東京  x\ne\u0301     y\nabc\n');
  });

  it('cuts the widest column first, and keeps to the floors while it can', () => {
    const rows = [['swp1', 'a-very-long-value-that-does-not-fit', 'short']];
    expect(renderTable(columns(['P', 'Q', 'R'], 4), rows, { ...plain, width: 24 })).toBe(
      'P     Q            R\nswp1  a-very-lon…  short\n',
    );
  });

  it('never exceeds the width, whatever is in it', () => {
    const cell = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 5 }),
        fc.integer({ min: 40, max: 100 }),
        (rows, width) => {
          const table = renderTable(columns(['ONE', 'TWO', 'THREE', 'FOUR'], 20), rows, { ...plain, width });
          for (const line of table.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(width);
          expect(table.split('\n')).toHaveLength(rows.length + 2);
        },
      ),
    );
  });

  it('leaves everything whole without a width, and titles away when asked', () => {
    const long = 'x'.repeat(300);
    const table = renderTable(columns(['A', 'B']), [[long, 'y']], {
      ...plain,
      headers: false,
      width: Number.POSITIVE_INFINITY,
    });
    expect(table).toBe(`${long}  y\n`);
    expect(renderTable(columns(['A']), [], { ...plain, headers: false, width: 80 })).toBe('');
  });
});
