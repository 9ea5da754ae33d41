import { Fields } from '@svc/protocol/cel';

interface RawJson {
  rawJSON(text: string): unknown;
}

const integer = /^-?\d+$/;
const raw = (text: string) => (JSON as unknown as RawJson).rawJSON(text);

/**
 * A value of a saga as JSON text that `stateFromText` reads back as it was: integers keep all digits, a double with an
 * integral value keeps its point (`5.0`), so that expressions see the same types after a restart. Bytes become base64.
 */
export function stateToText(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, item: unknown) {
    // A Buffer has already been turned into {type, data} by its own toJSON here: the value in the holder is the
    // original.
    const original = this[key];
    if (original instanceof Uint8Array) return Buffer.from(original).toString('base64');
    if (typeof item === 'bigint') return raw(String(item));
    if (typeof item === 'number' && integer.test(String(item))) return raw(`${Object.is(item, -0) ? '-0' : item}.0`);
    return item instanceof Map ? Object.fromEntries(item) : item;
  });
}

type ParseWithSource = (
  text: string,
  reviver: (key: string, item: unknown, context?: { source?: string }) => unknown,
) => unknown;

/** Reads what `stateToText` wrote; objects have no prototype, integers are bigint. */
export function stateFromText(text: string): unknown {
  return (JSON.parse as ParseWithSource)(text, (_key, item, context) => {
    if (typeof item === 'number') return integer.test(context?.source ?? '') ? BigInt(context?.source as string) : item;
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return item;
    return Object.assign(new Fields(), item);
  });
}
