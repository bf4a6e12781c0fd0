import * as z from 'zod';
import { configSchema } from '../config/schema.ts';
import { TOPICS, type TopicKind } from '../mqtt/topics.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** File name of the schema of a topic's documents, below config/schemas. */
export function schemaFile(kind: TopicKind): string {
  return `${kind}.schema.json`;
}

/** JSON Schema (draft 2020-12) of the documents on a topic, with its name as URN. */
export function documentSchema(kind: TopicKind): JsonObject {
  const { $schema, ...rest } = generate(TOPICS[kind].schema, 'draft-2020-12');
  return { $schema: $schema ?? '', $id: `urn:portkeeper:v1:${kind}`, ...rest };
}

/** JSON Schema of the configuration file as it is written (defaults may be left out). Draft 7: what editors know best. */
export function configFileSchema(): JsonObject {
  const { $schema, ...rest } = generate(configSchema, 'draft-7');
  return { $schema: $schema ?? '', $id: 'urn:portkeeper:v1:config', ...rest };
}

/** One document's schema in the form of AsyncAPI (draft 7): its own name, and all named parts by name. */
export function namedSchemas(kind: TopicKind): { readonly name: string; readonly parts: JsonObject } {
  const text = JSON.stringify(generate(TOPICS[kind].schema, 'draft-7'));
  const { $ref, definitions } = JSON.parse(text.replaceAll('"#/definitions/', '"#/components/schemas/')) as {
    readonly $ref?: string;
    readonly definitions?: JsonObject;
  };
  const name = $ref?.split('/').at(-1);
  if (name === undefined || definitions === undefined) throw new Error(`the schema of ${kind} has no name`);
  return { name, parts: definitions };
}

function generate(schema: z.ZodType, target: 'draft-7' | 'draft-2020-12'): JsonObject {
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { target, io: 'input' }))) as JsonObject;
}
