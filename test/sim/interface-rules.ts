import type { CommandContext } from './command-context.ts';
import type { Rule } from './grammar.ts';
import type { PortMode, PortSettings } from './port-settings.ts';
import type { SwitchModel } from './switch-model.ts';
import { ALL_VLANS, NO_VLANS, parseVlanList, subtract, unite, type VlanIds } from './vlan-list.ts';

type Change = (port: PortSettings, name: string) => Partial<PortSettings>;
type InterfaceRule = Rule<CommandContext>;

const NO_NEGOTIATE =
  'Command rejected: An interface must be configured to the "Access" or "Trunk" modes to be configured to "NoNegotiate."';
const NO_ENCAPSULATION =
  'Command rejected: An interface whose trunk encapsulation is "Auto" can not be configured to "trunk" mode.';

function ports(context: CommandContext): readonly string[] {
  const { mode } = context.state;
  return mode.kind === 'interface' ? mode.ports : [];
}

function set(context: CommandContext, change: Change | Partial<PortSettings>): void {
  for (const name of ports(context)) {
    const port = context.model.port(name);
    context.model.setPort(name, typeof change === 'function' ? change(port, name) : change);
  }
}

/** As `set`, for layer 2 commands: a routed port refuses them. */
function setL2(context: CommandContext, change: Change | Partial<PortSettings>): boolean {
  const routed = ports(context).filter((name) => context.model.port(name).mode === 'routed');
  for (const name of routed) context.reject(`Command rejected: ${name} not a switching port.`);
  if (routed.length === 0) set(context, change);
  return routed.length === 0;
}

function setMode(context: CommandContext, mode: PortMode): void {
  for (const name of ports(context)) {
    const port = context.model.port(name);
    if (mode === 'trunk' && port.encapsulation === 'negotiate') {
      context.reject(NO_ENCAPSULATION);
      return;
    }
    if (mode.startsWith('dynamic') && port.nonegotiate) {
      context.reject(NO_NEGOTIATE);
      return;
    }
  }
  setL2(context, { mode });
}

function setNoNegotiate(context: CommandContext): void {
  const dynamic = ports(context).some((name) => context.model.port(name).mode.startsWith('dynamic'));
  if (dynamic) context.reject(NO_NEGOTIATE);
  else setL2(context, { nonegotiate: true });
}

function setAccessVlan(context: CommandContext, id: number): void {
  if (id >= 1002 && id <= 1005) {
    context.reject(`Command rejected: VLAN ${id} is reserved.`);
    return;
  }
  if (!setL2(context, { accessVlan: id }) || context.model.config.vlans.has(id)) return;
  context.print(`% Access VLAN does not exist. Creating vlan ${id}`);
  context.model.setVlan(id);
}

/** `switchport trunk allowed vlan LIST`, or with add, remove or except. */
function setAllowed(context: CommandContext, text: string, combine: (now: VlanIds, list: VlanIds) => VlanIds): void {
  const list = parseVlanList(text);
  if (typeof list === 'string') context.reject(`Command rejected: ${list}`);
  else setL2(context, (port) => ({ allowed: combine(port.allowed, list) }));
}

function setRouted(context: CommandContext, routed: boolean): void {
  const { model } = context;
  set(context, (port) => {
    if ((port.mode === 'routed') === routed) return {};
    const { accessVlan, nativeVlan, allowed, encapsulation, nonegotiate, mode } = model.defaults();
    return { accessVlan, nativeVlan, allowed, encapsulation, nonegotiate, mode: routed ? 'routed' : mode };
  });
}

function joinChannel(context: CommandContext, id: number, mode: string): void {
  const { model } = context;
  for (const name of ports(context)) {
    const channel = `Port-channel${id}`;
    const existing = model.config.ports.get(channel);
    if (name.startsWith('Port-channel')) {
      context.reject(`Command rejected: ${name} is a port-channel.`);
      return;
    }
    if (existing && (existing.mode === 'routed') !== (model.port(name).mode === 'routed')) {
      context.reject(`Command rejected (${channel}, ${name}): Either port is L2 and port-channel is L3, or vice-versa`);
      return;
    }
    if (model.joinChannel(name, id, mode)) context.print(`Creating a port-channel interface Port-channel ${id}`, '');
  }
}

function setPortfast(context: CommandContext, portfast: PortSettings['portfast']): void {
  set(context, { portfast });
  context.print(
    '%Warning: portfast should only be enabled on ports connected to a single',
    ' host. Connecting hubs, concentrators, switches, bridges, etc... to this',
    ' interface when portfast is enabled, can cause temporary bridging loops.',
    ' Use with CAUTION',
    '',
  );
  for (const name of ports(context)) {
    if (portfast === 'trunk') continue;
    context.print(
      `%Portfast has been configured on ${name} but will only`,
      ' have effect when the interface is in a non-trunking mode.',
    );
  }
}

/** Commands of (config-if) and (config-if-range). */
export function interfaceRules(model: SwitchModel): readonly InterfaceRule[] {
  return [
    ...l2Rules,
    ...trunkRules,
    ...(model.dualEncapsulation ? encapsulationRules : []),
    ...portRules,
    ...['active', 'passive', 'on'].map(
      (mode): InterfaceRule => ({
        pattern: `channel-group <1-128> mode ${mode}`,
        run: (c, [id]) => joinChannel(c, Number(id), mode),
      }),
    ),
  ];
}

