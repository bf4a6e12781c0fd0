import type { LineDialect } from '../cli/apply-steps.ts';
import type { CliDefinition } from '../definition.ts';

/** The host name as it stands in a prompt; in config mode it is cut to what fits. */
const HOST = '([A-Za-z0-9][\\w.@/:-]{0,62})';

/** The IOS-like command line of the simulated switch. */
export const DEFINITION: CliDefinition = {
  name: 'sim',
  modes: [
    { name: 'user', prompt: new RegExp(`^${HOST}>\\s?$`) },
    { name: 'enable', prompt: new RegExp(`^${HOST}#\\s?$`), from: 'user', enter: 'enable', leave: 'disable' },
    {
      name: 'config',
      prompt: new RegExp(`^${HOST}\\(config\\)#\\s?$`),
      from: 'enable',
      enter: 'configure terminal',
      leave: 'end',
    },
    { name: 'config-if', prompt: new RegExp(`^${HOST}\\(config-if\\)#\\s?$`), from: 'config', leave: 'exit' },
    { name: 'config-vlan', prompt: new RegExp(`^${HOST}\\(config-vlan\\)#\\s?$`), from: 'config', leave: 'exit' },
  ],
  configModes: ['config', 'config-if', 'config-vlan'],
  setup: ['terminal length 0', 'terminal width 511'],
  columns: 511,
  maxLine: 254,
  more: /^\s*--+ ?[Mm]ore ?--+\s*$/,
  failures: [
    /^\s*% ?(?:invalid|incomplete|ambiguous|unknown|error|bad|access denied)/i,
    /^\s*%? ?command (?:rejected|authorization failed)/i,
    /^\s*% ?(?:default vlan|.*(?:may not|cannot|not allowed|not permitted|is not supported|failed))/i,
    /^configuration mode is locked/i,
    /^\s*%(?:SW_VLAN|PM)-[0-4]-/,
  ],
  harmless: [
    /^enter configuration commands, one per line\.\s+end with cntl\/z\.$/i,
    /^% access vlan does not exist\. creating vlan \d+$/i,
    /^% applying vlan changes may take few minutes\.\s+please wait\.\.\.$/i,
  ],
  async: [
    /^\*?[A-Z][a-z]{2} +\d+ [\d:.]+(?: \w+)?: %[A-Z][A-Z0-9_]*-[0-7]-[A-Z0-9_]+: .*$/,
    /^%[A-Z][A-Z0-9_]*-[5-7]-[A-Z0-9_]+: .*$/,
  ],
  closing: ['exit'],
};

export const LINES: LineDialect = {
  configMode: 'config',
  modeAfter: [
    [/^interface /, 'config-if'],
    [/^vlan \d/, 'config-vlan'],
    [/^exit$/, 'config'],
  ],
  vlansOf: /^switchport (?:access|trunk native|trunk allowed) vlan (?:add )?(\d[\d,-]*)$/,
  locked: /configuration mode is locked/i,
};
