import { randomBytes } from 'node:crypto';
import type {
  DriverContext,
  Step,
  StepResult,
  SwitchIdentity,
  SwitchReading,
  SwitchSession,
  SwitchTarget,
} from '../driver.ts';
import { DriverError } from '../errors.ts';
import { pause } from '../model/clock.ts';
import { normalizeMac } from '../model/mac.ts';
import type { Neighbor } from '../model/neighbor.ts';
import { sanitizeLines, sanitizeText } from '../model/text.ts';
import { type KernelLink, parseLinks } from '../text/iproute.ts';
import { parseLldpChassis, parseLldpNeighbors } from '../text/lldpcli.ts';
import { type Section, section, sectionedScript, splitSections } from '../text/shell.ts';
import type { SshConnection } from '../transport/connection.ts';
import { advice, applyScript, planStep, readApply, vsctlWords } from './apply.ts';
import { fdbInterfaces, managementPath } from './management.ts';
import { ovsOptions } from './options.ts';
import { bridgePorts, buildReading, chooseBridge } from './parse.ts';
import { type Access, fdbScript, identifyScript, readScript, vsctl } from './scripts.ts';
import { parseTables, type Row, type Tables } from './tables.ts';
import { bootIdOf, isSettled, notSettled, requireVswitchd } from './trust.ts';

/** 128 bonds with a list of 4,094 VLANs each are 2.5 MB. */
const MAX_OUTPUT = 16 * 1024 * 1024;
/** A change by somebody else is under way for some milliseconds; a reading waits for its end this often, this long. */
const SETTLE_TRIES = 5;
const SETTLE_MS = 200;

/** What identify found out and the other calls use. */
interface Prepared {
  readonly access: Access;
  /** Names of ports and interfaces on the agent's own path. */
  readonly management: ReadonlySet<string>;
}

/**
 * A session with one Open vSwitch over SSH exec. Every call is one round trip; the first one that needs it also
 * identifies the switch, which takes one more (two, when the agent's own path runs over the bridge).
 */
