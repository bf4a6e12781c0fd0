import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asyncapi } from '../../../agent/contract/asyncapi.ts';
import { EXAMPLES } from '../../../agent/contract/examples.ts';
import { generatedFiles } from '../../../agent/contract/files.ts';
import { documentSchema } from '../../../agent/contract/json-schemas.ts';
import { topicsTable } from '../../../agent/contract/tables.ts';
import { REASON_CODES } from '../../../agent/model/reasons.ts';
import { receive } from '../../../agent/mqtt/receive.ts';
import { TOPICS, type TopicKind } from '../../../agent/mqtt/topics.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const KINDS = Object.keys(TOPICS) as TopicKind[];

describe('generated files', () => {
  it.each(generatedFiles().map((file) => [file.path, file.content] as const))(
    '%s is what `npm run generate` writes',
    (path, content) => {
      expect(read(path), `${path} is not up to date: run npm run generate`).toBe(content);
    },
  );
});

describe('examples', () => {
  it.each(KINDS)('%s fits its schema', (kind) => {
    expect(TOPICS[kind].schema.safeParse(EXAMPLES[kind].document).error).toBeUndefined();
  });
});

describe('docs/contract.md', () => {
  const text = read('docs/contract.md');
  const blocks = [...text.matchAll(/<!-- example: ([a-z]+) -->\n```json\n([\s\S]*?)```/g)];

  it('has the table of topics', () => {
    expect(text).toContain(topicsTable());
  });

  it('marks every JSON example, of all kinds that people write or wait for', () => {
    expect(blocks).toHaveLength([...text.matchAll(/```json/g)].length);
    expect(new Set(blocks.map((block) => block[1]))).toEqual(
      new Set(['intent', 'result', 'agent', 'command', 'response', 'event']),
    );
  });

  it.each(blocks.map((block) => [block[1] as TopicKind, block[2] ?? ''] as const))(
    'has a valid %s example: %.60s',
    (kind, json) => {
      const got = receive(Buffer.from(json));
      if (got.empty || !got.ok) throw new Error(JSON.stringify(got));
      expect(TOPICS[kind].schema.safeParse(got.value).error).toBeUndefined();
    },
  );

  it('names only reasons and links that exist', () => {
    for (const [, name] of text.matchAll(/`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`/g)) expect(REASON_CODES).toContain(name);
    for (const [, target] of text.matchAll(/\]\(([^)#]+)\)/g)) {
      if (target?.endsWith('/schemas')) continue;
      expect(read(join('docs', target ?? '')).length).toBeGreaterThan(0);
    }
  });
});

describe('AsyncAPI document', () => {
  const document = asyncapi('1.2.3');
  const text = JSON.stringify(document);

  /** The value that a local reference points to. */
  function resolve(reference: string): unknown {
    return reference
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
  }

  it('has only references that lead somewhere', () => {
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) expect(resolve(reference), reference).toBeTypeOf('object');
  });

  it('says for every topic what the program does with it', () => {
    for (const kind of KINDS) {
      const { qos, retain, direction } = TOPICS[kind];
      expect(resolve(`#/operations/${kind}`)).toMatchObject({
        action: direction === 'in' ? 'receive' : 'send',
        bindings: { mqtt: { qos, retain } },
      });
    }
    expect(resolve('#/channels/ports')).toMatchObject({
      address: 'portkeeper/v1/{rack}/switch/{switch}/ports',
      parameters: { rack: {}, switch: {} },
    });
    expect(resolve('#/servers/broker/bindings/mqtt/lastWill')).toMatchObject({
      topic: 'portkeeper/v1/RACK/agent',
      retain: true,
      qos: 1,
    });
    expect(resolve('#/info/version')).toBe('1.2.3');
  });
});

describe('JSON Schemas', () => {
  it('refuse what the program refuses: unknown keys and VLANs out of range', () => {
    const text = JSON.stringify(documentSchema('intent'));
    expect(text).not.toContain('"additionalProperties":true');
    expect(documentSchema('intent')).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'urn:portkeeper:v1:intent',
      $ref: '#/$defs/IntentDocument',
      $defs: { VlanId: { type: 'integer', minimum: 1, maximum: 4094 }, Attachment: { additionalProperties: false } },
    });
  });

  it('ask for every key of what the program publishes, so that each document has one shape', () => {
    let objects = 0;
    const walk = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties, required } = schema as {
        readonly properties?: object;
        readonly required?: readonly string[];
      };
      if (typeof properties === 'object') {
        objects++;
        expect(required).toEqual(Object.keys(properties));
      }
      Object.values(schema).forEach(walk);
    };
    for (const kind of KINDS.filter((k) => TOPICS[k].direction === 'out')) walk(documentSchema(kind));
    expect(objects).toBeGreaterThan(20);
  });
});
