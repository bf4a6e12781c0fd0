import { describe, expect, it } from 'vitest';
import { decide, refuse } from '../../../agent/pipeline/intake.ts';
import { validateIntent } from '../../../agent/pipeline/validate.ts';
import { emptyState, type State, stateSchema } from '../../../agent/store/state.ts';
import { access } from '../../support/test-rack.ts';

const AT = '2026-01-01T00:00:00.000Z';

function put(state: State, revision: number, attachments: Record<string, unknown>, publisher = 'p') {
  const valid = validateIntent({ revision, attachments });
  if (!valid.ok) throw new Error(JSON.stringify(valid.errors));
  return decide(state, publisher, valid.document, AT);
}

function accepted(state: State, revision: number, attachments: Record<string, unknown>, publisher = 'p'): State {
  const decision = put(state, revision, attachments, publisher);
  if (decision.kind === 'refused') throw new Error(decision.message);
  return decision.state;
}

describe('the revision rules', () => {
  const first = accepted(emptyState('r1'), 5, { a: access('swp1', 100) });

  it('refuses an older revision and the same with other content, and takes a repeat for what it is', () => {
    expect(put(first, 4, {})).toMatchObject({ kind: 'refused', reason: 'StaleRevision' });
    expect(put(first, 5, {})).toMatchObject({ kind: 'refused', reason: 'RevisionConflict' });
    expect(put(first, 5, { a: access('swp1', 100) })).toMatchObject({ kind: 'repeated' });
    expect(put(first, 6, {})).toMatchObject({ kind: 'accepted', touched: ['a'] });
  });

  it('forgets a refusal when a good document comes', () => {
    const bad = refuse(first, 'p', { reason: 'Malformed', message: 'x', revision: null, errors: [] }, AT);
    expect(bad.publishers['p']?.refused?.reason).toBe('Malformed');
    expect(bad.publishers['p']?.accepted?.revision).toBe(5);
    expect(accepted(bad, 5, { a: access('swp1', 100) }).publishers['p']?.refused).toBeNull();
    expect(accepted(bad, 6, {}).publishers['p']?.refused).toBeNull();
  });

  it('remembers withdrawals until they are carried out, and forgets them when the attachment comes back', () => {
    const gone = accepted(first, 6, {});
    expect(Object.keys(gone.publishers['p']?.withdrawing ?? {})).toEqual(['a']);
    const back = accepted(gone, 7, { a: access('swp1', 200) });
    expect(back.publishers['p']?.withdrawing).toEqual({});
  });

  it('keeps the claim of an attachment as long as it keeps its port', () => {
    const other = accepted(first, 1, { z: access('swp1', 100) }, 'q');
    const changed = accepted(other, 6, { a: access('swp1', 200) });
    expect(changed.publishers['p']?.accepted?.claims['a']).toBe(1);
    const moved = accepted(changed, 7, { a: access('swp2', 200) });
    expect(moved.publishers['p']?.accepted?.claims['a']).toBeGreaterThan(
      other.publishers['q']?.accepted?.claims['z'] ?? 0,
    );
  });

  it('survives names that objects have by nature', () => {
    const odd = accepted(emptyState('r1'), 1, {
      constructor: access('swp1', 100),
      toString: access('swp2', 100),
      hasOwnProperty: access('swp3', 100),
    });
    const state = accepted(odd, 2, { constructor: access('swp1', 200) });
    expect(Object.keys(state.publishers['p']?.withdrawing ?? {}).sort()).toEqual(['hasOwnProperty', 'toString']);
    expect(stateSchema.safeParse(state).success).toBe(true);
  });

  it('gives a document with the same content the same digest, however it is written', () => {
    const a = { port: { portId: 'swp1', switchId: 'tor1' }, switchport: { nativeVLAN: 100, mode: 'access' } };
    expect(put(first, 5, { a })).toMatchObject({ kind: 'repeated' });
  });

  it('remembers only so many publishers', () => {
    let state = emptyState('r1');
    for (let i = 0; i < 256; i++) state = accepted(state, 1, {}, `p${i}`);
    expect(put(state, 1, {}, 'one-more')).toMatchObject({ kind: 'refused', reason: 'PublisherNotAllowed' });
    expect(
      Object.keys(
        refuse(state, 'one-more', { reason: 'Malformed', message: '', revision: null, errors: [] }, AT).publishers,
      ),
    ).toHaveLength(256);
    expect(put(state, 2, {}, 'p7')).toMatchObject({ kind: 'accepted' });
  });

  it('lets no crowd of names that never got in keep a publisher out', () => {
    const refusal = { reason: 'PublisherNotAllowed', message: '', revision: 1, errors: [] } as const;
    let state = accepted(emptyState('r1'), 1, { a: access('swp1', 100) }, 'first');
    for (let i = 0; i < 300; i++)
      state = refuse(state, `x${i}`, refusal, new Date(Date.parse(AT) + i * 1000).toISOString());
    expect(Object.keys(state.publishers)).toHaveLength(256);
    expect(state.publishers['x0'], 'the oldest makes way').toBeUndefined();
    expect(state.publishers['x299']).toBeDefined();
    expect(state.publishers['first']?.accepted?.revision).toBe(1);
    const next = accepted(state, 1, { b: access('swp2', 100) }, 'second');
    expect(Object.keys(next.publishers)).toHaveLength(256);
    expect(accepted(next, 2, {}, 'first').publishers['second']?.accepted?.revision).toBe(1);
  });
});