export function openVswitchSession(
  connection: Pick<SshConnection, 'alive' | 'exec' | 'close'>,
  target: SwitchTarget,
  context: DriverContext,
  nonce: () => string = () => randomBytes(12).toString('hex'),
): SwitchSession {
  const options = ovsOptions(target.options);
  const { runDir } = options;
  // Below the deadline of the whole command, so that ovs-vsctl gives up first and its exit code can be seen.
  const seconds = Math.min(60, Math.max(1, Math.floor(target.commandTimeoutMs / 1000) - 1));
  let prepared: Prepared | null = null;
  let portOfDevice: ReadonlyMap<string, string> | null = null;

  async function run(what: string, body: readonly string[], extraMs = 0): Promise<ReadonlyMap<string, Section>> {
    const mark = `pk${nonce()}`;
    const result = await connection.exec('sh -s', {
      input: sectionedScript(mark, body),
      timeoutMs: target.commandTimeoutMs + extraMs,
      maxBytes: MAX_OUTPUT,
    });
    const shown = `${result.stdout.slice(0, 4000)}\n${result.stderr.slice(0, 1000)}`.replaceAll(mark, '#');
    context.trace({ command: what, answer: sanitizeLines(shown, 4096) });
    return splitSections(mark, result.stdout, result.stderr);
  }

  /** Runs a script that lists the database until nothing is under way any more; throws when that does not end. */
  async function runSettled(what: string, body: readonly string[]) {
    for (let tries = 1; ; tries++) {
      const sections = await run(what, body);
      requireVswitchd(sections);
      const tables = tablesOf(sections);
      if (isSettled(tables)) return { sections, tables, bridge: chooseBridge(tables, options.bridge) };
      if (tries >= SETTLE_TRIES) throw notSettled();
      await pause(context.clock, SETTLE_MS);
    }
  }

  async function identify(): Promise<SwitchIdentity> {
    const script = identifyScript(options.sudo, options.lldp, runDir, seconds);
    const { sections, tables, bridge } = await runSettled('identify', script);
    const access = accessOf(options.sudo, sections);
    prepared = { access, management: await findManagement(access, sections, tables, bridge) };
    portOfDevice = deviceMap(tables, bridge);
    return identityOf(sections, tables, bridge, options.lldp);
  }

  async function ready(): Promise<Prepared> {
    if (prepared === null) await identify();
    if (prepared === null) throw new DriverError('parse', 'the switch could not be identified');
    return prepared;
  }

  /** Only tells what it can: a failure here is "no port known", never an error. */
  async function findManagement(access: Access, sections: ReadonlyMap<string, Section>, tables: Tables, bridge: Row) {
    const names = new Set<string>();
    const path = managementPath(sections, linksOf(sections), tables, bridge);
    if (path.device === null) return names;
    names.add(path.device);
    const name = bridge.text('name') ?? '';
    if (path.mac !== null && /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)) {
      const found = await run('find the own path', fdbScript(access, runDir, name, path.mac));
      for (const device of fdbInterfaces(found.get('fdb')?.stdout ?? '', path.mac, tables, bridge)) names.add(device);
    }
    // A bond carries the path when one of its members does.
    for (const { port, interfaces } of bridgePorts(tables, bridge)) {
      if (interfaces.some((row) => names.has(row.text('name') ?? ''))) names.add(port.text('name') ?? '');
    }
    return names;
  }

  async function read(): Promise<SwitchReading> {
    const { access, management } = await ready();
    const { sections, tables, bridge } = await runSettled('read', readScript(access, runDir, seconds));
    portOfDevice = deviceMap(tables, bridge);
    return buildReading(tables, bridge, linksOf(sections), management);
  }

  async function neighbors(): Promise<readonly Neighbor[]> {
    if (!options.lldp) return [];
    const { access } = await ready();
    const sections = await run('neighbors', [
      section('lldp', `${access.lldpcli}lldpcli -f json0 show neighbors details`),
    ]);
    const answer = sections.get('lldp');
    if (answer?.code !== 0) {
      const words = vsctlWords(answer?.stderr ?? '') || `exit code ${answer?.code}`;
      const stderr = answer?.stderr ?? '';
      throw new DriverError(
        'rejected',
        `lldpcli does not answer: ${words}${advice(stderr.trim(), 'lldpcli')}; is lldpd running? Without it, set the option "lldp" to false`,
        { command: 'lldpcli -f json0 show neighbors details', answer: sanitizeText(stderr) },
      );
    }
    const known = portOfDevice ?? new Map<string, string>();
    return parseLldpNeighbors(answer.stdout).flatMap((neighbor) => {
      const port = known.get(neighbor.port);
      return port === undefined ? [] : [{ ...neighbor, port }];
    });
  }

  async function apply(steps: readonly Step[]): Promise<readonly StepResult[]> {
    const { access } = await ready();
    const plans = steps.map(planStep);
    const sendable = plans.filter((plan) => plan !== null);
    const results = new Map<Step, StepResult>();
    if (sendable.length > 0) {
      const programs = { vsctl: vsctl(access.vsctl, runDir, seconds), ip: `${access.ip}ip` };
      const extraMs = target.commandTimeoutMs + 100 * sendable.length;
      const sections = await run(`apply ${sendable.length} ports`, applyScript(sendable, programs), extraMs);
      for (const result of readApply(sendable, sections)) {
        results.set(result.step, result);
        result.exchanges.forEach(context.trace);
      }
    }
    return steps.map((step) => results.get(step) ?? notSendable(step));
  }

  return {
    identify,
    read,
    neighbors,
    apply,
    // Open vSwitch keeps every change in its database at once.
    save: async () => {},
    get alive() {
      return connection.alive;
    },
    close: () => connection.close().catch(() => {}),
  };
}

