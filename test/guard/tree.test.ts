import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Rules about the tree itself: what may import what, and how large a file may be. */
const ROOT = join(__dirname, '../..');

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))
    .sort();
}

interface SourceFile {
  readonly path: string;
  readonly lines: number;
  /** Paths from the root for our own files, package names otherwise. `deferred`: import() at run time. */
  readonly imports: readonly { readonly target: string; readonly typeOnly: boolean; readonly deferred: boolean }[];
}

const IMPORT =
  /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|(?<!typeof )\bimport\('([^']+)'\)/gms;

function read(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const imports = [...text.matchAll(IMPORT)].map((m) => {
    const name = m[2] ?? m[3] ?? m[4] ?? '';
    const target = name.startsWith('.') ? normalize(join(dirname(path), name)) : name;
    return { target, typeOnly: m[1] !== undefined, deferred: m[4] !== undefined };
  });
  return { path, lines: text.split('\n').length - 1, imports };
}

const program = [...sources('agent'), ...sources('drivers')].map(read);
const tests = sources('test').map(read);

/** The files (relative to the root) that import a package. */
function importers(name: string): string[] {
  return program
    .filter((f) => f.imports.some((i) => i.target === name || i.target.startsWith(`${name}/`)))
    .map((f) => f.path);
}

describe('imports', () => {
  it.each([
    ['ssh2', ['drivers/transport/ssh.ts']],
    ['net-snmp', ['', '-security', '-traps', '-values'].map((part) => `drivers/transport/snmp${part}.ts`).sort()],
    ['mqtt', ['agent/mqtt/client.ts']],
    ['pino', ['agent/service/log.ts']],
    ['yaml', ['agent/config/load.ts']],
    ['aedes', ['agent/demo/broker.ts']],
  ])('%s is imported in one file', (name, files) => {
    expect(importers(name).sort()).toEqual(files);
  });

  it('keeps lowdb inside the store', () => {
    expect(importers('lowdb').length).toBeGreaterThan(0);
    for (const file of importers('lowdb')) expect(dirname(file)).toBe('agent/store');
  });

  it('lets the driver library know nothing of the agent', () => {
    const bad = program.filter(
      (f) => f.path.startsWith('drivers/') && f.imports.some((i) => i.target.startsWith('agent/')),
    );
    expect(bad.map((f) => f.path)).toEqual([]);
  });

  it('lets drivers/model import nothing but itself', () => {
    const bad = program.filter(
      (f) => f.path.startsWith('drivers/model/') && f.imports.some((i) => !i.target.startsWith('drivers/model/')),
    );
    expect(bad.map((f) => f.path)).toEqual([]);
  });

  it.each([
    ['agent/model', ['agent/model', 'drivers/model', 'zod']],
    [
      'agent/pipeline',
      ['agent/pipeline', 'agent/model', 'agent/config/schema.ts', 'agent/store', 'drivers', 'node:', 'zod'],
    ],
    ['agent/store', ['agent/store', 'agent/model', 'drivers/model', 'node:', 'lowdb', 'zod']],
    ['agent/mqtt', ['agent/mqtt', 'agent/model', 'agent/config/schema.ts', 'drivers/model', 'node:', 'mqtt', 'zod']],
    ['agent/local', ['agent/local', 'agent/model', 'drivers/model', 'node:']],
  ])('lets %s look only downwards', (folder, allowed) => {
    const bad = program
      .filter((f) => f.path.startsWith(`${folder}/`))
      .flatMap((f) =>
        f.imports.filter((i) => !allowed.some((a) => i.target.startsWith(a))).map((i) => `${f.path} -> ${i.target}`),
      );
    expect(bad).toEqual([]);
  });

  it('has no cycles', () => {
    const graph = new Map(
      program.map((f) => [
        f.path,
        f.imports.filter((i) => !i.deferred && i.target.endsWith('.ts')).map((i) => i.target),
      ]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      if (done.has(path) || trail.includes(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });
});

describe('files', () => {
  it('hold one concept: at most 300 lines of program, 500 of test, and the usual one is short', () => {
    expect(program.filter((f) => f.lines > 300).map((f) => `${f.path} ${f.lines}`)).toEqual([]);
    expect(tests.filter((f) => f.lines > 500).map((f) => `${f.path} ${f.lines}`)).toEqual([]);
    const lengths = program.map((f) => f.lines).sort((a, b) => a - b);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(130);
  });

  it('a dialect stays within its budget of 400 lines', () => {
    const sums = new Map<string, number>();
    for (const f of program) {
      const folder = relative('drivers', dirname(f.path));
      if (program.some((g) => g.path === join('drivers', folder, 'definition.ts')) && folder !== '')
        sums.set(folder, (sums.get(folder) ?? 0) + f.lines);
    }
    expect([...sums].filter(([, lines]) => lines > 400)).toEqual([]);
  });
});
