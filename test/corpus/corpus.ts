import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Oracle } from './oracle.ts';
import { ownDecode } from './own-decode.ts';
import { type TholaExpectations, tholaOracle } from './thola.ts';

/** Public dumps of real switches, which are not part of the project: beside its checkout, or where PORTKEEPER_CORPUS says. */
const ROOT = process.env['PORTKEEPER_CORPUS'] ?? join(import.meta.dirname, '../../../shared/corpus');

export const CORPUS_REASON = 'the collection of device dumps is not here; set PORTKEEPER_CORPUS to its folder';

/** Who says what the dump means. `own`: nobody else does; a second, simple decoder of the tests' own. */
export type Judge = 'LibreNMS' | 'Thola' | 'own';

export interface DumpedDevice {
  readonly platform: string;
  readonly name: string;
  readonly dump: string;
  readonly judge: Judge;
  readonly oracle: Oracle;
}

/** Where the dumps of one project lie, and how what it says of them is read. */
const SOURCES: readonly {
  readonly folder: string;
  readonly judge: Judge;
  readonly oracle: (folder: string) => Oracle;
}[] = [
  { folder: 'librenms', judge: 'LibreNMS', oracle: (folder) => json(folder) as Oracle },
  { folder: 'snmpsim-data', judge: 'own', oracle: (folder) => ownDecode(dumpOf(folder)) },
  {
    folder: 'thola',
    judge: 'Thola',
    oracle: (folder) => tholaOracle((json(folder) as { expectations: TholaExpectations }).expectations),
  },
];

/** Every device of the collection; empty when it is not here. */
export function dumpedDevices(): DumpedDevice[] {
  return SOURCES.flatMap(({ folder: source, judge, oracle }) =>
    folders(join(ROOT, 'snmp', source)).flatMap((platform) =>
      folders(join(ROOT, 'snmp', source, platform)).map((name): DumpedDevice => {
        const folder = join(ROOT, 'snmp', source, platform, name);
        return { platform, name, dump: dumpOf(folder), judge, oracle: oracle(folder) };
      }),
    ),
  );
}

function dumpOf(folder: string): string {
  return readFileSync(join(folder, 'dump.snmprec'), 'utf8');
}

function json(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
}

function folders(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
