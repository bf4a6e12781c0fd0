import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../agent/config/load.ts';
import { formatProblem } from '../../../agent/config/problem.ts';
import { findDriver } from '../../../drivers/registry.ts';

/** The problems of a configuration with one switch; its lines are given. */
function problems(lines: readonly string[], mode = 'observe'): string[] {
  const text = [
    'rack: r1',
    `mode: ${mode}`,
    'mqtt: { url: mqtts://broker }',
    'networks: { idle: { nativeVLAN: 999 } }',
    'switches:',
    '  tor1:',
    '    host: 192.0.2.1',
    '    managedPorts: [ge1]',
    ...lines.map((line) => `    ${line}`),
    '',
  ].join('\n');
  const result = loadConfig(text, 'p.yaml', { findDriver });
  const found = result.ok ? result.warnings : result.problems;
  return found.filter((p) => p.severity !== 'info').map((p) => `${p.severity} ${formatProblem(p)}`);
}

const V3 = ['driver: snmp', 'snmp:', '  user: pk'];

describe('a switch over SNMP', () => {
  it('needs a user, and no login over SSH', () => {
    expect(problems(V3)).toEqual([]);
    expect(problems(['driver: snmp', 'snmp: {}']).join()).toContain('user is missing');
    expect(problems(['driver: snmp']).join()).toContain('snmp is missing');
    expect(problems(['driver: snmp', 'username: pk', 'snmp: { user: pk }']).join()).toContain(
      'username: has no effect with the driver snmp',
    );
  });

  it('is not offered DES, and is told what instead', () => {
    expect(problems([...V3, '  privProtocol: des']).join()).toContain('use aes128');
    expect(problems([...V3, '  privProtocol: aes']).join()).toMatch(/privProtocol.*aes128/);
  });

  it('over version 2c is warned of when it is to be written', () => {
    const lines = ['driver: snmp', 'snmp: { version: "2c" }'];
    expect(problems(lines)).toEqual([]);
    expect(problems(lines, 'manage').join()).toContain('anybody on the path');
    expect(problems(['driver: snmp', 'snmp: { version: "2c", user: pk }']).join()).toContain(
      'no effect with version 2c',
    );
  });

  it('is a matter of the driver snmp alone', () => {
    expect(problems(['driver: sim', 'username: u', 'snmp: { user: pk }']).join()).toContain(
      'no effect with the driver',
    );
    expect(problems(['driver: sim']).join()).toContain('username: is missing');
  });
});
