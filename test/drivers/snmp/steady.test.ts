import { describe, expect, it } from 'vitest';
import { OID } from '../../../drivers/mib/oids.ts';
import { readSteadily } from '../../../drivers/snmp/steady.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { ticks } from '../../support/snmp-values.ts';

/** Reads under an agent whose sysUpTime and ifTableLastChange become the next pair with each reading. */
async function read(states: readonly (readonly [number, number])[], same = false) {
  const session = new MemorySnmp([]);
  const become = (state: readonly [number, number] | undefined) => {
    if (state === undefined) return;
    session.values.set(`${OID.sysUpTime}.0`, ticks(`${OID.sysUpTime}.0`, state[0]));
    session.values.set(`${OID.ifTableLastChange}.0`, ticks(`${OID.ifTableLastChange}.0`, state[1]));
  };
  become(states[0]);
  let readings = 0;
  let compared = 0;
  const reading = readSteadily(
    session,
    async () => {
      readings++;
      become(states[readings]);
      return readings;
    },
    async () => {
      compared++;
      return same;
    },
  );
  const result = await reading.catch((error: unknown) => error);
  return { result, readings, compared };
}

describe('a reading', () => {
  it('stands when the agent ran on', async () => {
    expect(
      await read([
        [100, 5],
        [200, 5],
      ]),
    ).toEqual({ result: 1, readings: 1, compared: 0 });
  });

  it('is done once more after a restart', async () => {
    expect(
      await read([
        [100, 5],
        [20, 5],
        [30, 5],
      ]),
    ).toMatchObject({ result: 2, readings: 2 });
  });

  it('fails after the second restart', async () => {
    const { result, readings } = await read([
      [100, 5],
      [50, 5],
      [20, 5],
    ]);
    expect([result, readings]).toEqual([expect.objectContaining({ kind: 'unreachable' }), 2]);
  });

  it('is done once more when interfaces came or went', async () => {
    expect(
      await read([
        [100, 5],
        [200, 150],
        [300, 150],
      ]),
    ).toEqual({ result: 2, readings: 2, compared: 1 });
  });

  it('fails when they do so each time', async () => {
    const { result } = await read([
      [100, 5],
      [200, 150],
      [300, 250],
    ]);
    expect(result).toMatchObject({ kind: 'busy' });
  });

  it('stands when the interfaces are the same although the agent says that something changed', async () => {
    expect(
      await read(
        [
          [100, 100],
          [200, 200],
        ],
        true,
      ),
    ).toEqual({ result: 1, readings: 1, compared: 1 });
  });

  it('stands when the agent tells neither', async () => {
    expect(await read([])).toEqual({ result: 1, readings: 1, compared: 0 });
  });
});
