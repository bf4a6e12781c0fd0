import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GOOD, lines, load } from './support.ts';

describe('a good file', () => {
  test('gives the configuration with all defaults, and where each value is from', () => {
    const result = load(GOOD);
    if (!result.ok) throw new Error('refused');
    expect(result.warnings).toEqual([]);
    expect(result.config).toMatchObject({ rack: 'r1', persist: true, mqtt: { keepalive: 30, protocol: '5' } });
    expect(result.sources.get('mqtt.url')).toEqual({ from: 'file', line: 4 });
    expect(result.sources.get('switches.tor1.managedPorts')).toEqual({ from: 'file', line: 10 });
    expect(result.sources.get('mqtt.keepalive')).toEqual({ from: 'default' });
    expect(result.sources.get('vlans.manage')).toEqual({ from: 'default' });
  });

  test('may be CRLF, have a byte order mark, and be JSON', () => {
    expect(load(GOOD.replaceAll('\n', '\r\n')).ok).toBe(true);
    expect(load(Buffer.from(`\ufeff${GOOD}`)).ok).toBe(true);
    const json =
      '{"rack":"r","mqtt":{"url":"mqtt://localhost"},"switches":{"a":{"driver":"sim","host":"h","username":"u"}}}';
    expect(load(json).ok).toBe(true);
  });
});

/** Replaces one line of the good file. */
const changed = (from: string, to: string) => GOOD.replace(from, to);

describe('problems are told with line, column, path, what is allowed and what was meant', () => {
  const CASES: [string, string, string][] = [
    ['rack: r1', 'rack: R1', '1:7: rack: is not valid; allowed: lower-case letters, digits and "-", at most 64'],
    ['mode: manage', 'mode: mange', '2:7: mode: is not valid; allowed: observe or manage; did you mean "manage"?'],
    [
      '    managedPorts',
      '    manegedPorts',
      '10:5: switches.tor1.manegedPorts: unknown key; did you mean "managedPorts"?',
    ],
    [
      '    username: pk',
      '    password: hunter2',
      '9:5: switches.tor1.password: unknown key; secrets stand in files of their own; did you mean "passwordFile"?',
    ],
    [
      '    username: pk',
      '    username:',
      '9:5: switches.tor1.username: has no value; allowed: text without control characters',
    ],
    [
      '    host: 192.0.2.1',
      '    host: 1.5',
      '8:11: switches.tor1.host: is a number (put it in quotes); allowed: a host name or IP address',
    ],
    ['    username: pk\n', '', '6:3: switches.tor1.username: is missing: the driver logs in over SSH'],
    [
      '    username: pk',
      '    username: pk\n    port: 70000',
      '10:11: switches.tor1.port: is too large; allowed: a whole number from 1 to 65535',
    ],
    [
      '    username: pk',
      '    username: pk\n    port: 22.5',
      '10:11: switches.tor1.port: is not valid; allowed: a whole number from 1 to 65535',
    ],
    [
      '    username: pk',
      '    username: pk\n    trustOnFirstUse: yes',
      '10:22: switches.tor1.trustOnFirstUse: is text; allowed: true or false; did you mean "true"?',
    ],
    [
      '[swp1-swp4]',
      'swp1',
      '10:19: switches.tor1.managedPorts: is text; allowed: a list, each item a port name or a range such as swp1-swp48 or Ethernet1/1-48',
    ],
    [
      'nativeVLAN: 999',
      'nativeVLAN: 4095',
      '12:23: networks.idle.nativeVLAN: is too large; allowed: a whole number from 1 to 4094',
    ],
    [
      'nativeVLAN: 999',
      'mode: trunk, allowedVLANs: [1, "9x"]',
      '12:42: networks.idle.allowedVLANs[1]: is not valid; allowed: a whole number from 1 to 4094 or "from-to"',
    ],
    [
      '  tor1:',
      '  "tor 1":',
      '6:3: switches["tor 1"]: this name is not valid; allowed: letters, digits and . _ -, at most 64',
    ],
    ['rack: r1', 'rack: r1\nhostKeys: []', '2:1: hostKeys: unknown key here; it belongs to switches.NAME'],
    ['mqtt:\n  url: mqtts://broker\n', '', '1:1: mqtt: missing; allowed: a mapping with url, protocol'],
  ];
  test.each(CASES)('%j as %j', (from, to, expected) => {
    const found = lines(changed(from, to));
    expect(
      found.some((line) => line.startsWith(`p.yaml:${expected}`)),
      found.join('\n'),
    ).toBe(true);
  });

  test('all at once, in file order, rules between keys included', () => {
    const found = lines(
      'rack: R\nmqtt: { url: "mqtts://b", keepalive: "x" }\nswitches:\n  a: { driver: sim, host: h, username: u, nope: 1 }\nnetworks: { one: two, idle: 5 }\npublishers: { p: { networks: [idel], vlans: ["9-3"] } }\n',
    );
    expect(found.map((line) => line.split(': ')[1]).sort()).toEqual([
      'mqtt.keepalive',
      'networks.idle',
      'publishers.p.networks[0]',
      'publishers.p.vlans[0]',
      'rack',
      'switches.a.nope',
    ]);
    const numbers = found.map((line) => Number(line.split(':')[1]));
    expect(numbers).toEqual([...numbers].sort());
  });

  test('never with a value from the file', () => {
    const secret = 'hunter2-Geheim';
    const texts = GOOD.split('\n').flatMap((line, i, all) => {
      const key = line.split(':')[0] ?? '';
      return [
        `${key}: ${secret}`,
        `${key}: [${secret}]`,
        `${key}: "${secret}`,
        `${key}: *${secret}`,
        `${key}: %${secret}`,
        `${key}: !${secret} x`,
      ].map((broken) => [...all.slice(0, i), broken, ...all.slice(i + 1)].join('\n'));
    });
    for (const text of texts) {
      for (const line of lines(text)) {
        // A name of a network or switch may be shown; a value may not.
        if (!line.includes('driver') && !line.includes('networks')) expect(line).not.toContain(secret);
      }
    }
  });
});

