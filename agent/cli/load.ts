import type { CommandRun, RawRun } from './command.ts';

/** How the code of a command is loaded: one that is parsed by the table, or one that does its own parsing. */
export type Loader = { readonly parsed: () => Promise<CommandRun> } | { readonly raw: () => Promise<RawRun> };

/** Loads the code of each command when it is called, so that small commands start without the libraries of the daemon. */
export const LOADERS: Readonly<Record<string, Loader>> = {
  status: { parsed: async () => (await import('./status.ts')).run },
  ports: { parsed: async () => (await import('./ports.ts')).run },
  port: { parsed: async () => (await import('./port.ts')).run },
  neighbors: { parsed: async () => (await import('./neighbors.ts')).run },
  intents: { parsed: async () => (await import('./intents.ts')).run },
  plan: { parsed: async () => (await import('./plan.ts')).run },
  events: { parsed: async () => (await import('./events.ts')).run },
  refresh: { parsed: async () => (await import('./actions.ts')).action('refresh') },
  reconcile: { parsed: async () => (await import('./actions.ts')).action('reconcile') },
  accept: { parsed: async () => (await import('./actions.ts')).action('accept') },
  publish: { parsed: async () => (await import('./publish.ts')).run },
  'config check': { raw: async () => (await import('./config.ts')).configCheck },
  'config drivers': { raw: async () => (await import('./config.ts')).configDrivers },
  run: { raw: async () => (await import('./run.ts')).runDaemon },
  demo: { raw: async () => (await import('../demo/demo.ts')).runDemo },
  completion: { parsed: async () => (await import('./completion.ts')).run },
  version: { parsed: async () => (await import('./help.ts')).version },
  help: { parsed: async () => (await import('./help.ts')).run },
};
