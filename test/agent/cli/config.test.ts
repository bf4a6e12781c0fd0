import { describe, expect, test } from 'vitest';
import { configCheck, configDrivers, defaultConfigFile } from '../../../agent/cli/config.ts';
import { memoryFiles } from '../config/support.ts';

const GOOD = `rack: r1
mqtt: { url: "mqtts://broker" }
switches:
  tor1: { driver: netmiko_ovs_linux, host: 192.0.2.1, username: pk, passwordFile: pw, trustOnFirstUse: true, managedPorts: [swp1] }
networks: { idle: { nativeVLAN: 999 } }
`;

async function run(args: string[], files: Record<string, string>, env: Record<string, string> = {}) {
  let stdout = '';
  let stderr = '';
  const io = {
    env,
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: (text: string) => {
      stderr += text;
    },
  };
  const code = await configCheck(args, io, memoryFiles(files));
  return { code, stdout, stderr };
}

describe('portkeeper config check', () => {
  test('says that a file is valid, with its warnings', async () => {
    const result = await run(['/c/p.yaml'], { '/c/p.yaml': GOOD, '/c/pw': 'hunter2' });
    expect(result).toEqual({
      code: 0,
      stdout: '/c/p.yaml: valid, 0 warnings\n',
      stderr: expect.stringContaining('/c/p.yaml: info: mode: observe'.replace('/c/p.yaml: ', '')),
    });
  });

  test('prints every problem and exits with 78', async () => {
    const bad = GOOD.replace('rack:', 'rak:').replace('netmiko_ovs_linux', 'open-vswich');
    const { code, stdout, stderr } = await run(['/c/p.yaml'], { '/c/p.yaml': bad });
    expect(code).toBe(78);
    expect(stdout).toBe('');
    expect(stderr).toContain('/c/p.yaml:1:1: rak: unknown key; did you mean "rack"?\n');
    expect(stderr).toMatch(/4:19: switches\.tor1\.driver: .*did you mean open-vswitch/);
    expect(stderr).toContain('/c/p.yaml: not valid: 3 errors, 0 warnings\n');
  });

  test('takes missing files for warnings only where the file is named', async () => {
    const files = { '/c/p.yaml': GOOD };
    expect((await run(['/c/p.yaml'], files)).code).toBe(0);
    expect((await run(['/c/p.yaml', '--strict'], files)).code).toBe(78);
    expect((await run([], files, { PORTKEEPER_CONFIG: '/c/p.yaml' })).code).toBe(78);
    expect((await run([], { ...files, '/c/pw': 'x' }, { PORTKEEPER_CONFIG: '/c/p.yaml' })).code).toBe(0);
  });

  test('shows the effective values with their sources, secrets only as set', async () => {
    const { code, stdout } = await run(['--effective', '/c/p.yaml'], { '/c/p.yaml': GOOD, '/c/pw': 'hunter2' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^KEY +VALUE +SOURCE\nrack +"r1" +line 1\n/);
    expect(stdout).toMatch(/^switches\.tor1\.password +set +credential pw$/m);
    expect(stdout).toMatch(/^mqtt\.keepalive +30 +default$/m);
    expect(stdout).not.toContain('hunter2');
  });

  test('has one JSON shape', async () => {
    const good = JSON.parse(
      (await run(['--json', '--effective', '/c/p.yaml'], { '/c/p.yaml': GOOD, '/c/pw': 'x' })).stdout,
    );
    const bad = JSON.parse((await run(['--json', '/c/p.yaml'], { '/c/p.yaml': 'rack: [' })).stdout);
    const none = JSON.parse((await run(['--json', '/c/p.yaml'], {})).stdout);
    for (const answer of [good, bad, none])
      expect(Object.keys(answer)).toEqual(['file', 'valid', 'problems', 'effective']);
    expect([good.valid, bad.valid, none.valid]).toEqual([true, false, false]);
    for (const problem of [...good.problems, ...bad.problems, ...none.problems]) {
      expect(Object.keys(problem).sort()).toEqual([
        'allowed',
        'column',
        'file',
        'line',
        'message',
        'path',
        'severity',
        'suggestion',
      ]);
    }
    expect(good.effective).toContainEqual({ path: 'rack', value: '"r1"', source: 'line 1' });
  });

  test('cannot read the file: 66; does not understand the line: 64', async () => {
    expect(await run(['/c/p.yaml'], {})).toEqual({
      code: 66,
      stdout: '',
      stderr: '/c/p.yaml: there is no such file\n',
    });
    expect((await run(['--nope'], {})).code).toBe(64);
    expect((await run(['a', 'b'], {})).code).toBe(64);
    expect((await run(['--', '--odd'], {})).code).toBe(66);
  });

  test('lets no control character through to the terminal', async () => {
    const { stderr } = await run(['/c/\u001b[2J.yaml'], { '/c/\u001b[2J.yaml': '"\\e[31m": 1\n"\\u202e": 2\n' });
    expect(stderr).not.toMatch(/[\u001b\u202e]/);
    expect(stderr).toContain('unknown key');
  });

  test('has a default file', () => {
    expect(defaultConfigFile({})).toBe('/etc/portkeeper/portkeeper.yaml');
    expect(defaultConfigFile({ PORTKEEPER_CONFIG: '/x' })).toBe('/x');
  });
});

test('portkeeper config drivers lists every driver, as table and as JSON', async () => {
  let out = '';
  const io = {
    env: {},
    stderr: () => undefined,
    stdout: (text: string) => {
      out += text;
    },
  };
  expect(await configDrivers([], io)).toBe(0);
  expect(out).toMatch(/^open-vswitch +access, trunk, hybrid/m);
  out = '';
  expect(await configDrivers(['--json'], io)).toBe(0);
  expect(JSON.parse(out).drivers.map((driver: { name: string }) => driver.name)).toContain('sim');
  expect(await configDrivers(['x'], io)).toBe(64);
});
