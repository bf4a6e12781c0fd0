import type { LineDialect } from '../cli/apply-steps.ts';
import type { CliDefinition } from '../definition.ts';

const HOST = '([A-Za-z0-9][\\w.@/:-]{0,62})';
/** A session's prompt shows the first six characters of its name; submodes add their own word. */
const SESSION = '\\(config-s-[\\w-]{1,6}';
const prompt = (behind: string) => new RegExp(`^${HOST}\\.?${behind}#\\s?$`);

/** Arista EOS 4.20 and later. */
export const DEFINITION: CliDefinition = {
  name: 'arista-eos',
  modes: [
    { name: 'user', prompt: new RegExp(`^${HOST}(?:\\(s[12]\\))?\\.?>\\s?$`) },
    // A chassis shows its active supervisor, which is no configuration mode.
    { name: 'enable', prompt: prompt('(?:\\(s[12]\\))?\\.?'), from: 'user', enter: 'enable', leave: 'disable' },
    // Somebody's unnamed configuration mode: only left, never used.
    { name: 'config', prompt: prompt('\\(config(?!-s-)[\\w./:-]{0,32}\\)'), from: 'enable', leave: 'end' },
    { name: 'session-if', prompt: prompt(`${SESSION}-if-[\\w./-]{1,20}\\)`), from: 'session', leave: 'exit' },
    { name: 'session-vlan', prompt: prompt(`${SESSION}-vlan-[\\w,-]{1,20}\\)`), from: 'session', leave: 'exit' },
    // Leaving it by `abort` throws the session away; `end` would keep it pending.
    { name: 'session', prompt: prompt(`${SESSION}\\)`), from: 'enable', leave: 'abort' },
  ],
  configModes: ['config', 'session', 'session-if', 'session-vlan'],
  setup: ['terminal length 0', 'terminal width 511'],
  columns: 511,
  maxLine: 1024,
  more: /^\s*--+ ?[Mm]ore ?--+\s*$/,
  failures: [
    /^\s*% ?(?:invalid|incomplete|ambiguous|unavailable|unknown|error|bad secret|authorization denied|user not present)/i,
    /^\s*% ?(?:vlan .* is already mapped|.*(?:may not|cannot|not allowed|not permitted|not supported|failed|does not exist))/i,
    /^maximum number of pending sessions has been reached/i,
    /^interface does not exist/i,
  ],
  harmless: [
    /^! IP configuration will be ignored while interface \S+ is not a routed port\.$/,
    /^%Warning: portfast should only be enabled on ports connected to a single$/i,
    /^host\. Connecting hubs, concentrators, switches, bridges, etc\.? to this$/i,
    /^interface when portfast is enabled, can cause temporary bridging loops\.$/i,
    /^Use with CAUTION\.?$/i,
  ],
  async: [/^[A-Z][a-z]{2} +\d+ [\d:.]+ \S+ \w+: (?:\d+: )?%[A-Z][A-Z0-9_]*-[0-7]-[A-Z0-9_]+: .*$/],
  closing: ['exit'],
};

export const LINES: LineDialect = {
  configMode: 'session',
  modeAfter: [
    [/^interface /, 'session-if'],
    [/^vlan \d/, 'session-vlan'],
    [/^exit$/, 'session'],
  ],
  vlansOf: /^switchport (?:access|trunk native|trunk allowed) vlan (?:add )?(\d[\d,-]*)$/,
  locked: /maximum number of pending sessions/i,
};
