import { CelUint, toJson } from '@svc/protocol/cel';

interface RawJson {
  rawJSON(text: string): unknown;
}

/** A value as JSON: all digits of an integer are kept; times, bytes and the like are texts. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, item: unknown) {
    if (typeof item === 'bigint') return (JSON as unknown as RawJson).rawJSON(String(item));
    // In digits, who reads it would take it for an exact integer.
    if (typeof item === 'number' && Number.isInteger(item) && !Number.isSafeInteger(item))
      return (JSON as unknown as RawJson).rawJSON(item.toExponential());
    // Some objects have been turned into others by their own toJSON here: look at what the holder has.
    const original = this[key];
    if (typeof original !== 'object' || original === null || Array.isArray(original)) return item;
    if (original instanceof CelUint) return (JSON as unknown as RawJson).rawJSON(String(original.value));
    const prototype = Object.getPrototypeOf(original) as unknown;
    if (original instanceof Map) return Object.fromEntries(original);
    return prototype === Object.prototype || prototype === null ? item : toJsonObject(original, item);
  });
}

/** What is plain data stays as it is, so that its integers keep their digits. */
function toJsonObject(original: object, item: unknown): unknown {
  const written = toJson(original);
  return typeof written === 'object' ? item : written;
}
