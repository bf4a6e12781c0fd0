import { describe, expect, it } from 'vitest';
import { foundryVlans } from '../../../drivers/mib/foundry-vlan.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { interfaceValues } from '../../support/snmp-switch.ts';
import { integer, octets } from '../../support/snmp-values.ts';
import { privateSwitchports } from './private-switchports.ts';

const SWITCH = '1.3.6.1.4.1.1991.1.1.3';
const [TAGGED, UNTAGGED, DUAL] = [1, 2, 3];
const member = (vlan: number, tagging: number, port = 1) => integer(`${SWITCH}.2.6.1.4.${vlan}.${port}`, tagging);
const mode = (value: number) => integer(`${SWITCH}.3.5.1.4.1`, value);
const dualVlan = (id: number) => integer(`${SWITCH}.3.5.1.24.1`, id);

/** Port 1; port 2 is access in VLAN 10. */
async function read(...values: readonly VarBind[]) {
  const found = await privateSwitchports(
    foundryVlans,
    [
      ...[1, 2].flatMap((i) => interfaceValues(i, `1/1/${i}`)),
      ...[1, 10, 20].map((id) => octets(`${SWITCH}.2.7.1.21.${id}`, `v${id}`)),
      member(10, UNTAGGED, 2),
      integer(`${SWITCH}.3.5.1.4.2`, UNTAGGED),
      ...values,
    ],
    [1, 2],
  );
  if (found === null) throw new Error('nothing was read');
  return found;
}
const port = async (...values: readonly VarBind[]) => (await read(...values)).shown[0];

describe('a port of a FastIron switch', () => {
  it('is access in the one VLAN that it is untagged in', async () => {
    const { facts, shown } = await read(mode(UNTAGGED), member(20, UNTAGGED));
    expect(shown).toEqual(['access 20 /', 'access 10 /']);
    expect([...facts.vlans.values()].map((v) => `${v.id} ${v.name}`)).toEqual(['1 v1', '10 v10', '20 v20']);
  });

  it('is a trunk without a native VLAN when it is tagged, and with one in dual mode', async () => {
    expect(await port(mode(TAGGED), member(10, TAGGED), member(20, TAGGED))).toBe('trunk null 10,20/');
    expect(await port(mode(DUAL), dualVlan(10), member(10, TAGGED), member(20, TAGGED))).toBe('trunk 10 20/');
    expect(await port(mode(DUAL), dualVlan(10), member(10, UNTAGGED), member(20, TAGGED))).toBe('trunk 10 20/');
  });

  it.each([
    ['without a mode', [member(10, TAGGED)], 'other null 10/: snSwIfInfoTagMode is not told'],
    ['of which nothing is told', [], 'other null /: snSwIfInfoTagMode is not told'],
    ['untagged, but in no VLAN of the table', [mode(UNTAGGED)], 'other null /: in no VLAN by the table'],
    ['untagged, but a tagged member', [mode(UNTAGGED), member(20, TAGGED)], 'other null 20/: '],
    ['untagged in two VLANs', [mode(UNTAGGED), member(10, UNTAGGED), member(20, UNTAGGED)], 'other 10 20/: '],
    ['tagged, but an untagged member', [mode(TAGGED), member(10, TAGGED), member(20, UNTAGGED)], 'other 20 10/: '],
    ['in dual mode of no VLAN', [mode(DUAL), dualVlan(0), member(10, TAGGED)], 'other null 10/: '],
    ['in dual mode of a VLAN that it is not in', [mode(DUAL), dualVlan(20), member(10, TAGGED)], 'other null 10/: '],
    [
      'in dual mode, but untagged in another',
      [mode(DUAL), dualVlan(10), member(10, TAGGED), member(20, UNTAGGED)],
      'other 20 10/: ',
    ],
  ])('%s is other', async (_, values, text) => {
    expect((await port(...values))?.slice(0, text.length)).toBe(text);
  });

  it('is doubtful with all others where a row is none', async () => {
    const { shown } = await read(mode(UNTAGGED), member(20, 7));
    expect(shown[1]).toContain('snVLanByPortMemberTagMode.20.1 is 7');
  });

  it('is not told by a switch without the table', async () => {
    expect(await privateSwitchports(foundryVlans, interfaceValues(1, '1/1/1'), [1])).toBeNull();
  });
});
