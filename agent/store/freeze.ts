/**
 * Freezes a JSON value all the way down and returns it. Parts that are frozen already are taken to be frozen inside, so
 * that a new value which shares most of an old one costs only its new parts.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
