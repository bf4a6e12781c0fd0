import { describe, expect, it } from 'vitest';
import { DriverLookupError, findDriver, listDrivers } from '../../drivers/registry.ts';

function failure(name: string): DriverLookupError {
  try {
    findDriver(name);
  } catch (error) {
    if (error instanceof DriverLookupError) return error;
  }
  throw new Error(`"${name}" was found`);
}

const NAMES = listDrivers().map((d) => d.name);

describe('the driver registry', () => {
  it('finds every driver by its name, and names are unique', () => {
    expect(NAMES).toEqual([...new Set(NAMES)].sort());
    expect(NAMES).toEqual(expect.arrayContaining(['open-vswitch', 'sim']));
    for (const name of NAMES) expect(findDriver(name).name).toBe(name);
  });

  it.each(['netmiko_ovs_linux', 'ovs_linux'])('takes the device type %s of networking-generic-switch', (name) => {
    expect(findDriver(name).name).toBe('open-vswitch');
  });

  it.each(['netmiko_brocade_fastiron', 'brocade_fastiron', 'brocade-fastiron', 'netmiko_ruijie'])(
    'says that %s is not supported yet, and what is',
    (name) => {
      const error = failure(name);
      expect(error.code).toBe('DriverNotSupported');
      expect(error.message).toContain('not supported yet');
      expect(error.message).toContain(NAMES.join(', '));
    },
  );

  it.each([
    ['open-vswich', 'open-vswitch'],
    ['openvswitch', 'open-vswitch'],
    ['OVS_linux', 'ovs_linux'],
    ['simm', 'sim'],
    ['arista', 'arista-eos'],
  ])('has a suggestion for %s', (name, suggestion) => {
    const error = failure(name);
    expect(error.code).toBe('DriverUnknown');
    expect(error.suggestions).toContain(suggestion);
    expect(error.message).toContain(suggestion);
  });

  it.each(['', 'toString', '__proto__', 'netmiko_', 'netmiko_constructor', 'zzzzzzzzzzzz', 'a\u001b[31mb'])(
    'has no default for %j',
    (name) => {
      const error = failure(name);
      expect(error.code).toBe('DriverUnknown');
      expect(error.message).toMatch(/^[\x20-\x7e]+$/);
      expect(error.message.endsWith(`Drivers: ${NAMES.join(', ')}`)).toBe(true);
    },
  );
});
