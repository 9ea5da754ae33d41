/** A scalar as part of a key, escaped; undefined for lists and objects. */
export function keyText(value: unknown): string | undefined {
  if (typeof value === 'string') return escapeKey(value);
  if (value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return undefined;
}

const reserved = /[%:*?[\]\\]/;

/** Replaces what separates or widens keys by percent codes. */
export function escapeKey(text: string): string {
  if (!reserved.test(text)) return text;
  return text.replace(/[%:*?[\]\\]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}
