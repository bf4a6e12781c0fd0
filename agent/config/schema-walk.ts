import * as z from 'zod';

/** A schema without the wrappers that only say what happens when the key is absent. */
export function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
    inner = inner.def.innerType as z.ZodType;
  }
  return inner;
}

/** The description that was given at any wrapper of a schema; "" when there is none. */
export function describedAs(schema: z.ZodType): string {
  if (schema.description !== undefined) return schema.description;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return describedAs(schema.def.innerType as z.ZodType);
  }
  return '';
}

/** The value that an absent key gets; undefined when it stays absent or must be given. */
export function defaultOf(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue;
  if (schema instanceof z.ZodPrefault) return schema.parse(undefined);
  return undefined;
}

export function isRequired(schema: z.ZodType): boolean {
  return !(schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault);
}

/** The object form of a schema: itself, or the object among its alternatives; null when there is none. */
export function objectForm(schema: z.ZodType): z.ZodObject | null {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return inner;
  if (inner instanceof z.ZodUnion) {
    for (const option of inner.def.options) {
      const form = objectForm(option as z.ZodType);
      if (form) return form;
    }
  }
  return null;
}

/** Keys and schemas of an object. */
export function entriesOf(schema: z.ZodObject): [string, z.ZodType][] {
  return Object.entries(schema.def.shape) as [string, z.ZodType][];
}

/** The schema of one step down; null when there is none. */
function step(schema: z.ZodType, key: PropertyKey): z.ZodType | null {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodRecord) return inner.def.valueType as z.ZodType;
  if (inner instanceof z.ZodArray) return inner.def.element as z.ZodType;
  const object = objectForm(inner);
  if (!object || !Object.hasOwn(object.def.shape, key)) return null;
  return (object.def.shape as Record<PropertyKey, z.ZodType>)[key] ?? null;
}

/** The schema at a path; null when the path leads nowhere. */
export function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | null {
  let at: z.ZodType | null = schema;
  for (const key of path) at = at && step(at, key);
  return at;
}

/** One key of the configuration, with the placeholder NAME for names that the operator chooses. */
export interface SchemaKey {
  readonly path: readonly string[];
  readonly schema: z.ZodType;
}

/** Every key of a schema in order, containers before what they contain. */
export function allKeys(schema: z.ZodType, path: readonly string[] = []): SchemaKey[] {
  const inner = unwrap(schema);
  const object = objectForm(inner);
  if (object) {
    return entriesOf(object).flatMap(([key, value]) => {
      const at = [...path, key];
      return [{ path: at, schema: value }, ...allKeys(value, at)];
    });
  }
  return inner instanceof z.ZodRecord ? allKeys(inner.def.valueType as z.ZodType, [...path, 'NAME']) : [];
}

/** What a schema allows, in words: "a whole number from 1 to 65535". */
export function allowedBy(schema: z.ZodType): string {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodEnum) return either(inner.options.map(String));
  if (inner instanceof z.ZodLiteral) return either([...inner.def.values].map(String));
  if (inner instanceof z.ZodBoolean) return 'true or false';
  if (inner instanceof z.ZodNumber) return numberRange(inner);
  if (inner instanceof z.ZodString) return textRule(inner);
  if (inner instanceof z.ZodArray) return `a list, each item ${allowedBy(inner.def.element as z.ZodType)}`;
  if (inner instanceof z.ZodUnion) return either(inner.def.options.map((option) => allowedBy(option as z.ZodType)));
  if (inner instanceof z.ZodObject) {
    return `a mapping with ${entriesOf(inner)
      .map(([key]) => key)
      .join(', ')}`;
  }
  if (inner instanceof z.ZodRecord) return 'a mapping from names to settings';
  return 'any value';
}

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`;
}

function numberRange(schema: z.ZodNumber): string {
  const kind = schema.isInt ? 'a whole number' : 'a number';
  const { minValue, maxValue } = schema;
  const bounded = minValue !== null && maxValue !== null && Number.isFinite(minValue) && Number.isFinite(maxValue);
  return bounded ? `${kind} from ${minValue} to ${maxValue}` : kind;
}

/** The words of a string's pattern are its own error message, so a text that fits no pattern brings them out. */
function textRule(schema: z.ZodString): string {
  const failed = schema.safeParse('\u0001').error?.issues.find((found) => found.code === 'invalid_format');
  if (failed && !failed.message.startsWith('Invalid ')) return failed.message;
  return schema.maxLength === null ? 'text' : `text of at most ${schema.maxLength} characters`;
}
