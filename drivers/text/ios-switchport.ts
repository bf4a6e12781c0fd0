import { DriverError } from '../errors.ts';
import { type ConfiguredSwitchport, configured } from '../model/switchport.ts';
import { sanitizeText } from '../model/text.ts';
import { VlanSet, VlanSyntaxError } from '../model/vlan-set.ts';

/** Start of the detail of a port that also has a voice VLAN, which is carried tagged beside the access VLAN. */
export const VOICE = 'voice VLAN';
/** Lines that change nothing about which VLANs a port carries. */
const NEUTRAL = /^switchport(?: nonegotiate| trunk encapsulation dot1q| port-security| protected| block |$)/;

/**
 * The `switchport` lines of one interface. What is not known is never taken for harmless: it makes the mode `other`. Without
 * a mode line it is `defaultMode`: on IOS a port then negotiates its mode.
 */
export function parseSwitchport(lines: readonly string[], defaultMode = 'dynamic auto'): ConfiguredSwitchport {
  let mode = defaultMode;
  let access = 1;
  let native = 1;
  let allowed = VlanSet.ALL;
  let unusual = '';
  for (const line of lines) {
    const vlan = /^switchport (access|trunk native) vlan (\d+)$/.exec(line);
    const list = /^switchport trunk allowed vlan (.+)$/.exec(line)?.[1];
    if (line === 'no switchport') return configured('routed', null);
    else if (line.startsWith('switchport mode ')) mode = line.slice('switchport mode '.length);
    else if (vlan?.[1] === 'access') access = Number(vlan[2]);
    else if (vlan) native = Number(vlan[2]);
    else if (list !== undefined) allowed = allowedList(list, allowed);
    else if (line.startsWith('switchport voice vlan '))
      unusual = `${VOICE} ${line.slice('switchport voice vlan '.length)}`;
    else if (line.startsWith('switchport') && !NEUTRAL.test(line)) unusual = line;
  }
  if (unusual !== '' || (mode !== 'access' && mode !== 'trunk'))
    return configured('other', null, VlanSet.EMPTY, VlanSet.EMPTY, sanitizeText(unusual || mode, 64));
  if (mode === 'access') return configured('access', access);
  return configured('trunk', allowed.has(native) ? native : null, allowed);
}

/** A long list is shown as one line and more lines with `add`. */
function allowedList(text: string, before: VlanSet): VlanSet {
  const [word = '', rest = ''] = text.split(' ');
  try {
    if (word === 'none') return VlanSet.EMPTY;
    if (word === 'all') return VlanSet.ALL;
    if (word === 'add') return before.union(VlanSet.parse(rest));
    if (word === 'remove') return before.minus(VlanSet.parse(rest));
    if (word === 'except') return VlanSet.ALL.minus(VlanSet.parse(rest));
    return VlanSet.parse(text);
  } catch (error) {
    if (!(error instanceof VlanSyntaxError)) throw error;
    throw new DriverError('parse', `a list of allowed VLANs cannot be read: ${error.message}`, { cause: error });
  }
}
