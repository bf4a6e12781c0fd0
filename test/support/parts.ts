import { describe, it } from 'vitest';
import { type Part, parts } from './find-parts.ts';

export { type Availability, LAB_PARTS, type Part, parts } from './find-parts.ts';

/**
 * A suite that runs when its parts are there. Otherwise it is skipped under a name that says why and what to do, or, with
 * PORTKEEPER_REQUIRE_PARTS=1, fails. `find` is how the parts are looked for.
 */
export function describeWithParts(title: string, names: readonly Part[], suite: () => void, find = parts): void {
  const found = find(...names);
  if (found.ok) {
    describe(title, suite);
  } else if (process.env['PORTKEEPER_REQUIRE_PARTS'] === '1') {
    describe(title, () => {
      it('finds its parts', () => {
        throw new Error(found.reason);
      });
    });
  } else {
    describe.skipIf(true)(`${title} [skipped: ${found.reason}]`, suite);
  }
}
