/** The record's own value for a key that comes from outside: "constructor" and the like are then just absent. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
