import { describe, expect, it } from 'vitest';
import { compareWithPrior, judge } from '../../../agent/cli/publish-wait.ts';
import type { AttachmentResult, ResultDocument } from '../../../agent/model/report.ts';
import { resultDocument } from '../../support/fake-reader.ts';

function result(
  states: readonly (readonly [AttachmentResult['state'], AttachmentResult['reason']])[],
  more: Partial<ResultDocument> = {},
) {
  const counts = { pending: 0, applied: 0, held: 0, failed: 0, rejected: 0, withdrawing: 0 };
  const attachments = Object.fromEntries(
    states.map(([state, reason], i) => {
      counts[state]++;
      return [
        `a${i}`,
        { state, reason, message: '', switch: null, port: null, changedAt: null, verifiedAt: null, readBack: null },
      ];
    }),
  );
  return resultDocument({ revision: 5, state: 'pending', attachments, counts, ...more });
}

describe('judge', () => {
  it.each([
    ['applied', result([['applied', 'Applied']])],
    ['applied', result([])],
    [
      'open',
      result([
        ['applied', 'Applied'],
        ['pending', 'AwaitingSwitch'],
      ]),
    ],
    [
      'open',
      result([
        ['failed', 'VerifyFailed'],
        ['pending', 'AwaitingSwitch'],
      ]),
    ],
    ['open', result([['withdrawing', 'SwitchUnreachable']])],
    [
      'failed',
      result([
        ['applied', 'Applied'],
        ['failed', 'VerifyFailed'],
      ]),
    ],
    ['failed', result([['held', 'NeighborMismatch']])],
    ['failed', result([['rejected', 'PortUnknown']])],
    [
      'observe-only',
      result([
        ['pending', 'ObserveOnly'],
        ['applied', 'Applied'],
      ]),
    ],
    [
      'open',
      result([
        ['pending', 'ObserveOnly'],
        ['pending', 'AwaitingSwitch'],
      ]),
    ],
    ['open', result([['applied', 'Applied']], { revision: 4 })],
    ['open', result([], { revision: null })],
    ['superseded', result([['applied', 'Applied']], { revision: 6 })],
    ['refused', result([['applied', 'Applied']], { revision: 4, state: 'rejected', rejectedRevision: 5 })],
    // Somebody's later document was refused: ours is in force all the same.
    ['applied', result([['applied', 'Applied']], { state: 'rejected', rejectedRevision: 9 })],
  ] as const)('%s', (verdict, document) => {
    expect(judge(document, 5)).toBe(verdict);
  });
});

describe('compareWithPrior', () => {
  const document = { revision: 5, attachments: { a: { network: 'idle', port: { switchId: 'tor1', portId: 'swp1' } } } };

  it('lets a new revision through, and what is not known', () => {
    expect(compareWithPrior(document, null, null)).toEqual({ kind: 'new' });
    expect(compareWithPrior(document, 4, { revision: 4, attachments: {} })).toEqual({ kind: 'new' });
    expect(compareWithPrior(document, 5, null)).toEqual({ kind: 'repeated' });
  });

  it('knows the same document however it is written', () => {
    const { revision, attachments } = document;
    expect(compareWithPrior(document, 5, { attachments, revision })).toEqual({ kind: 'repeated' });
  });

  it('sees that the agent would refuse it', () => {
    expect(compareWithPrior(document, 6, null)).toMatchObject({
      kind: 'hopeless',
      message: expect.stringContaining('older'),
    });
    expect(compareWithPrior(document, 5, { revision: 5, attachments: {} })).toMatchObject({
      kind: 'hopeless',
      message: expect.stringContaining('other content'),
    });
  });
});
