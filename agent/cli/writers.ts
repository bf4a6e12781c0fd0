import { styleText } from 'node:util';
import type { CliIo, CommandCall } from './command.ts';
import { printable, printableJson, textWidth, truncate, wrap } from './text.ts';

/** Meanings that have a colour; the words beside it always say the same. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong';
const TONES = { good: 'green', bad: 'red', warn: 'yellow', dim: 'dim', strong: 'bold' } as const;

export interface Column<T> {
  readonly title: string;
  readonly value: (row: T) => string;
  /** Cells below which the column is not cut; default: its title. */
  readonly min?: number;
  readonly tone?: (row: T) => Tone | null;
}

/** Writes a command's answer, as text for a person or as JSON, by the flags of the call. */
export interface Writer {
  /** true: the answer is wanted as JSON. */
  readonly json: boolean;
  /** Cells of a line; Infinity with --wide. */
  readonly width: number;
  /** The API's document, exactly. */
  document(value: unknown): void;
  /** One line of text; empty: a blank line. Made printable, never cut. */
  line(text?: string, tone?: Tone): void;
  /** Text broken to the width, each line after `indent` blanks. */
  paragraph(text: string, indent?: number, tone?: Tone): void;
  /** Labels in a column of their own, each text beside its label and broken to the width. */
  labelled(rows: readonly LabelledRow[], indent?: number): void;
  table<T>(columns: readonly Column<T>[], rows: readonly T[], indent?: number): void;
}

export type LabelledRow = readonly [label: string, text: string, tone?: Tone];

/** A longer label has its text on the lines below it. */
const LONGEST_LABEL = 40;

export function createWriter(call: CommandCall, io: CliIo): Writer {
  const colour = io.isTty && !call.has('no-color') && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb';
  const paint = (text: string, tone: Tone | null | undefined): string =>
    colour && tone ? styleText(TONES[tone], text, { validateStream: false }) : text;
  const width = call.has('wide') ? Number.POSITIVE_INFINITY : Math.max(40, io.columns);
  return {
    json: call.has('json'),
    width,
    document: (value) => io.stdout(`${printableJson(value)}\n`),
    line: (text = '', tone) => io.stdout(`${paint(printable(text), tone)}\n`),
    paragraph(text, indent = 0, tone) {
      const blanks = ' '.repeat(indent);
      const safe = printable(text);
      const lines = width === Number.POSITIVE_INFINITY ? [safe] : wrap(safe, width - indent);
      for (const line of lines) io.stdout(`${blanks}${paint(line, tone)}\n`);
    },
    labelled(rows, indent = 0) {
      const labels = rows.map(([label]) => printable(label));
      const longest = Math.min(LONGEST_LABEL, width / 2);
      const fitting = labels.map(textWidth).filter((cells) => cells <= longest);
      const column = indent + Math.max(4, ...fitting) + GAP.length;
      rows.forEach(([, text, tone], i) => {
        const label = `${' '.repeat(indent)}${labels[i] ?? ''}`;
        const lines = wrap(printable(text), width - column);
        const beside = textWidth(label) + GAP.length <= column;
        if (!beside) io.stdout(`${paint(label, tone)}\n`);
        lines.forEach((line, n) => {
          const head = n === 0 && beside ? label : '';
          const pad = ' '.repeat(column - textWidth(head));
          io.stdout(`${`${paint(head, head === '' ? null : tone)}${pad}${line}`.trimEnd()}\n`);
        });
      });
    },
    table(columns, rows, indent = 0) {
      io.stdout(renderTable(columns, rows, { width: width - indent, headers: !call.has('no-headers'), paint, indent }));
    },
  };
}

interface TableLook {
  readonly width: number;
  readonly headers: boolean;
  readonly indent: number;
  readonly paint: (text: string, tone: Tone | null | undefined) => string;
}

const GAP = '  ';

/** A table without lines, two blanks between columns; the widest columns are cut until it fits. */
export function renderTable<T>(columns: readonly Column<T>[], rows: readonly T[], look: TableLook): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.value(row))));
  const widths = columns.map((column, i) =>
    Math.max(look.headers ? textWidth(column.title) : 0, ...cells.map((line) => textWidth(line[i] ?? ''))),
  );
  const floors = columns.map((column, i) =>
    Math.min(widths[i] ?? 0, column.min ?? Math.max(4, textWidth(column.title))),
  );
  shrink(widths, floors, look.width - GAP.length * (columns.length - 1));
  const write = (line: readonly string[], tone: (i: number) => Tone | null | undefined): string => {
    const shown = line.map((cell, i) => {
      const text = truncate(cell, widths[i] ?? 0);
      const pad = i === line.length - 1 ? '' : ' '.repeat(Math.max(0, (widths[i] ?? 0) - textWidth(text)));
      return look.paint(text, text === '' ? null : tone(i)) + pad;
    });
    return `${' '.repeat(look.indent)}${shown.join(GAP)}`.trimEnd();
  };
  const lines = cells.map((line, row) =>
    write(line, (i) => {
      const source = rows[row];
      return source === undefined ? null : columns[i]?.tone?.(source);
    }),
  );
  if (look.headers) {
    lines.unshift(
      write(
        columns.map((column) => column.title),
        () => 'strong',
      ),
    );
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** Takes cells from the widest column that is above its floor until all fit; then, if it must be, below the floors. */
function shrink(widths: number[], floors: readonly number[], available: number): void {
  let total = widths.reduce((sum, width) => sum + width, 0);
  for (const limits of [floors, widths.map(() => 3)]) {
    while (total > available) {
      let widest = -1;
      widths.forEach((width, i) => {
        if (width > (limits[i] ?? 0) && (widest < 0 || width > (widths[widest] ?? 0))) widest = i;
      });
      if (widest < 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
      total--;
    }
  }
}