describe('YAML that is refused', () => {
  test.each([
    ['', '1:1: the file is empty'],
    ['# only a comment\n', '1:1: the file is empty'],
    ['- a\n', '1:1: the file must be a mapping that begins with "rack: NAME"'],
    ['rack: a\nrack: b\n', '2:1: this key was given before in the same mapping'],
    ['rack: &x a\n', '1:10: anchors (&name) are not used here'],
    ['rack: &x a\nmode: *x\n', '2:7: aliases (*name) are not used here'],
    ['rack: !!str a\n', '1:13: tags (!name) are not used here'],
    ['rack: !evil a\n', '1:13: tags (!name) are not used here'],
    ['rack: a\n---\nrack: b\n', '2:1: a second document begins here'],
    ['%YAML 1.1\n---\nrack: a\n', '1:1: YAML directives'],
    ['mqtt:\n\turl: x\n', '2:1: a tab in the indentation'],
    ['rack: "a\n', '2:1: something is missing here: a closing quote'],
    ['mqtt: {url: x\nrack: a\n', '2:1: wrong indentation, or a bracket that is not closed'],
    ['rack: a: b\n', '1:7: a second ":" in one line'],
    ['rack: @x\n', '1:7: a value that begins with this character must be in quotes'],
    ['? [a]\n: 1\n', '1:3: a key must be a plain word'],
    ['rack: a\u0000b\n', '1:8: a control character'],
    ['rack: a\u001b[2J\n', '1:8: a control character'],
    [`${'['.repeat(300_000)}`, '1:65: is nested too deep'],
    [`a: ${'{b: '.repeat(100_000)}`, 'is nested too deep'],
    [`${'- '.repeat(300_000)}`, 'is nested too deep'],
    [Array.from({ length: 1300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'is nested too deep'],
    ['x'.repeat(1_048_577), '1:1: is larger than 1048576 bytes'],
  ])('%#', (text, expected) => {
    expect(lines(text).join('\n')).toContain(expected);
  });

  test('is not UTF-8', () => {
    expect(lines(Buffer.from([0x72, 0xff, 0xfe]))).toEqual(['p.yaml:1:1: is not UTF-8 text']);
  });

  test('keys that JavaScript could take for more are keys like others', () => {
    const found = lines(GOOD.replace('rack: r1', 'rack: r1\n__proto__: { rack: x }\nconstructor: 1\ntoString: 2'));
    expect(found.map((line) => line.split(': ')[1])).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

test('any text at all is answered, with at least one problem or a configuration', () => {
  const word = fc.constantFrom(
    'rack',
    'mqtt',
    ':',
    ' ',
    '\n',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&a',
    '*a',
    '!t',
    '|',
    '>',
    '#',
    '?',
    ',',
    '1',
    '~',
    '<<',
    '\t',
    '---',
    '%',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 200 }),
        fc.array(word, { maxLength: 60 }).map((w) => w.join('')),
      ),
      (text) => {
        const result = load(text);
        if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
        for (const problem of result.ok ? [] : result.problems) {
          expect(problem.line).toBeGreaterThan(0);
          expect(problem.column).toBeGreaterThan(0);
          expect(problem.message).not.toContain('\n');
        }
      },
    ),
    { numRuns: 1500 },
  );
});
