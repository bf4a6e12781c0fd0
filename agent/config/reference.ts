import type { z } from 'zod';
import { configSchema } from './schema.ts';
import { allKeys, allowedBy, defaultOf, describedAs, isRequired, objectForm, unwrap } from './schema-walk.ts';

/** One line of the reference. */
export interface ReferenceRow {
  /** "switches.NAME.host" */
  readonly path: string;
  readonly type: string;
  /** "required", a JSON value, or "" when the key may be absent. */
  readonly default: string;
  readonly meaning: string;
}

/** Every key of the configuration, in the order of the schema. */
export function configReference(): ReferenceRow[] {
  return allKeys(configSchema).map(({ path, schema }) => ({
    path: path.join('.'),
    type: typeOf(schema),
    default: defaultText(schema),
    meaning: describedAs(schema),
  }));
}

function typeOf(schema: z.ZodType): string {
  if (objectForm(schema) === unwrap(schema)) return 'a mapping';
  return allowedBy(schema).replace(/a mapping with [A-Za-z, ]+/g, 'a mapping');
}

function defaultText(schema: z.ZodType): string {
  if (isRequired(schema)) return 'required';
  const value = defaultOf(schema);
  return value === undefined || (typeof value === 'object' && objectForm(schema)) ? '' : JSON.stringify(value);
}

/** docs/config.md, whole; a test holds the file against it. */
export function configMarkdown(): string {
  const rows = configReference().map(
    (row) =>
      `| \`${row.path}\` | ${cell(row.type)} | ${row.default === '' || row.default === 'required' ? row.default : `\`${row.default}\``} | ${cell(row.meaning)} |`,
  );
  return `${INTRODUCTION}\n| key | value | default | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n${FILES}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

const INTRODUCTION = `# Configuration

<!-- The table is generated from agent/config/schema.ts by \`npm run generate\`; a test holds this file against it. -->

One YAML file, \`/etc/portkeeper/portkeeper.yaml\` unless \`PORTKEEPER_CONFIG\` or \`--config\` names another. It is only ever read:
portkeeper never rewrites it. [config/portkeeper.minimal.yaml](../config/portkeeper.minimal.yaml) is the smallest that works,
[config/portkeeper.example.yaml](../config/portkeeper.example.yaml) has every key. With
\`# yaml-language-server: $schema=./portkeeper.schema.json\` as first line, editors check the file while you type.

    portkeeper config check [FILE]               # every problem at once, with line and column; exit 78 when invalid
    portkeeper config check [FILE] --effective   # every value and where it comes from; secrets only as set or unset

- YAML 1.2: \`yes\`, \`no\`, \`on\` and \`off\` are text, not truth values. Anchors, aliases, tags, several documents and keys given
  twice are refused. An unknown key is an error, with the nearest known one.
- **Lists that allow something have three values.** Absent: no rule. Empty (\`[]\`): nothing is allowed. A list: what it says.
- **Reload**: \`SIGHUP\`, or a change of the file or of any file that it names. A valid file is put into use without dropping
  sessions that did not change; with an invalid one the old configuration stays and \`portkeeper status\` says so. \`rack\`,
  \`stateDir\` and \`runtimeDir\` take effect after a restart.
- Port lists take names and ranges: \`swp7\`, \`swp1-swp48\`, \`Ethernet1/1-48\`. \`protectedPorts\` always wins.

## Keys

NAME stands for a name of your choice.
`;

const FILES = `
## Secrets and other files

Secrets are never written into the YAML or the environment; a key that ends in \`File\` names the file that holds one.

- A relative name is looked for in \`$CREDENTIALS_DIRECTORY\` (systemd's \`LoadCredential=\`) first, when that is set, then beside the
  configuration file. \`~\` is not understood.
- A newline at the end is taken off. At most 64 KiB. A secret that other local users can read is a warning, with the command that closes it.
- A switch without \`passwordFile\` and \`privateKeyFile\` uses \`NAME.password\` or \`NAME.key\` (NAME is the switch's name here), when there is one in
  those folders. A switch without \`hostKeys\`, \`knownHostsFile\` and \`trustOnFirstUse\` uses \`known_hosts\` there. With those files in place, five
  keys make a working configuration.
- All these files are watched, also through symlinks that are swapped (mounted Kubernetes secrets).

The host key of a switch, to compare with what its console shows:

    ssh-keyscan HOST | ssh-keygen -lf -           # the fingerprint for hostKeys
    ssh-keyscan HOST >> /etc/portkeeper/known_hosts
`;