const encapsulationRules: readonly InterfaceRule[] = [
  { pattern: 'switchport trunk encapsulation dot1q', run: (c) => setL2(c, { encapsulation: 'dot1q' }) },
  { pattern: 'switchport trunk encapsulation negotiate', run: (c) => setL2(c, { encapsulation: 'negotiate' }) },
];

const l2Rules: readonly InterfaceRule[] = [
  { pattern: 'switchport', run: (c) => setRouted(c, false) },
  { pattern: 'no switchport', run: (c) => setRouted(c, true) },
  { pattern: 'switchport mode access', run: (c) => setMode(c, 'access') },
  { pattern: 'switchport mode trunk', run: (c) => setMode(c, 'trunk') },
  { pattern: 'switchport mode dynamic auto', run: (c) => setMode(c, 'dynamic auto') },
  { pattern: 'switchport mode dynamic desirable', run: (c) => setMode(c, 'dynamic desirable') },
  { pattern: 'no switchport mode', ignoreRest: true, run: (c) => setMode(c, c.model.defaultMode) },
  { pattern: 'switchport access vlan <1-4094>', run: (c, [id]) => setAccessVlan(c, Number(id)) },
  { pattern: 'no switchport access vlan', ignoreRest: true, run: (c) => setL2(c, { accessVlan: 1 }) },
  { pattern: 'switchport nonegotiate', run: setNoNegotiate },
  { pattern: 'no switchport nonegotiate', run: (c) => setL2(c, { nonegotiate: false }) },
];

const trunkRules: readonly InterfaceRule[] = [
  { pattern: 'switchport trunk native vlan <1-4094>', run: (c, [id]) => setL2(c, { nativeVlan: Number(id) }) },
  { pattern: 'no switchport trunk native vlan', ignoreRest: true, run: (c) => setL2(c, { nativeVlan: 1 }) },
  { pattern: 'switchport trunk allowed vlan all', run: (c) => setL2(c, { allowed: ALL_VLANS }) },
  { pattern: 'switchport trunk allowed vlan none', run: (c) => setL2(c, { allowed: NO_VLANS }) },
  { pattern: 'switchport trunk allowed vlan add <word>', run: (c, [list = '']) => setAllowed(c, list, unite) },
  { pattern: 'switchport trunk allowed vlan remove <word>', run: (c, [list = '']) => setAllowed(c, list, subtract) },
  {
    pattern: 'switchport trunk allowed vlan except <word>',
    run: (c, [list = '']) => setAllowed(c, list, (_, except) => subtract(ALL_VLANS, except)),
  },
  { pattern: 'switchport trunk allowed vlan <word>', run: (c, [text = '']) => setAllowed(c, text, (_, list) => list) },
  // Whatever follows is ignored: "no switchport trunk allowed vlan remove 10" opens the port to all VLANs.
  { pattern: 'no switchport trunk allowed vlan', ignoreRest: true, run: (c) => setL2(c, { allowed: ALL_VLANS }) },
];

const portRules: readonly InterfaceRule[] = [
  {
    pattern: 'exit',
    run: (c) => {
      c.state.mode = { kind: 'config' };
    },
  },
  { pattern: 'shutdown', run: (c) => set(c, { shutdown: true }) },
  { pattern: 'no shutdown', run: (c) => set(c, { shutdown: false }) },
  { pattern: 'description <line>', run: (c, [text = '']) => set(c, { description: text.slice(0, 240) }) },
  { pattern: 'no description', ignoreRest: true, run: (c) => set(c, { description: '' }) },
  { pattern: 'mtu <1500-9216>', run: (c, [mtu]) => set(c, { mtu: Number(mtu) }) },
  { pattern: 'no mtu', ignoreRest: true, run: (c) => set(c, { mtu: 1500 }) },
  { pattern: 'speed auto', run: (c) => set(c, { speed: 'auto' }) },
  { pattern: 'speed <10-400000>', run: (c, [speed]) => set(c, { speed: Number(speed) }) },
  { pattern: 'no speed', ignoreRest: true, run: (c) => set(c, { speed: 'auto' }) },
  { pattern: 'no channel-group', ignoreRest: true, run: (c) => set(c, { channelGroup: null }) },
  { pattern: 'spanning-tree portfast', run: (c) => setPortfast(c, 'edge') },
  { pattern: 'spanning-tree portfast edge', run: (c) => setPortfast(c, 'edge') },
  { pattern: 'spanning-tree portfast trunk', run: (c) => setPortfast(c, 'trunk') },
  { pattern: 'spanning-tree portfast edge trunk', run: (c) => setPortfast(c, 'trunk') },
  { pattern: 'no spanning-tree portfast', ignoreRest: true, run: (c) => set(c, { portfast: 'no' }) },
  { pattern: 'spanning-tree bpduguard enable', run: (c) => set(c, { bpduguard: true }) },
  { pattern: 'spanning-tree bpduguard disable', run: (c) => set(c, { bpduguard: false }) },
  { pattern: 'no spanning-tree bpduguard', ignoreRest: true, run: (c) => set(c, { bpduguard: false }) },
];
