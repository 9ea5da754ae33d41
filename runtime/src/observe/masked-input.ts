import { mask, namesCredential } from './mask.ts';

/**
 * A copy of a message that becomes a payload as a whole: all of it, with the values of headers and fields that are named
 * like credentials masked. Anything but a plain object or list stays as it is.
 */
export function maskedInput(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return masked(input) as Record<string, unknown>;
}

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (!isPlain(value)) return value;
  const copy = Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>;
  for (const [name, item] of Object.entries(value)) {
    const isHidden = item !== null && item !== undefined && typeof item !== 'boolean' && namesCredential(name);
    copy[name] = isHidden ? mask : masked(item);
  }
  return copy;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
