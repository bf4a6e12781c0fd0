import type { SessionState } from './command-context.ts';

const SUFFIX = {
  config: '(config)',
  interface: '(config-if)',
  range: '(config-if-range)',
  vlan: '(config-vlan)',
} as const;

/**
 * The prompt. In configuration modes IOS cuts the hostname so that the prompt stays short: 20 characters of it at most,
 * fewer in modes with long names, never fewer than 16.
 */
export function promptOf(hostname: string, state: Pick<SessionState, 'mode' | 'privilege'>): string {
  const { mode } = state;
  if (mode.kind === 'exec') return `${hostname}${state.privilege > 1 ? '#' : '>'}`;
  const suffix = SUFFIX[mode.kind === 'interface' && mode.range ? 'range' : mode.kind];
  const kept = Math.min(20, Math.max(16, 30 - suffix.length));
  return `${hostname.slice(0, kept)}${suffix}#`;
}
