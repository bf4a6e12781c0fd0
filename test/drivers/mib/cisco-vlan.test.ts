import { describe, expect, it } from 'vitest';
import { ciscoVlans } from '../../../drivers/mib/cisco-vlan.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { interfaceValues } from '../../support/snmp-switch.ts';
import { integer, octets } from '../../support/snmp-values.ts';
import { bitmap, privateSwitchports } from './private-switchports.ts';

const VTP = '1.3.6.1.4.1.9.9.46.1';
const VM = '1.3.6.1.4.1.9.9.68.1';
const [ON, OFF, DESIRABLE] = [1, 2, 3];

const vlan = (id: number, state = 1) => [
  integer(`${VTP}.3.1.1.2.1.${id}`, state),
  integer(`${VTP}.3.1.1.3.1.${id}`, 1),
  octets(`${VTP}.3.1.1.4.1.${id}`, `v${id}`),
];
const access = (port: number, id: number) => [
  integer(`${VTP}.6.1.1.13.${port}`, OFF),
  integer(`${VTP}.6.1.1.5.${port}`, 1),
  integer(`${VM}.2.2.1.1.${port}`, 1),
  integer(`${VM}.2.2.1.2.${port}`, id),
];
const trunk = (port: number, native: number, ids: readonly number[], state = ON) => [
  integer(`${VTP}.6.1.1.13.${port}`, state),
  integer(`${VTP}.6.1.1.5.${port}`, native),
  octets(`${VTP}.6.1.1.4.${port}`, bitmap(ids)),
];
const base = [...[1, 2].flatMap((i) => interfaceValues(i, `Gi0/${i}`)), ...[1, 10, 20, 30].flatMap((id) => vlan(id))];

/** Port 1, with port 2 beside it, which is access in VLAN 10 and stays so. */
async function port(...values: readonly VarBind[]): Promise<string | undefined> {
  const read = await privateSwitchports(ciscoVlans, [...base, ...access(2, 10), ...values], [1, 2]);
  expect(read?.shown[1]).toBe('access 10 /');
  return read?.shown[0];
}

describe('a port of a Cisco switch', () => {
  it('is access or trunk as it is configured', async () => {
    expect(await port(...access(1, 20))).toBe('access 20 /');
    expect(await port(...trunk(1, 10, [10, 20]))).toBe('trunk 10 20/');
    expect(await port(...trunk(1, 1, [10, 20]))).toBe('trunk null 10,20/');
  });

  it('that is configured to negotiate is other, whatever it does now', async () => {
    const status = integer(`${VTP}.6.1.1.14.1`, 1);
    expect(await port(...trunk(1, 10, [10, 20], DESIRABLE), status)).toContain('other');
    // Configured as a trunk, and without link.
    expect(await port(...trunk(1, 10, [10, 20]), integer(`${VTP}.6.1.1.14.1`, 2))).toBe('trunk 10 20/');
  });

  it('with a voice VLAN carries that tagged, and is no access port', async () => {
    const voice = (id: number) => integer(`${VM}.5.1.1.1.1`, id);
    expect(await port(...access(1, 20), voice(30))).toMatch(/^other 20 30\/: access, but a tagged member/);
    for (const none of [0, 4095, 4096]) expect(await port(...access(1, 20), voice(none))).toBe('access 20 /');
    expect(await port(...access(1, 20), voice(4097))).toContain('vmVoiceVlanId is 4097');
  });

  it.each([
    ['a tunnel', integer(`${VTP}.6.1.1.29.1`, 2), 'an 802.1Q tunnel'],
    ['a private VLAN', integer('1.3.6.1.4.1.9.9.173.1.2.3.1.1.1', 2), 'a port of a private VLAN'],
    ['a layer that the MIB does not know', integer('1.3.6.1.4.1.9.9.151.1.1.1.1.2.1', 3), 'cL2L3IfModeOper is 3'],
  ])('of %s is other', async (_, value, detail) => {
    expect(await port(...access(1, 20), value)).toMatch(new RegExp(`^other 20 /: ${detail}`));
    expect(await port(...trunk(1, 10, [10, 20]), value)).toMatch(new RegExp(`^other 10 20/: ${detail}`));
  });

  it('of which the same objects say nothing special is as it is configured', async () => {
    const usual = [
      integer(`${VTP}.6.1.1.29.1`, 3),
      integer('1.3.6.1.4.1.9.9.173.1.2.3.1.1.1', 1),
      integer('1.3.6.1.4.1.9.9.151.1.1.1.1.2.1', 2),
    ];
    expect(await port(...access(1, 20), ...usual)).toBe('access 20 /');
  });

  it('whose VLAN was assigned by a server is other', async () => {
    const dynamic = access(1, 20).with(2, integer(`${VM}.2.2.1.1.1`, 2));
    expect(await port(...dynamic)).toContain('not configured, but assigned (vmVlanType 2)');
  });

  it('in a VLAN that is suspended is other', async () => {
    expect(await port(...vlan(40, 2), ...access(1, 40))).toMatch(/^other 40 \/: VLAN 40 is not operational/);
    expect(await port(...vlan(40, 2), ...trunk(1, 10, [10, 40]))).toMatch(/^other 10 40\/: VLAN 40 is not operational/);
    expect(await port(...vlan(40, 2), ...trunk(1, 10, [10, 20]))).toBe('trunk 10 20/');
  });

  it('that is routed has no VLAN', async () => {
    expect(await port(integer('1.3.6.1.4.1.9.9.151.1.1.1.1.2.1', 1))).toBe('routed null /');
  });
});
