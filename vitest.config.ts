import { defineConfig } from 'vitest/config';

/**
 * Two projects: `unit` runs anywhere and in parallel; `real` drives real parts (broker, switch, SSH server) and
 * runs one file at a time, since the files share the machine's namespaces and ports.
 */
export default defineConfig({
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/real/**'], testTimeout: 20_000 } },
      {
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
