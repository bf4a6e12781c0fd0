import { describe, expect, it } from 'vitest';
import type { SwitchSession } from '../../../drivers/driver.ts';
import { configured, switchport } from '../../../drivers/model/switchport.ts';
import { renderChanges } from '../../../drivers/snmp/render.ts';
import { snmpSwitchSession } from '../../../drivers/snmp/session.ts';
import { refusalFor } from '../../../drivers/snmp/write-guard.ts';
import { freshPort } from '../../support/fake-switch.ts';
import { MemorySnmp } from '../../support/memory-snmp.ts';
import { switchValues } from '../../support/snmp-switch.ts';
import { TestClock } from '../../support/test-clock.ts';

/** Two ports; VLAN 10 lists the given bridge ports. */
function agent(objectId: string, listed: readonly number[]): MemorySnmp {
  const fixed = { 1: { egress: [], untagged: [] }, 10: { egress: listed, untagged: listed } };
  return new MemorySnmp(switchValues({ ports: 2, objectId, fixed, pvid: { 1: 10, 2: 10 } }));
}

function open(session: MemorySnmp): SwitchSession {
  const context = { clock: new TestClock(), trace: () => undefined };
  return snmpSwitchSession(session, { name: 'tor1', options: {} }, context);
}

const to = { switchport: switchport('access', 1), adminState: 'up', mtu: null, description: 'host 7' } as const;
const from = freshPort('swp1', { switchport: configured('access', 10), adminState: 'up' });
const steps = renderChanges({
  createVlans: [{ id: 20, name: 'tenant' }],
  ports: [{ from, to, bounce: false }],
  deleteVlans: [10],
});

describe('VLANs of a switch whose tables mean something else', () => {
  it.each([
    ['FastIron', '1.3.6.1.4.1.1991.1.3', 'are not bitmaps'],
    ['Junos', '1.3.6.1.4.1.2636.1.1', 'an internal index'],
    ['PicOS', '1.3.6.1.4.1.35098.1.13.0', '10000 + VLAN ID'],
  ])('are never written: %s', async (_, objectId, why) => {
    const session = agent(objectId, [1, 2]);
    const results = await open(session).apply(steps);
    expect(results.map((r) => [r.step.kind, r.error?.kind])).toEqual([
      ['vlan-create', 'unsupported'],
      ['port', 'unsupported'],
      ['vlan-delete', 'unsupported'],
    ]);
    expect(results[0]?.error?.message).toContain(why);
    // The description was before the VLANs, and is none of theirs.
    expect(session.sets.flat().filter(({ oid }) => oid.startsWith('1.3.6.1.2.1.17.'))).toEqual([]);
  });

  it('are not written where the lists name only ports that do not exist', async () => {
    const session = agent('1.3.6.1.4.1.171.10.63.6', [15, 16]);
    const results = await open(session).apply(steps.filter(({ kind }) => kind === 'port'));
    expect(results[0]?.error?.kind).toBe('unsupported');
    expect(results[0]?.error?.message).toContain('name only ports that do not exist');
    expect(session.sets.flat().filter(({ oid }) => oid.startsWith('1.3.6.1.2.1.17.'))).toEqual([]);
  });

  it('are written on all others', async () => {
    const session = agent('1.3.6.1.4.1.171.10.63.6', [1, 2]);
    const results = await open(session).apply(steps.filter(({ kind }) => kind === 'port'));
    expect(results[0]?.error).toBeNull();
    expect(session.sets.flat().filter(({ oid }) => oid.startsWith('1.3.6.1.2.1.17.')).length).toBeGreaterThan(0);
    expect(refusalFor(null)).toBeNull();
  });
});
