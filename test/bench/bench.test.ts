import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle, runBundle } from '../support/bundle.ts';
import { ALL_FIGURES, FIGURES } from './figures.ts';
import { median, rounded } from './stats.ts';

const DOC = readFileSync(join(__dirname, '../../docs/bench.md'), 'utf8');

describe('npm run bench', () => {
  it('prints one JSON object of figures and says where they come from', { timeout: 120_000 }, async () => {
    const { file } = await bundle(`import './test/bench/main.ts';`);
    const { exit, out, err } = await runBundle(file, ['--quick']);
    expect(exit, err).toBe(0);
    const { measuredOn, ...figures } = JSON.parse(out) as Record<string, unknown>;
    expect(measuredOn).toBe('simulator');
    expect(Object.keys(figures).sort()).toEqual(ALL_FIGURES.map((f) => f.key).sort());
    for (const figure of ALL_FIGURES)
      if (figures[figure.key] !== null || figure.realOnly !== true)
        expect(figures[figure.key], figure.key).toBeTypeOf('number');
    for (const { key } of FIGURES.apply) if (!key.endsWith('ownMsPerPort')) expect(figures[key]).toBeGreaterThan(0);
    // What takes long goes to the other stream, with a verdict for each goal.
    for (const { key, goal } of ALL_FIGURES) if (goal !== null) expect(err).toContain(`${key} `);
  });
});

describe('docs/bench.md', () => {
  it('explains every figure, with its goal', () => {
    const rows = DOC.split('\n').filter((line) => line.startsWith('| `'));
    const goals = rows.map((row) => row.split('|').map((cell) => cell.trim())).map(([, key, , goal]) => [key, goal]);
    for (const { key, goal } of ALL_FIGURES)
      expect(goals).toContainEqual([`\`${key}\``, goal === null ? '' : `under ${goal}`]);
  });
});

describe('the figures', () => {
  it('are medians', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 100])).toBe(3);
    expect(() => median([])).toThrow(RangeError);
  });

  it('have three digits', () => {
    expect([0.123456, 12.3456, 1234.56].map(rounded)).toEqual([0.123, 12.3, 1230]);
  });
});
