import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../agent/config/load.ts';
import { formatProblem } from '../../../agent/config/problem.ts';
import { configMarkdown, configReference } from '../../../agent/config/reference.ts';
import { configSchema } from '../../../agent/config/schema.ts';
import { allKeys, schemaAt } from '../../../agent/config/schema-walk.ts';

const text = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const EXAMPLE = text('config/portkeeper.example.yaml');
const tools = { findDriver: () => ({ checkOptions: () => [] }) as never };

describe('the example configuration', () => {
  const result = loadConfig(EXAMPLE, 'portkeeper.example.yaml', tools);

  test('is valid, without warnings, and begins in mode observe', () => {
    if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
    expect(result.warnings.map((problem) => problem.severity)).toEqual(['info']);
    expect(result.config.mode).toBe('observe');
  });

  test('has every key of the schema', () => {
    if (!result.ok) throw new Error('not valid');
    const given = [...result.sources].filter(([, source]) => source.from === 'file').map(([path]) => path);
    const missing = allKeys(configSchema)
      .map(({ path }) => path.join('.'))
      .filter((path) => {
        const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('NAME', '[^.]+')}([.[]|$)`);
        return !given.some((at) => pattern.test(at));
      });
    expect(missing).toEqual([]);
  });

  test('comments on every block, and names the schema for editors', () => {
    expect(EXAMPLE.startsWith('# yaml-language-server: $schema=./portkeeper.schema.json\n')).toBe(true);
    expect(EXAMPLE.split('\n').every((line) => line.length <= 140)).toBe(true);
  });

  test('is left alone by defaults: what it says of them is true', () => {
    const defaults: [string, unknown][] = [
      ['protocol', '5'],
      ['prefix', 'portkeeper/v1'],
      ['keepalive', 30],
      ['sessionExpiry', 604_800],
      ['willDelay', 30],
    ];
    if (!result.ok) throw new Error('not valid');
    const bare = configSchema.parse({
      rack: 'r',
      mqtt: { url: 'mqtt://b' },
      switches: { a: { driver: 'd', host: 'h', username: 'u' } },
    });
    for (const [key, value] of defaults) {
      expect(bare.mqtt).toMatchObject({ [key]: value });
      expect(result.config.mqtt).toMatchObject({ [key]: value });
    }
    const { pollInterval, connectTimeout, commandTimeout, algorithms } = bare.switches['a'] ?? {};
    expect(result.config.switches['tor1']).toMatchObject({ pollInterval, connectTimeout, commandTimeout, algorithms });
    const { mode, drift, transition, cablingGuard, persist, stateDir, runtimeDir, log, unknownNetwork, vlans } = bare;
    expect(result.config).toMatchObject({
      mode,
      drift,
      transition,
      cablingGuard,
      persist,
      stateDir,
      runtimeDir,
      log,
      unknownNetwork,
      vlans,
    });
  });
});

test('the minimal configuration is valid and has five keys', () => {
  const result = loadConfig(text('config/portkeeper.minimal.yaml'), 'portkeeper.minimal.yaml', tools);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
  const given = [...result.sources].filter(([, source]) => source.from === 'file').map(([path]) => path);
  expect(given).toEqual(['rack', 'mqtt.url', 'switches.tor1.driver', 'switches.tor1.host', 'switches.tor1.username']);
});

describe('the reference', () => {
  test('docs/config.md is what the schema says (npm run generate)', () => {
    expect(text('docs/config.md')).toBe(configMarkdown());
  });

  test('has a meaning for every key', () => {
    expect(
      configReference()
        .filter((row) => row.meaning === '' || row.type === '')
        .map((row) => row.path),
    ).toEqual([]);
  });

  test('paths lead to schemas', () => {
    for (const { path, schema } of allKeys(configSchema)) expect(schemaAt(configSchema, path)).toBe(schema);
    expect(schemaAt(configSchema, ['nope', 'x'])).toBeNull();
    expect(schemaAt(configSchema, ['constructor'])).toBeNull();
  });
});
