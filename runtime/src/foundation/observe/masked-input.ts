import { mask, namesCredential } from './mask.ts';
import { secretFieldsOf } from './secret-fields.ts';

/**
 * A copy of a message that becomes a payload as a whole: all of it, with the values of headers and fields that are named
 * like credentials masked, and those that are kept secret of `message`. Anything but a plain object or list stays as it is.
 */
export function maskedInput(
  input: Readonly<Record<string, unknown>>,
  message?: object | undefined,
): Record<string, unknown> {
  const copy = masked(input) as Record<string, unknown>;
  const secrets = secretFieldsOf(message).filter((name) => Object.hasOwn(copy, name));
  if (secrets.length === 0) return copy;
  return Object.assign(copy === input ? { ...copy } : copy, Object.fromEntries(secrets.map((name) => [name, mask])));
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
