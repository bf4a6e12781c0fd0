import { describe, expect, it } from 'vitest';
import { huaweiVlans } from '../../../drivers/mib/huawei-vlan.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { interfaceValues } from '../../support/snmp-switch.ts';
import { integer, octets } from '../../support/snmp-values.ts';
import { bitmap, privateSwitchports } from './private-switchports.ts';

const L2IF = '1.3.6.1.4.1.2011.5.25.42.1.1.1';
const [TRUNK, ACCESS, HYBRID, TUNNEL] = [1, 2, 3, 5];

/** Two columns of one table: VLANs below 2048, and the others. */
const lists = (table: number, low: number, ids: readonly number[]) => [
  octets(
    `${L2IF}.${table}.1.${low}.1`,
    bitmap(
      ids.filter((id) => id < 2048),
      256,
    ),
  ),
  octets(
    `${L2IF}.${table}.1.${low + 1}.1`,
    bitmap(
      ids.filter((id) => id >= 2048).map((id) => id - 2048),
      256,
    ),
  ),
];
const passing = (...ids: readonly number[]) => lists(10, 2, ids);
const hybrid = (tagged: readonly number[], untagged: readonly number[]) => [
  ...lists(9, 2, tagged),
  ...lists(9, 4, untagged),
];

/** Interface 6, which is port 1 of the MIB. */
async function port(type: number | null, pvid: number, ...values: readonly VarBind[]): Promise<string | undefined> {
  const read = await privateSwitchports(
    huaweiVlans,
    [
      ...interfaceValues(6, 'GigabitEthernet0/0/1'),
      ...[1, 10, 20, 3000].map((id) => octets(`1.3.6.1.4.1.2011.5.25.42.3.1.1.1.1.2.${id}`, `v${id}`)),
      integer(`${L2IF}.3.1.2.1`, 6),
      ...(type === null ? [] : [integer(`${L2IF}.3.1.3.1`, type)]),
      integer(`${L2IF}.3.1.4.1`, pvid),
      ...values,
    ],
    [6],
  );
  return read?.shown[0];
}

describe('a port of a Huawei switch', () => {
  it('is access in its PVID', async () => {
    expect(await port(ACCESS, 10, ...passing())).toBe('access 10 /');
  });

  it('is a trunk of the VLANs that pass, of which the PVID is native', async () => {
    expect(await port(TRUNK, 1, ...passing(1, 10, 3000))).toBe('trunk 1 10,3000/');
    expect(await port(TRUNK, 1, ...passing(10, 2047, 2048))).toBe('trunk null 10,2047-2048/');
  });

  it('is hybrid with what leaves tagged and untagged; what leaks is not hidden', async () => {
    expect(await port(HYBRID, 10, ...hybrid([20, 3000], [10]))).toBe('hybrid 10 20,3000/');
    expect(await port(HYBRID, 10, ...hybrid([20], [1, 10]))).toBe('hybrid 10 20/1');
    expect(await port(HYBRID, 10, ...hybrid([20], [1]))).toMatch(/^other 10 20\/1: /);
    expect(await port(HYBRID, 10, ...hybrid([10], [10]))).toMatch(/^other /);
  });

  it('of which something is not told is other', async () => {
    expect(await port(null, 1, ...passing(1, 10))).toMatch(/^other 1 10\/: /);
    expect(await port(TUNNEL, 1, ...passing(1, 10))).toMatch(/^other 1 10\/: /);
    expect(await port(TRUNK, 0, ...passing(1, 10))).toMatch(/^other null 1,10\/: /);
    expect(await port(TRUNK, 1, ...passing(1, 10).slice(0, 1))).toMatch(/^other 1 10\/: /);
    expect(await port(HYBRID, 1, ...passing(1, 10))).toMatch(/^other 1 10\/: /);
  });

  it('is not told by a switch without the lists', async () => {
    expect(await port(ACCESS, 10)).toBeUndefined();
  });
});
