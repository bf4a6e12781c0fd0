/** Driver-specific options of one switch, checked and with defaults filled in. */
export interface OvsOptions {
  /** Bridge whose ports are the switch's ports; null: the only one there is. */
  readonly bridge: string | null;
  /** `auto`: sudo where the login user lacks the right; `all`: for every command; `none`: never. */
  readonly sudo: 'none' | 'auto' | 'all';
  /** Read LLDP neighbours from lldpd on the switch. */
  readonly lldp: boolean;
  /** Run folder of the daemons (sockets and pid files) where it is not Open vSwitch's own default; null: the default. */
  readonly runDir: string | null;
}

const KNOWN = ['bridge', 'sudo', 'lldp', 'runDir'] as const;
const SUDO = ['none', 'auto', 'all'] as const;
/** Linux device names are at most 15 characters; other port types may be longer. */
const BRIDGE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const RUN_DIR = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}){1,12}$/;

/** Problems of the options as sentences; empty when they are good. */
export function checkOvsOptions(options: Readonly<Record<string, unknown>>): string[] {
  const problems = Object.keys(options)
    .filter((key) => !(KNOWN as readonly string[]).includes(key))
    .map((key) => `${JSON.stringify(key.slice(0, 40))} is not an option of open-vswitch: use ${KNOWN.join(', ')}.`);
  const { bridge, sudo, lldp, runDir } = options;
  if (bridge !== undefined && !(typeof bridge === 'string' && BRIDGE.test(bridge))) {
    problems.push('bridge must be the name of a bridge: letters, digits and . _ -, at most 63 characters.');
  }
  if (sudo !== undefined && !(SUDO as readonly unknown[]).includes(sudo)) {
    problems.push(`sudo must be one of ${SUDO.join(', ')}.`);
  }
  if (lldp !== undefined && typeof lldp !== 'boolean') problems.push('lldp must be true or false.');
  if (runDir !== undefined && !(typeof runDir === 'string' && RUN_DIR.test(runDir))) {
    problems.push('runDir must be an absolute path of letters, digits and . _ - without "..".');
  }
  return problems;
}

/** The options with defaults. Call {@link checkOvsOptions} first: what it would refuse counts as absent here. */
export function ovsOptions(options: Readonly<Record<string, unknown>>): OvsOptions {
  const { bridge, sudo, lldp, runDir } = options;
  return {
    bridge: typeof bridge === 'string' && BRIDGE.test(bridge) ? bridge : null,
    sudo: SUDO.find((word) => word === sudo) ?? 'auto',
    lldp: lldp !== false,
    runDir: typeof runDir === 'string' && RUN_DIR.test(runDir) ? runDir : null,
  };
}
