import type { Clock } from '../../drivers/model/clock.ts';
import { type Carried, carried, isTrunking, type PortCondition } from './forwarding.ts';
import type { SimNeighbor } from './neighbor.ts';
import { longName, type PortNaming, parseInterfaceName } from './port-names.ts';
import { bundles, defaultSettings, handedDown, type PortMode, type PortSettings } from './port-settings.ts';
import { type RenderFacts, renderConfig } from './running-config.ts';
import {
  copyConfig,
  defaultVlanName,
  RESERVED_VLANS,
  type SwitchConfig,
  type VlanRecord,
  type VtpMode,
} from './switch-config.ts';

/** The parts of a switch that do not change while it runs; all optional. */
export interface ModelOptions {
  readonly hostname?: string;
  /** Number of ports, 1 to 512; default 8. */
  readonly ports?: number;
  readonly naming?: PortNaming;
  readonly vendorLine?: string;
  readonly model?: string;
  readonly version?: string;
  readonly serial?: string;
  /** Chassis MAC in colon form. */
  readonly chassisMac?: string;
  /** Mode of a port nobody configured; default "dynamic auto", as on Catalyst. */
  readonly defaultMode?: PortMode;
  /** Old hardware: `switchport trunk encapsulation dot1q` is needed before `switchport mode trunk`. */
  readonly dualEncapsulation?: boolean;
  readonly vtp?: VtpMode;
  /** Speed of every port in Mbit/s; default 25000. */
  readonly speedMbps?: number;
  /** How long the switch has been up when it starts, milliseconds; default 3 days. */
  readonly uptimeMs?: number;
}

/** The saved configuration: what a reload brings back. */
export interface Startup {
  readonly config: SwitchConfig;
  readonly text: readonly string[];
  readonly savedAt: number;
}

const UNPLUGGED: PortCondition = { link: false, errDisabled: null, dtpPeer: false };

/** The state of the simulated switch, without any CLI. Every method takes effect at once. */
export class SwitchModel implements RenderFacts {
  readonly clock: Clock;
  readonly naming: PortNaming;
  readonly defaultMode: PortMode;
  readonly dualEncapsulation: boolean;
  readonly vtp: VtpMode;
  readonly vendorLine: string;
  readonly speedMbps: number;
  readonly portCount: number;
  model: string;
  version: string;
  serial: string;
  chassisMac: string;
  config: SwitchConfig;
  startup: Startup;
  bootedAt: number;
  lastChange: { readonly at: number; readonly by: string } | null = null;
  /** Why the switch last started, as `show version` says it. */
  bootReason = 'power-on';
  /** VLANs that hardware keeps for itself: creating one fails, and only a log line says so. */
  readonly internalVlans = new Set<number>();
  readonly #factory: SwitchConfig;
  readonly #conditions = new Map<string, PortCondition>();
  readonly #neighbors = new Map<string, SimNeighbor>();
  readonly #logListeners = new Set<(line: string) => void>();
  #bootedMonotonic: number;

  constructor(clock: Clock, options: ModelOptions = {}) {
    this.clock = clock;
    this.naming = options.naming ?? 'swp';
    this.defaultMode = options.defaultMode ?? 'dynamic auto';
    this.dualEncapsulation = options.dualEncapsulation ?? false;
    this.vtp = options.vtp ?? 'transparent';
    this.vendorLine = options.vendorLine ?? 'Portkeeper Simulated Switch Software (PSS-UNIVERSAL-M)';
    this.model = options.model ?? 'SIM-TOR';
    this.version = options.version ?? '15.2(7)S1';
    this.serial = options.serial ?? 'SIM0000TOR1';
    this.chassisMac = options.chassisMac ?? '02:5d:00:00:10:00';
    this.speedMbps = options.speedMbps ?? 25_000;
    this.portCount = options.ports ?? 8;
    const uptime = options.uptimeMs ?? 3 * 86_400_000;
    this.bootedAt = clock.now() - uptime;
    this.#bootedMonotonic = clock.monotonic() - uptime;
    this.#factory = this.#factoryConfig(options.hostname ?? 'tor1');
    this.config = copyConfig(this.#factory);
    this.startup = this.#snapshot();
  }

  #factoryConfig(hostname: string): SwitchConfig {
    const ports = new Map<string, PortSettings>();
    for (let i = 1; i <= this.portCount; i++) ports.set(longName(this.naming, i), this.defaults());
    const vlans = new Map<number, VlanRecord>([[1, { name: 'default', state: 'active', shutdown: false }]]);
    for (const [id, name] of RESERVED_VLANS) vlans.set(id, { name, state: 'active', shutdown: false });
    return { hostname, lldpRun: true, ports, vlans };
  }

