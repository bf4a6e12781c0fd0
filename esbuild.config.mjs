import { chmod } from 'node:fs/promises';
import { build } from 'esbuild';

/**
 * CommonJS files that run with plain Node and nothing else installed: portkeeper.cjs, the program, and beside it
 * portkeeper-daemon.cjs with what only some of its commands need. CommonJS, since ssh2 needs __dirname; its optional native
 * parts stay outside and are not needed.
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
const shipped = { ...common, minify: true, keepNames: true };

/** What only the daemon, the demo, `publish` and `config` need: most of the code, with all the large libraries. */
const HEAVY = ['run', 'publish', 'config', 'demo'];
const heavyPath = (name) => (name === 'demo' ? './agent/demo/demo.ts' : `./agent/cli/${name}.ts`);

/**
 * Leads to the heavy code in the file beside this one, read when it is first asked for: a command such as `status`, which a
 * person types at the rack, then starts without a daemon that it does not need.
 */
const heavyBeside = {
  name: 'heavy-beside',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^\.{1,2}\/(demo\/)?(run|publish|config|demo)\.ts$/ }, (args) => {
      if (args.kind !== 'dynamic-import') return undefined;
      return { path: args.path.replace(/^.*\/(\w+)\.ts$/, '$1'), namespace: 'heavy' };
    });
    esbuild.onLoad({ filter: /.*/, namespace: 'heavy' }, (args) => ({
      contents: `module.exports = require('./portkeeper-daemon.cjs').${args.path};`,
      loader: 'js',
    }));
    esbuild.onResolve({ filter: /portkeeper-daemon\.cjs$/ }, (args) => ({ path: args.path, external: true }));
  },
};

await build({
  ...shipped,
  stdin: {
    // Getters: each command's code runs when it is asked for, so that the daemon does not carry the demo and its broker.
    contents: HEAVY.map(
      (name) => `Object.defineProperty(exports, '${name}', { get: () => require('${heavyPath(name)}') });`,
    ).join('\n'),
    resolveDir: '.',
    loader: 'ts',
  },
  outfile: 'dist/portkeeper-daemon.cjs',
});
await build({
  ...shipped,
  entryPoints: { portkeeper: 'agent/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  banner: { js: '#!/usr/bin/env node' },
  plugins: [heavyBeside],
});
await chmod('dist/portkeeper.cjs', 0o755);
await build({
  ...common,
  entryPoints: { generate: 'agent/contract/generate.ts', bench: 'test/bench/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
});
