import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Public dumps of real switches, which are not part of the project: beside it, or where PORTKEEPER_CORPUS says. */
const ROOT = process.env['PORTKEEPER_CORPUS'] ?? resolve('../shared/corpus');

export const CORPUS_REASON = 'the collection of device dumps is not here; set PORTKEEPER_CORPUS to its folder';

export interface DumpedDevice {
  readonly platform: string;
  readonly name: string;
  readonly dump: string;
  /** What another project says of it; null: nothing. */
  readonly oracle: Oracle | null;
}

/** The part of LibreNMS's own results that is compared. A key that is missing asserts nothing. */
export interface Oracle {
  readonly ports?: readonly {
    readonly ifIndex: number;
    readonly ifName: string | null;
    readonly ifType: string | null;
    readonly ifAdminStatus: string | null;
    readonly ifOperStatus: string | null;
  }[];
  readonly vlans?: readonly { readonly vlan_vlan: number; readonly vlan_name: string }[];
  readonly ports_vlans?: readonly { readonly vlan: number; readonly baseport: number; readonly untagged: number }[];
  readonly links?: readonly {
    readonly protocol: string;
    readonly ifName?: string | null;
    readonly remote_hostname: string;
  }[];
}

/** Every device of the collection; empty when it is not here. */
export function dumpedDevices(): DumpedDevice[] {
  const base = join(ROOT, 'snmp');
  if (!existsSync(base)) return [];
  return ['librenms', 'snmpsim-data'].flatMap((source) =>
    folders(join(base, source)).flatMap((platform) =>
      folders(join(base, source, platform)).map((name): DumpedDevice => {
        const folder = join(base, source, platform, name);
        const expected = join(folder, 'expected.json');
        return {
          platform,
          name,
          dump: readFileSync(join(folder, 'dump.snmprec'), 'utf8'),
          oracle: existsSync(expected) ? (JSON.parse(readFileSync(expected, 'utf8')) as Oracle) : null,
        };
      }),
    ),
  );
}

function folders(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
