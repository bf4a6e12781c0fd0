import { describe, expect, it } from 'vitest';
import { bundle } from '../../support/bundle.ts';

/**
 * In the bundle each module's code runs when it is first imported, so what is reached by static imports alone is what
 * `portkeeper status` pays for.
 */
describe('what a reading command loads', () => {
  it('is no library of the daemon: only code of our own and of Node.js', async () => {
    const { meta } = await bundle(`import './agent/cli/main.ts';`);
    const loaded = new Set<string>();
    const visit = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const { path: next, kind, external } of meta.inputs[path]?.imports ?? []) {
        if (!external && kind !== 'dynamic-import') visit(next);
      }
    };
    visit('agent/cli/main.ts');
    for (const command of [
      'status',
      'ports',
      'port',
      'neighbors',
      'intents',
      'plan',
      'events',
      'actions',
      'completion',
    ]) {
      visit(`agent/cli/${command}.ts`);
    }
    const paths = [...loaded];
    expect(paths.filter((path) => path.includes('node_modules'))).toEqual([]);
    expect(paths.filter((path) => /^agent\/(mqtt|store|config|service|pipeline|demo)\//.test(path))).toEqual([]);
    expect(paths).toContain('agent/cli/client.ts');
    expect(Object.keys(meta.inputs).some((path) => path.includes('node_modules/mqtt/'))).toBe(true);
  });
});
