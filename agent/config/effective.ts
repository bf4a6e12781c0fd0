import * as z from 'zod';
import { formatPath } from '../model/path.ts';
import type { Source } from './check.ts';
import type { Credentials } from './credentials.ts';
import { valueAt } from './explain.ts';
import type { Config } from './schema.ts';
import { configSchema } from './schema.ts';
import { entriesOf, objectForm, unwrap } from './schema-walk.ts';

/** One value of the configuration as it is used. */
export interface EffectiveRow {
  readonly path: string;
  /** JSON, or "set" and "unset" for what a file holds; "" when the key is not given and has no default. */
  readonly value: string;
  /** "line 12", "default", "not set", or the file of a credential. */
  readonly source: string;
}

export interface EffectiveInput {
  readonly config: Config;
  readonly sources: ReadonlyMap<string, Source>;
  readonly credentials: Credentials;
}

/** Every key of the configuration with its value and where that comes from. Secrets are only ever "set" or "unset". */
export function effectiveRows(input: EffectiveInput): EffectiveRow[] {
  return keysOf(configSchema, input.config, []).flatMap((path) => [row(input, path), ...credentialRow(input, path)]);
}

/** Every path that is in the configuration or could be, for the names that it uses. */
function keysOf(schema: z.ZodType, value: unknown, path: readonly string[]): (readonly string[])[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodRecord && !isFreeForm(inner)) {
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    if (names.length === 0) return [path];
    return names.flatMap((name) => keysOf(inner.def.valueType as z.ZodType, valueAt(value, [name]), [...path, name]));
  }
  const object = typeof value === 'string' ? null : objectForm(inner);
  if (!object) return [path];
  return entriesOf(object).flatMap(([key, part]) => keysOf(part, valueAt(value, [key]), [...path, key]));
}

/** A mapping whose contents the schema does not know (driver options) is shown as one value. */
function isFreeForm(schema: z.ZodRecord): boolean {
  return unwrap(schema.def.valueType as z.ZodType) instanceof z.ZodUnknown;
}

function row({ config, sources }: EffectiveInput, path: readonly string[]): EffectiveRow {
  const value = valueAt(config, path);
  const name = formatPath(path);
  if (value === undefined) return { path: name, value: '', source: 'not set' };
  const source =
    sources.get(name) ?? [...sources].find(([at]) => at.startsWith(`${name}.`) || at.startsWith(`${name}[`))?.[1];
  return {
    path: name,
    value: JSON.stringify(value),
    source: source?.from === 'file' ? `line ${source.line}` : 'default',
  };
}

/** Keys that name a file of a secret, and the credential that it becomes. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  passwordFile: 'password',
  keyFile: 'key',
  privateKeyFile: 'privateKey',
  passphraseFile: 'passphrase',
  enablePasswordFile: 'enablePassword',
  communityFile: 'community',
  writeCommunityFile: 'writeCommunity',
  authPasswordFile: 'authPassword',
  privPasswordFile: 'privPassword',
};

function credentialRow({ config, credentials }: EffectiveInput, path: readonly string[]): EffectiveRow[] {
  const key = path.at(-1) ?? '';
  const credential = Object.hasOwn(CREDENTIALS, key) ? CREDENTIALS[key] : undefined;
  if (credential === undefined) return [];
  const owner = [...path.slice(0, -1), credential];
  const set = (valueAt(credentials, owner) ?? null) !== null;
  const file = credentials.byConvention.get(path.join('.')) ?? valueAt(config, path);
  return [
    {
      path: formatPath(owner),
      value: set ? 'set' : 'unset',
      source: typeof file === 'string' ? `credential ${file}` : 'not set',
    },
  ];
}