  /** Settings of a port that nobody configured. */
  defaults(): PortSettings {
    return defaultSettings(this.defaultMode, this.dualEncapsulation ? 'negotiate' : 'dot1q');
  }

  get hostname(): string {
    return this.config.hostname;
  }

  get uptimeMs(): number {
    return this.clock.monotonic() - this.#bootedMonotonic;
  }

  /** Long names of the physical ports, in order. */
  get portNames(): string[] {
    return Array.from({ length: this.portCount }, (_, i) => longName(this.naming, i + 1));
  }

  /** Long names of the Port-channels. */
  get channelNames(): string[] {
    return [...this.config.ports.keys()].filter((name) => name.startsWith('Port-channel'));
  }

  /** The long name for any form of it; null when the switch has no such port or Port-channel. */
  findPort(text: string): string | null {
    const parsed = parseInterfaceName(this.naming, text);
    if (!parsed || parsed.type === 'vlan') return null;
    const name = parsed.type === 'port' ? longName(this.naming, parsed.number) : `Port-channel${parsed.number}`;
    return this.config.ports.has(name) ? name : null;
  }

  /** Settings of a port by its long name. Throws RangeError for an unknown one. */
  port(name: string): PortSettings {
    const settings = this.config.ports.get(name);
    if (!settings) throw new RangeError(`the simulated switch has no port "${name}"`);
    return settings;
  }

  condition(name: string): PortCondition {
    const members = name.startsWith('Port-channel') ? this.members(name) : [];
    if (members.length === 0) return this.#conditions.get(name) ?? UNPLUGGED;
    return { ...UNPLUGGED, link: members.some((member) => this.carried(member).up) };
  }

  /** What the port forwards now; see {@link carried}. */
  carried(name: string): Carried {
    return carried(this.config, this.port(name), this.condition(name));
  }

  trunking(name: string): boolean {
    return isTrunking(this.port(name), this.condition(name));
  }

  /** Long names of the members of a Port-channel. */
  members(channel: string): string[] {
    return [...this.config.ports]
      .filter(([, p]) => `Port-channel${p.channelGroup?.id}` === channel)
      .map(([name]) => name);
  }

  neighbor(name: string): SimNeighbor | null {
    return this.#neighbors.get(name) ?? null;
  }

  /** Changes settings of a port; what is set on a Port-channel goes to its members too. */
  setPort(name: string, change: Partial<PortSettings>): void {
    const before = this.port(name);
    const after = { ...before, ...change };
    this.config.ports.set(name, after);
    if (before.shutdown && !after.shutdown) this.#conditions.set(name, { ...this.condition(name), errDisabled: null });
    if (before.shutdown !== after.shutdown) this.#logAdmin(name, after.shutdown);
    if (!name.startsWith('Port-channel')) return;
    for (const member of this.members(name)) {
      this.config.ports.set(member, { ...this.port(member), ...pick(handedDown(after), change) });
    }
  }

