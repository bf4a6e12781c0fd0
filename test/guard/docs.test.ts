import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../agent/cli/commands.ts';
import { loadConfig } from '../../agent/config/load.ts';
import { formatProblem } from '../../agent/config/problem.ts';
import { receive } from '../../agent/mqtt/receive.ts';
import { validateIntent } from '../../agent/pipeline/validate.ts';
import { findDriver, listDrivers } from '../../drivers/registry.ts';

/** What is written for people is true as far as a program can tell: links, examples, commands, scripts. */
const ROOT = join(__dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const scripts: Record<string, string> = JSON.parse(text('package.json')).scripts;
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'systemd/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
/** Reads whole when the first line of the configuration is missing: the rest of a fragment. */
const FRAME = 'rack: r1\nmqtt:\n  url: mqtts://broker.example.net\n';

interface Block {
  readonly page: string;
  readonly language: string;
  readonly body: string;
}

function blocks(page: string): Block[] {
  return [...text(page).matchAll(/^( *)```([a-z]*)\n([\s\S]*?)^\1```$/gm)].map((m) => ({
    page,
    language: m[2] ?? '',
    body: (m[3] ?? '').replace(new RegExp(`^${m[1]}`, 'gm'), ''),
  }));
}
const all = PAGES.flatMap(blocks);
const named = (language: string) =>
  all.filter((b) => b.language === language).map((b) => [`${b.page}: ${b.body.trim().slice(0, 40)}`, b] as const);

/** Text without code, in which brackets mean nothing. */
const prose = (page: string) => text(page).replace(/^( *)```[\s\S]*?^\1```$/gm, '');

/** Anchors of the headings as the usual hosts make them. */
function anchors(page: string): string[] {
  return [...prose(page).matchAll(/^#{1,6} (.+)$/gm)].map((m) =>
    (m[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(PAGES)('%s', (page) => {
  it('has only links that lead somewhere', () => {
    const broken = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map((m) => m[1] ?? '')
      .filter((link) => !/^https?:\/\//.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
        if (target.startsWith('..') || !existsSync(join(ROOT, target))) return true;
        return anchor !== undefined && !anchors(target).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  it('names files and folders of the source that exist', () => {
    const paths = [...text(page).matchAll(/`((?:agent|drivers|test|config|systemd|docs)\/[A-Za-z0-9_./-]+)`/g)].map(
      (m) => m[1] ?? '',
    );
    // VENDOR stands for any.
    expect(paths.filter((path) => !/VENDOR/.test(path) && !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names commands and flags that exist', () => {
    const wrong = commandLines(page).filter((line) => !isCommand(line));
    expect(wrong).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const names = [...text(page).matchAll(/npm run ([a-z]+)/g)].map((m) => m[1] ?? '');
    expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

/** Every `portkeeper ...` in code, without what a shell does around it. */
function commandLines(page: string): string[] {
  const inline = [...prose(page).matchAll(/`(portkeeper [^`]+)`/g)].map((m) => m[1] ?? '');
  const shell = blocks(page)
    .filter((b) => b.language === 'sh')
    .flatMap((b) => [...b.body.matchAll(/(?:^|&& |\()(portkeeper [^#\n&|;<)]*)/gm)].map((m) => m[1] ?? ''));
  return [...inline, ...shell].map((line) => line.trim());
}

/** The words fit a row of the command table, and so do the flags. */
function isCommand(line: string): boolean {
  const words = line.split(/\s+/).slice(1);
  const spec = COMMANDS.find((c) => c.name.split(' ').every((word, i) => words[i] === word));
  if (!spec) return words.length === 0;
  const flags = words.filter((word) => word.startsWith('-') && word !== '-');
  return flags.every((flag) => spec.flags.some((f) => flag === `--${f.name}` || flag === `-${f.short}`));
}

describe('examples', () => {
  it.each(named('json'))('JSON in %s', (_, { body }) => {
    const value: unknown = JSON.parse(body);
    const isIntent = typeof value === 'object' && value !== null && 'attachments' in value && !('rack' in value);
    if (!isIntent) return expect(value).toBeTypeOf('object');
    const got = receive(Buffer.from(body));
    expect(got).toMatchObject({ empty: false, ok: true });
    expect(validateIntent(value)).toMatchObject({ ok: true });
  });

  it.each(named('yaml'))('configuration in %s', (_, { body }) => {
    const whole = /^rack:/m.test(body) ? body : `${FRAME}${body}`;
    const result = loadConfig(whole, 'example.yaml', { findDriver });
    expect(result.ok ? [] : result.problems.map(formatProblem)).toEqual([]);
  });

  it('are there', () => {
    expect(named('json').some(([name]) => name.startsWith('README.md'))).toBe(true);
    expect(new Set(named('yaml').map(([, b]) => b.page))).toEqual(
      new Set(['README.md', 'docs/drivers.md', 'docs/operations.md']),
    );
  });
});

describe('README.md', () => {
  it('begins with the two commands, which are scripts of package.json', () => {
    const shell = blocks('README.md').filter((b) => b.language === 'sh');
    expect(shell.slice(0, 2).map((b) => b.body.trim())).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
    expect([scripts['demo'], scripts['test']]).toEqual([expect.stringContaining('demo'), 'vitest run']);
  });

  it('shows the minimal configuration as it is', () => {
    const bare = (yaml: string) => yaml.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
    const shown = blocks('README.md').find((b) => b.language === 'yaml')?.body ?? '';
    expect(bare(shown)).toEqual(bare(text('config/portkeeper.minimal.yaml')));
  });

  it('names every driver', () => {
    for (const { name } of listDrivers()) expect(text('README.md')).toContain(`\`${name}\``);
  });
});

describe('docs/drivers.md', () => {
  it.each(listDrivers().map((d) => [d.name, d.capabilities] as const))('says what %s can do', (name, can) => {
    const tables = text('docs/drivers.md').split('\n\n');
    const rows = (tables.find((t) => t.startsWith('| driver | modes |')) ?? '')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const mine = rows.find((cells) => cells[1] === `\`${name}\``) ?? [];
    const cell = (column: string) => mine[rows[0]?.indexOf(column) ?? -1] ?? '';
    const yes = (value: boolean) => new RegExp(`^${value ? 'yes' : 'no'}\\b`);
    expect(cell('modes')).toBe(can.modes.join(', '));
    expect(cell('MTU per port')).toBe(can.mtu === null ? 'no' : `${can.mtu.min} to ${can.mtu.max}`);
    expect(cell('description')).toMatch(new RegExp(`^${can.descriptionLength} `));
    expect(cell('native VLAN on a trunk')).toMatch(yes(can.nativeVlanOnTrunk));
    expect(cell('port type of its own for hybrid')).toMatch(yes(can.hybridPortType));
    expect(cell('admin state')).toMatch(yes(can.adminState));
    expect(cell('LAG')).toMatch(yes(can.lag));
    expect(cell('VLANs are objects')).toMatch(yes(can.vlanObjects));
    expect(cell('saving needed')).toMatch(yes(can.save));
    expect(cell('writes state the whole port')).toMatch(yes(can.absoluteWrites));
    expect(tables.find((t) => t.startsWith('| driver | for |'))).toContain(`| \`${name}\` |`);
  });
});

describe('the repository', () => {
  const SKIPPED = new Set(['.git', 'node_modules', 'dist', 'package-lock.json']);
  function files(folder: string): string[] {
    return readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => !SKIPPED.has(entry.name))
      .flatMap((entry) => (entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]));
  }

  it('has no notes of unfinished work', () => {
    const notes = new RegExp(`\\b(?:${['TO', 'FIX'].map((a, i) => a + ['DO', 'ME'][i]).join('|')})\\b`);
    expect(files('.').filter((path) => notes.test(text(path)))).toEqual([]);
  });

  it('has its licence', () => {
    expect(text('LICENSE')).toContain('Apache License');
    expect(JSON.parse(text('package.json')).license).toBe('Apache-2.0');
  });
});
