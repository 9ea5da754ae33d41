interface RawJson {
  rawJSON(text: string): unknown;
}

/**
 * A structured value as JSON text. Bigints keep all digits, bytes become base64, maps become objects, `undefined` is
 * left out.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, item: unknown) {
    // A Buffer has already been turned into {type, data} by its own toJSON here: look at what the holder has.
    const original = this[key];
    if (original instanceof Uint8Array) return base64(original);
    if (typeof item === 'bigint') return (JSON as unknown as RawJson).rawJSON(String(item));
    return item instanceof Map ? Object.fromEntries(item) : item;
  });
}

/** JSON text as a value; integers become bigint when `exact`, otherwise only those that a number would round. */
export function fromJson(text: string, exact: boolean): unknown {
  if (!exact && !/\d{16}/.test(text)) return JSON.parse(text);
  return (JSON.parse as ParseWithSource)(text, (_key, item, context) => {
    if (typeof item !== 'number' || context?.source === undefined || !/^-?\d+$/.test(context.source)) return item;
    return exact || !Number.isSafeInteger(item) ? BigInt(context.source) : item;
  });
}

type ParseWithSource = (
  text: string,
  reviver: (key: string, item: unknown, context?: { source?: string }) => unknown,
) => unknown;

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