function tablesOf(sections: ReadonlyMap<string, Section>): Tables {
  const answer = sections.get('vsctl-sudo') ?? sections.get('vsctl');
  if (answer?.code === 0) return parseTables(answer.stdout);
  const plain = vsctlWords(sections.get('vsctl')?.stderr ?? '');
  const words = answer === sections.get('vsctl') ? plain : `${plain}; ${vsctlWords(answer?.stderr ?? '')}`;
  if (answer?.code === 142) {
    throw new DriverError('timeout', 'ovsdb-server does not answer; look at "systemctl status openvswitch-switch"');
  }
  throw new DriverError(
    'rejected',
    `ovs-vsctl cannot read the switch: ${words || `exit code ${answer?.code}`}${advice(words, 'ovs-vsctl')}`,
    {
      command: 'ovs-vsctl list',
      answer: words,
    },
  );
}

function accessOf(sudo: 'none' | 'auto' | 'all', sections: ReadonlyMap<string, Section>): Access {
  if (sudo !== 'auto') {
    const all = sudo === 'all' ? 'sudo -n ' : '';
    return { vsctl: all, ip: all, appctl: all, lldpcli: all };
  }
  const unlessRoot = sections.get('uid')?.stdout.trim() === '0' ? '' : 'sudo -n ';
  return {
    vsctl: sections.has('vsctl-sudo') ? 'sudo -n ' : '',
    ip: unlessRoot,
    appctl: unlessRoot,
    lldpcli: sections.has('lldp-sudo') ? 'sudo -n ' : '',
  };
}

/**
 * The chassis ID is lldpd's. Only where there is no lldpd at all it is the bridge's MAC: while lldpd is just being
 * restarted it is not known (null), since another ID would look like another switch.
 */
function identityOf(
  sections: ReadonlyMap<string, Section>,
  tables: Tables,
  bridge: Row,
  lldp: boolean,
): SwitchIdentity {
  const answer = sections.get('lldp-sudo') ?? sections.get('lldp');
  const chassis = answer?.code === 0 ? parseLldpChassis(answer.stdout) : null;
  const missing = !lldp || sections.get('lldp')?.code === 127 || /command not found/.test(answer?.stderr ?? '');
  const datapath = bridge.text('datapath_type') ?? '';
  return {
    vendor: 'Open vSwitch',
    model: datapath === '' ? 'Open vSwitch' : `Open vSwitch (${sanitizeText(datapath, 32)})`,
    version: sanitizeText(tables.root.text('ovs_version') ?? '', 64),
    serial: null,
    chassisId: chassis?.id.value || (missing ? bridgeMac(tables, bridge) : null),
    systemName: chassis?.systemName || sanitizeText(sections.get('host')?.stdout ?? ''),
    bootId: bootIdOf(sections),
  };
}

/** Configured, else in use: that of a bridge without `hwaddr` follows its ports. */
function bridgeMac(tables: Tables, bridge: Row): string | null {
  const name = bridge.text('name');
  const inUse = tables.interfaces.find((row) => row.text('name') === name)?.text('mac_in_use');
  return normalizeMac(bridge.entry('other_config', 'hwaddr') ?? inUse ?? '');
}

function linksOf(sections: ReadonlyMap<string, Section>): ReadonlyMap<string, KernelLink> {
  const answer = sections.get('link');
  return (answer?.code === 0 ? parseLinks(answer.stdout) : null) ?? new Map();
}

/** The name under which a device is listed: members of a bond by themselves, else the port. */
function deviceMap(tables: Tables, bridge: Row): ReadonlyMap<string, string> {
  return new Map(
    bridgePorts(tables, bridge).flatMap(({ port, interfaces }) =>
      interfaces.map((row): [string, string] => {
        const device = row.text('name') ?? '';
        return [device, interfaces.length === 1 ? (port.text('name') ?? device) : device];
      }),
    ),
  );
}

function notSendable(step: Step): StepResult {
  const why =
    step.commands.length === 0
      ? 'this port cannot be written so: its name does not fit into a command, it is a member of a bond, or admin state or MTU of a bond would change'
      : 'the step holds commands that this driver does not render';
  const error = new DriverError('unsupported', `port ${sanitizeText(step.subject, 64)}: ${why}`, {
    port: step.subject,
  });
  return { step, error, exchanges: [] };
}
