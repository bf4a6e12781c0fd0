import { describe, expect, test } from 'vitest';
import { loadCredentials } from '../../../agent/config/credentials.ts';
import { type ConfigState, diffConfig } from '../../../agent/config/diff.ts';
import { effectiveRows } from '../../../agent/config/effective.ts';
import { configOf, GOOD, load, memoryFiles } from './support.ts';

const BASE = `${GOOD.replace('    username: pk\n', '    username: pk\n    passwordFile: pw\n    trustOnFirstUse: true\n')}`;
const FILES = { '/c/pw': 'hunter2', '/c/mqtt': 'geheim' };

async function state(text = BASE, files: Record<string, string> = FILES): Promise<ConfigState> {
  const config = configOf(text);
  return { config, credentials: await loadCredentials(config, memoryFiles(files), ['/c']) };
}

const NONE = {
  same: true,
  mqtt: false,
  policy: false,
  restartRequired: [],
  switches: { added: [], removed: [], connection: [], policyOnly: [] },
};

describe('the difference of two configurations', () => {
  test('is none for the same, read again', async () => {
    expect(diffConfig(await state(), await state())).toEqual(NONE);
    expect(diffConfig(await state(), await state(`${BASE}# comment\n`))).toEqual(NONE);
  });

  const CASES: [string, string, object][] = [
    ['url: mqtts://broker', 'url: mqtts://other', { mqtt: true }],
    ['url: mqtts://broker', 'url: mqtts://broker\n  username: u\n  passwordFile: mqtt', { mqtt: true }],
    ['host: 192.0.2.1', 'host: 192.0.2.2', { switches: { ...NONE.switches, connection: ['tor1'] } }],
    ['driver: sim', 'driver: picky', { switches: { ...NONE.switches, connection: ['tor1'] } }],
    ['passwordFile: pw', 'passwordFile: mqtt', { switches: { ...NONE.switches, connection: ['tor1'] } }],
    ['swp1-swp4', 'swp1-swp5', { switches: { ...NONE.switches, policyOnly: ['tor1'] } }],
    ['driver: sim', 'driver: sim\n    pollInterval: 5', { switches: { ...NONE.switches, policyOnly: ['tor1'] } }],
    [
      '  tor1:',
      '  a: { driver: sim, host: h, username: u, passwordFile: pw, trustOnFirstUse: true }\n  tor1:',
      { switches: { ...NONE.switches, added: ['a'] } },
    ],
    ['  tor1:', '  tor2:', { switches: { ...NONE.switches, added: ['tor2'], removed: ['tor1'] } }],
    ['mode: manage', 'mode: observe', { policy: true }],
    ['nativeVLAN: 999', 'nativeVLAN: 998', { policy: true }],
    ['mode: manage', 'mode: manage\nstateDir: /x', { restartRequired: ['stateDir'] }],
    ['rack: r1', 'rack: r2\nruntimeDir: /x', { restartRequired: ['rack', 'runtimeDir'] }],
  ];
  test.each(CASES)('%j to %j', async (from, to, expected) => {
    expect(diffConfig(await state(), await state(BASE.replace(from, to)))).toEqual({
      ...NONE,
      same: false,
      ...expected,
    });
  });

  test('also sees what changed in a file only', async () => {
    expect(diffConfig(await state(), await state(BASE, { ...FILES, '/c/pw': 'new' }))).toEqual({
      ...NONE,
      same: false,
      switches: { ...NONE.switches, connection: ['tor1'] },
    });
  });
});

test('the effective configuration has every value with its source, and no secret', async () => {
  const result = load(BASE);
  if (!result.ok) throw new Error('refused');
  const { credentials } = await state();
  const rows = effectiveRows({ config: result.config, sources: result.sources, credentials });
  const of = (path: string) => rows.find((row) => row.path === path);
  expect(of('rack')).toEqual({ path: 'rack', value: '"r1"', source: 'line 1' });
  expect(of('mqtt.keepalive')).toEqual({ path: 'mqtt.keepalive', value: '30', source: 'default' });
  expect(of('mqtt.caFile')).toEqual({ path: 'mqtt.caFile', value: '', source: 'not set' });
  expect(of('switches.tor1.password')).toEqual({
    path: 'switches.tor1.password',
    value: 'set',
    source: 'credential pw',
  });
  expect(of('switches.tor1.privateKey')).toEqual({
    path: 'switches.tor1.privateKey',
    value: 'unset',
    source: 'not set',
  });
  expect(of('networks.idle.nativeVLAN')?.source).toBe('line 14');
  expect(of('log.level')?.value).toBe('"info"');
  expect(JSON.stringify(rows)).not.toMatch(/hunter2|geheim/);
  expect(new Set(rows.map((row) => row.path)).size).toBe(rows.length);
});
