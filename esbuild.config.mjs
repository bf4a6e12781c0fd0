import { chmod } from 'node:fs/promises';
import { build } from 'esbuild';

/**
 * One CommonJS file per program, which runs with plain Node and nothing else installed. CommonJS, since ssh2 needs
 * __dirname; its optional native parts stay outside and are not needed.
 */
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['cpu-features', '*.node'],
  legalComments: 'none',
  logLevel: 'warning',
  define: { 'process.env.NODE_ENV': '"production"' },
};

await build({
  ...common,
  entryPoints: { portkeeper: 'agent/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  minify: true,
  keepNames: true,
  banner: { js: '#!/usr/bin/env node' },
  metafile: false,
});
await build({
  ...common,
  entryPoints: { generate: 'agent/contract/generate.ts', bench: 'test/bench/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
});
await chmod('dist/portkeeper.cjs', 0o755);
