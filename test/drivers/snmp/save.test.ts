import { describe, expect, it } from 'vitest';
import { save, saveMethodOf } from '../../../drivers/snmp/save.ts';
import { SnmpStatusError } from '../../../drivers/snmp/session-types.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { TestClock } from '../../support/test-clock.ts';

const CC_COPY = '1.3.6.1.4.1.9.9.96.1.1.1.1';

/** A switch that answers what became of a copy: running as often as said, then the end. */
class Copier extends MemorySnmp {
  polls = 0;
  constructor(
    readonly running: number,
    readonly end: number,
  ) {
    super([]);
  }
  override async get(oids: readonly string[]) {
    this.polls++;
    const value = this.polls > this.running ? this.end : 2;
    return oids.map((oid) => ({ oid, type: 'Integer' as const, value: oid.startsWith(`${CC_COPY}.10.`) ? value : 4 }));
  }
}

describe('saving over SNMP', () => {
  it('is known for few vendors, and refused for all others', async () => {
    expect([9, 25506, 11, null].map(saveMethodOf)).toEqual(['cisco-copy', 'comware', 'none', 'none']);
    await expect(save(new MemorySnmp([]), 'none', new TestClock())).rejects.toMatchObject({ kind: 'rejected' });
    const session = new MemorySnmp([]);
    await save(session, 'immediate', new TestClock());
    expect(session.sets).toEqual([]);
  });

  it('on Cisco is a copy that is waited for, and its row is taken away', async () => {
    const clock = new TestClock();
    const session = new Copier(5, 3);
    const saved = save(session, 'cisco-copy', clock);
    await clock.advance(10_000);
    await saved;
    const [start, end] = session.sets;
    expect(start?.map((v) => [v.oid.replace(/\.\d+$/, ''), v.value])).toEqual([
      [`${CC_COPY}.3`, 4],
      [`${CC_COPY}.4`, 3],
      [`${CC_COPY}.14`, 4],
    ]);
    expect(end?.map((v) => v.value)).toEqual([6]);
  });

  it('on old IOS is one object', async () => {
    const session = new MemorySnmp([], {
      onSet: ([first]) => {
        if (first?.oid.startsWith(CC_COPY)) throw new SnmpStatusError('noCreation', first.oid, 'no such table');
      },
    });
    await save(session, 'cisco-copy', new TestClock());
    expect(session.sets.at(-1)).toEqual([{ oid: '1.3.6.1.4.1.9.2.1.54.0', type: 'Integer', value: 1 }]);
  });

  it('that failed, or does not end, is said to have failed', async () => {
    const clock = new TestClock();
    const failed = save(new Copier(1, 4), 'cisco-copy', clock);
    const caught = expect(failed).rejects.toThrow('ccCopyFailCause 4');
    await clock.advance(5_000);
    await caught;
    const endless = save(new Copier(Number.POSITIVE_INFINITY, 3), 'cisco-copy', clock);
    const late = expect(endless).rejects.toThrow('two minutes');
    await clock.advance(200_000);
    await late;
  });
});
