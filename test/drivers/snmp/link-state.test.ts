import { describe, expect, it } from 'vitest';
import { readLinkStates } from '../../../drivers/snmp/link-state.ts';
import type { VarBind } from '../../../drivers/snmp/session-types.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { integer, ticks } from '../../support/snmp-values.ts';

function port(ifIndex: number, admin: number, oper: number, high: number | null, low: number | null): VarBind[] {
  return [
    integer(`1.3.6.1.2.1.2.2.1.7.${ifIndex}`, admin),
    integer(`1.3.6.1.2.1.2.2.1.8.${ifIndex}`, oper),
    ticks(`1.3.6.1.2.1.2.2.1.9.${ifIndex}`, 4200),
    ...(high === null ? [] : [integer(`1.3.6.1.2.1.31.1.1.1.15.${ifIndex}`, high)]),
    ...(low === null ? [] : [integer(`1.3.6.1.2.1.2.2.1.5.${ifIndex}`, low)]),
  ];
}

describe('readLinkStates', () => {
  it('reads several ports with one request, in the order asked, each once', async () => {
    const session = new MemorySnmp([
      ...port(1, 1, 1, 25_000, 0xffff_ffff),
      ...port(7, 1, 2, 0, 0),
      ...port(9, 2, 2, 1000, null),
    ]);
    expect(await readLinkStates(session, [7, 1, 9, 7])).toEqual([
      { ifIndex: 7, adminState: 'up', operState: 'down', speedMbps: null, lastChange: 4200 },
      { ifIndex: 1, adminState: 'up', operState: 'up', speedMbps: 25_000, lastChange: 4200 },
      { ifIndex: 9, adminState: 'down', operState: 'down', speedMbps: null, lastChange: 4200 },
    ]);
    expect(session.stats.requests).toBe(1);
  });

  it('leaves out ports that are gone, and numbers that are no ifIndex', async () => {
    const session = new MemorySnmp(port(1, 1, 1, 1000, null));
    expect((await readLinkStates(session, [0, -1, 1.5, 2 ** 31, Number.NaN, 2, 1])).map((l) => l.ifIndex)).toEqual([1]);
  });

  it('asks nothing for nothing', async () => {
    const session = new MemorySnmp([]);
    expect(await readLinkStates(session, [])).toEqual([]);
    expect(session.stats.requests).toBe(0);
  });

  it.each([
    [null, 1_000_000_000, 1000],
    [0, 100_000_000, 100],
    [null, 0xffff_ffff, null],
    [0, 0, null],
    [null, null, null],
    [null, 9600, null],
  ])('makes of ifHighSpeed %s and ifSpeed %s the speed %s', async (high, low, speed) => {
    expect((await readLinkStates(new MemorySnmp(port(1, 1, 1, high, low)), [1]))[0]?.speedMbps).toBe(speed);
  });

  it.each([
    [3, 'testing'],
    [5, 'dormant'],
    [6, 'notPresent'],
    [7, 'lowerLayerDown'],
    [0, 'unknown'],
    [99, 'unknown'],
  ])('takes ifOperStatus %i for %s', async (status, word) => {
    expect((await readLinkStates(new MemorySnmp(port(1, 1, status, null, null)), [1]))[0]?.operState).toBe(word);
  });

  it('does not say what the agent does not tell', async () => {
    const session = new MemorySnmp([integer('1.3.6.1.2.1.2.2.1.8.1', 1)]);
    expect(await readLinkStates(session, [1])).toEqual([
      { ifIndex: 1, adminState: null, operState: 'up', speedMbps: null, lastChange: null },
    ]);
  });
});