  #logAdmin(name: string, shut: boolean): void {
    if (shut) this.log(`%LINK-5-CHANGED: Interface ${name}, changed state to administratively down`);
    else this.log(`%LINK-3-UPDOWN: Interface ${name}, changed state to ${this.condition(name).link ? 'up' : 'down'}`);
  }

  /** Adds a port to a group; returns true when the Port-channel had to be made. */
  joinChannel(name: string, id: number, mode: string): boolean {
    const channel = `Port-channel${id}`;
    const port = { ...this.port(name), channelGroup: { id, mode } };
    this.config.ports.set(name, port);
    const existing = this.config.ports.get(channel);
    if (existing && !bundles(port, existing)) {
      this.log(`%EC-5-CANNOT_BUNDLE2: ${name} is not compatible with ${channel} and will be suspended`);
    }
    if (!existing) this.config.ports.set(channel, { ...this.defaults(), ...handedDown(port), shutdown: false });
    return existing === undefined;
  }

  /** Deletes a Port-channel; its former members are left shut. */
  deleteChannel(channel: string): void {
    for (const member of this.members(channel)) this.setPort(member, { channelGroup: null, shutdown: true });
    this.config.ports.delete(channel);
  }

  /** Creates or changes a VLAN. False when hardware refuses it, which only the log tells. */
  setVlan(id: number, change: Partial<VlanRecord> = {}): boolean {
    if (this.internalVlans.has(id)) {
      this.log(`%PM-4-EXT_VLAN_INUSE: VLAN ${id} currently in use by ${longName(this.naming, this.portCount)}`);
      this.log(`%SW_VLAN-4-VLAN_CREATE_FAIL: Failed to create VLANs ${id}: VLAN(s) not available in Port Manager`);
      return false;
    }
    const before = this.config.vlans.get(id) ?? { name: defaultVlanName(id), state: 'active', shutdown: false };
    this.config.vlans.set(id, { ...before, ...change });
    return true;
  }

  /** Deletes a VLAN; ports that had it keep the setting and become inactive. The caller protects the default VLANs. */
  deleteVlan(id: number): void {
    this.config.vlans.delete(id);
  }

  /** Plugs a cable with the given host or switch at its other end, or pulls it (null). Unknown port: RangeError. */
  cable(port: string, neighbor: SimNeighbor | null): void {
    const name = this.findPort(port);
    if (name === null) throw new RangeError(`the simulated switch has no port "${port}"`);
    const link = neighbor !== null;
    const was = this.condition(name).link;
    this.#conditions.set(name, { ...this.condition(name), link, dtpPeer: neighbor?.dtp ?? false });
    if (neighbor === null) this.#neighbors.delete(name);
    else this.#neighbors.set(name, neighbor);
    if (was === link || this.port(name).shutdown) return;
    this.log(`%LINK-3-UPDOWN: Interface ${name}, changed state to ${link ? 'up' : 'down'}`);
    this.log(`%LINEPROTO-5-UPDOWN: Line protocol on Interface ${name}, changed state to ${link ? 'up' : 'down'}`);
  }

  /** Err-disables a port for a reason ("bpduguard", "link-flap"), or clears it (null). */
  setErrDisabled(port: string, reason: string | null): void {
    this.#conditions.set(port, { ...this.condition(port), errDisabled: reason });
    if (reason !== null)
      this.log(`%PM-4-ERR_DISABLE: ${reason} error detected on ${port}, putting ${port} in err-disable state`);
  }

  #snapshot(): Startup {
    return { config: copyConfig(this.config), text: renderConfig(this.config, this), savedAt: this.clock.now() };
  }

  /** Makes running-config the startup-config. */
  save(): void {
    this.startup = this.#snapshot();
  }

  /** True when a reload would lose something. */
  get unsaved(): boolean {
    return renderConfig(this.config, this).join('\n') !== this.startup.text.join('\n');
  }

  /** Restarts: the startup-config is what runs afterwards; cables stay plugged. The boot time always differs. */
  reload(reason = 'reload'): void {
    const vlans = this.config.vlans;
    this.config = copyConfig(this.startup.config);
    if (this.vtp !== 'transparent') keepStandardVlans(this.config.vlans, vlans);
    for (const [name, condition] of this.#conditions) this.#conditions.set(name, { ...condition, errDisabled: null });
    this.bootedAt = Math.max(this.clock.now(), this.bootedAt + 1000);
    this.#bootedMonotonic = this.clock.monotonic();
    this.bootReason = reason;
    this.lastChange = null;
  }

  /** Another box of the same kind in the same place: factory configuration, own serial number and MAC, same cables. */
  replaceHardware(identity: { readonly serial: string; readonly chassisMac: string }): void {
    this.serial = identity.serial;
    this.chassisMac = identity.chassisMac;
    this.config = copyConfig(this.#factory);
    this.save();
    this.reload('power-on');
  }

  /** Sends a log message ("%FACILITY-5-NAME: text") to whoever listens. */
  log(message: string): void {
    for (const listener of this.#logListeners) listener(message);
  }

  onLog(listener: (message: string) => void): () => void {
    this.#logListeners.add(listener);
    return () => this.#logListeners.delete(listener);
  }
}

function pick(values: Partial<PortSettings>, keys: Partial<PortSettings>): Partial<PortSettings> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key in keys));
}

/** VLANs 1 to 1005 live in a file of their own unless VTP is transparent: they survive a reload as they were. */
function keepStandardVlans(target: Map<number, VlanRecord>, source: ReadonlyMap<number, VlanRecord>): void {
  for (const id of [...target.keys()]) if (id <= 1005) target.delete(id);
  for (const [id, vlan] of source) if (id <= 1005) target.set(id, vlan);
}
