import { describe, expect, it } from 'vitest';
import { inheritedSockets } from '../../../agent/local/activation.ts';

const env = { LISTEN_PID: '42', LISTEN_FDS: '2', LISTEN_FDNAMES: 'status:control' };

describe('inheritedSockets', () => {
  it('takes the sockets by name, whatever their order', () => {
    expect(inheritedSockets(env, 42)).toEqual({ status: 3, control: 4 });
    expect(inheritedSockets({ ...env, LISTEN_FDNAMES: 'control:status' }, 42)).toEqual({ control: 3, status: 4 });
    expect(inheritedSockets({ ...env, LISTEN_FDS: '3', LISTEN_FDNAMES: 'web:status:other' }, 42)).toEqual({
      status: 4,
    });
  });

  it.each([
    ['of another process', { ...env, LISTEN_PID: '41' }],
    ['without a process', { LISTEN_FDS: '2', LISTEN_FDNAMES: 'status:control' }],
    ['without a number', { ...env, LISTEN_FDS: 'two' }],
    ['of none', { ...env, LISTEN_FDS: '0' }],
    ['without names', { LISTEN_PID: '42', LISTEN_FDS: '2' }],
  ])('takes nothing %s', (_, variables) => {
    expect(inheritedSockets(variables, 42)).toEqual({});
  });

  it('believes the number before the names', () => {
    expect(inheritedSockets({ ...env, LISTEN_FDS: '1' }, 42)).toEqual({ status: 3 });
  });
});
