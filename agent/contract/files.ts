import { cliReference } from '../cli/reference.ts';
import { configMarkdown } from '../config/reference.ts';
import { localApiReference } from '../local/reference.ts';
import { VERSION } from '../model/version.ts';
import { TOPICS, type TopicKind } from '../mqtt/topics.ts';
import { asyncapi } from './asyncapi.ts';
import { configFileSchema, documentSchema, type JsonObject, schemaFile } from './json-schemas.ts';
import { reasonsPage } from './tables.ts';

export interface GeneratedFile {
  /** Below the root of the repository. */
  readonly path: string;
  readonly content: string;
}

/** Every file that is made from the definitions in the code. Pure; the same content every time. */
export function generatedFiles(): readonly GeneratedFile[] {
  const kinds = Object.keys(TOPICS) as TopicKind[];
  return [
    ...kinds.map((kind) => json(`config/schemas/${schemaFile(kind)}`, documentSchema(kind))),
    json('config/portkeeper.schema.json', configFileSchema()),
    json('config/portkeeper.asyncapi.json', asyncapi(VERSION)),
    { path: 'docs/cli.md', content: cliReference() },
    { path: 'docs/config.md', content: configMarkdown() },
    { path: 'docs/local-api.md', content: localApiReference() },
    { path: 'docs/reasons.md', content: reasonsPage() },
  ];
}

function json(path: string, value: JsonObject): GeneratedFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` };
}
