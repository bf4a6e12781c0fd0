import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateIntent } from '../../../agent/pipeline/validate.ts';

const PORT = { switchId: 'tor1', portId: 'swp1' };

function errorsOf(attachment: unknown, extra: Record<string, unknown> = {}) {
  const result = validateIntent({ revision: 1, attachments: { a: attachment }, ...extra });
  return result.ok ? [] : result.errors.map((e) => `${e.path}: ${e.message}`);
}

describe('validateIntent', () => {
  it.each([
    ['VLAN 0', { mode: 'access', nativeVLAN: 0 }, 'attachments.a.switchport.nativeVLAN'],
    ['VLAN 4095', { mode: 'access', nativeVLAN: 4095 }, 'attachments.a.switchport.nativeVLAN'],
    ['a VLAN as text', { mode: 'access', nativeVLAN: '100' }, 'attachments.a.switchport.nativeVLAN'],
    ['a fraction', { mode: 'access', nativeVLAN: 1.5 }, 'attachments.a.switchport.nativeVLAN'],
    ['access without VLAN', { mode: 'access' }, 'attachments.a.switchport.nativeVLAN'],
    [
      'access with tagged VLANs',
      { mode: 'access', nativeVLAN: 1, allowedVLANs: [2] },
      'attachments.a.switchport.allowedVLANs',
    ],
    ['trunk without a list', { mode: 'trunk', nativeVLAN: 1 }, 'attachments.a.switchport.allowedVLANs'],
    ['a trunk that carries nothing', { mode: 'trunk', allowedVLANs: [] }, 'attachments.a.switchport.allowedVLANs'],
    ['hybrid without native VLAN', { mode: 'hybrid', allowedVLANs: [2] }, 'attachments.a.switchport.nativeVLAN'],
    ['a reversed range', { mode: 'trunk', allowedVLANs: [5, '310-300'] }, 'attachments.a.switchport.allowedVLANs[1]'],
    ['a range to 4095', { mode: 'trunk', allowedVLANs: ['1-4095'] }, 'attachments.a.switchport.allowedVLANs[0]'],
    ['a range from 0', { mode: 'trunk', allowedVLANs: ['0-10'] }, 'attachments.a.switchport.allowedVLANs[0]'],
    ['a list in one string', { mode: 'trunk', allowedVLANs: ['1,2'] }, 'attachments.a.switchport.allowedVLANs[0]'],
    ['"all"', { mode: 'trunk', allowedVLANs: ['all'] }, 'attachments.a.switchport.allowedVLANs[0]'],
    ['a mode of its own', { mode: 'dot1q-tunnel', nativeVLAN: 1 }, 'attachments.a.switchport.mode'],
    ['an unknown key', { mode: 'access', nativeVLAN: 1, nativeVlan: 2 }, 'attachments.a.switchport'],
    ['a tiny MTU', { mode: 'access', nativeVLAN: 1, mtu: 1 }, 'attachments.a.switchport.mtu'],
  ])('refuses %s and names the path', (_, switchport, path) => {
    const errors = errorsOf({ port: PORT, switchport });
    expect(errors.length).toBeGreaterThan(0);
    expect(errors[0]?.startsWith(`${path}: `)).toBe(true);
  });

  it.each([
    'swp1\n',
    'swp1;reload',
    'swp1 $(x)',
    'swp`1`',
    'swp\u00001',
    'swp1\u001b[2J',
    '-swp1',
    '',
    'a'.repeat(65),
    "swp1'",
    'swp1 | x',
    'ｓwp1',
  ])('refuses the port name %j', (portId) => {
    expect(errorsOf({ port: { switchId: 'tor1', portId }, network: 'x' })[0]).toContain('attachments.a.port.portId');
  });

  it.each(['x\ny', '"; reload', '$(x)', '\u001b[31m', 'a?b', 'a\\b', "it's", '`x`', 'é'])(
    'refuses the description %j',
    (description) => {
      expect(errorsOf({ port: PORT, network: 'x', description })[0]).toContain('attachments.a.description');
    },
  );

  it('refuses the same port twice, whatever the case, also inside a LAG', () => {
    const lag = { name: 'b', aggregationMode: 'lacp', members: [{ switchId: 'TOR1', portId: 'SWP1' }] };
    const result = validateIntent({
      revision: 1,
      attachments: { a: { port: PORT, network: 'x' }, b: { lag, network: 'x' } },
    });
    expect(result).toMatchObject({ ok: false, errors: [{ path: 'attachments.b.lag.members[0]' }] });
  });

  it('refuses an attachment with both or neither of port and lag, or that wants nothing', () => {
    expect(errorsOf({ network: 'x' })).toEqual(['attachments.a: needs exactly one of "port" and "lag"']);
    expect(errorsOf({ port: PORT })).toEqual(['attachments.a: needs "switchport" or "network"']);
    expect(errorsOf({ port: PORT, network: 'x', expectedNeighbor: {} })[0]).toContain('expectedNeighbor');
  });

  it('shows a hostile name harmlessly in the path', () => {
    const result = validateIntent({ revision: 1, attachments: { 'x\u001b[2J\u0000': { port: PORT, network: 'x' } } });
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toMatch(/\\u001b|\\u0000/);
  });

  it('never throws, and what it lets pass is of the shape', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const result = validateIntent(value);
        expect(result.ok ? typeof result.document.revision : result.errors.length > 0).toBeTruthy();
      }),
      { numRuns: 500 },
    );
  });

  it('reports at most 50 errors of a document that is wrong everywhere', () => {
    const attachments = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`a${i}`, { port: PORT }]));
    const result = validateIntent({ revision: 1, attachments });
    expect(result.ok ? 0 : result.errors.length).toBe(50);
  });
});
