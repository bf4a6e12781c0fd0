import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localApiReference } from '../../../agent/local/reference.ts';

describe('docs/local-api.md', () => {
  it('is what the route table says (npm run generate)', async () => {
    const path = join(__dirname, '../../../docs/local-api.md');
    expect(await readFile(path, 'utf8')).toBe(localApiReference());
  });
});
