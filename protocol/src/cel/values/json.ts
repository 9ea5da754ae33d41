import { encodeBase64 } from './base64.ts';
import { CelDuration } from './duration.ts';
import { Fields, keysOf, lookup } from './map.ts';
import { CelOptional } from './optional.ts';
import { timestampOf } from './ordering.ts';
import { CelTimestamp } from './timestamp.ts';
import { CelTypeValue } from './type-value.ts';
import { CelUint } from './uint.ts';

/**
 * A value as JSON carries it: ints and uints up to 2^53-1 as numbers, beyond as text; bytes as base64, timestamps as
 * RFC 3339, durations as `3.5s`, types by name, an empty optional as null, NaN and infinities as null; keys of maps
 * as text; objects of the host as their `toJSON` says. A value that needs no change is returned itself, so plain data costs one walk and no copy.
 */
export function toJson(value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
      return integer(value);
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'object':
      return value === null ? null : objectToJson(value);
    case 'undefined':
    case 'function':
    case 'symbol':
      return null;
    default:
      return value;
  }
}

function integer(value: bigint): number | string {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= -BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : value.toString();
}

function objectToJson(value: object): unknown {
  if (Array.isArray(value)) return listToJson(value);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Fields.prototype || prototype === null)
    return fieldsToJson(value as Record<string, unknown>);
  if (value instanceof CelUint) return integer(value.value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof CelTimestamp || value instanceof Date) return timestampOf(value).toString();
  if (value instanceof CelDuration) return value.toString();
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOptional) return value.present ? toJson(value.value) : null;
  if (value instanceof Map) {
    const fields = new Fields();
    for (const key of keysOf(value)) fields[String(key)] = toJson(lookup(value, key));
    return fields;
  }
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return toJson(toJSON.call(value));
  return fieldsToJson(value as Record<string, unknown>);
}

function listToJson(list: readonly unknown[]): readonly unknown[] {
  for (let at = 0; at < list.length; at++) {
    const element = list[at];
    const converted = toJson(element);
    if (converted === element) continue;
    const copy = list.slice(0, at);
    copy.push(converted);
    for (let rest = at + 1; rest < list.length; rest++) copy.push(toJson(list[rest]));
    return copy;
  }
  return list;
}

function fieldsToJson(fields: Record<string, unknown>): Record<string, unknown> {
  // The engine walks fields in this loop without a list of their names. A copy has own fields alone, whatever it meets.
  for (const key in fields) {
    const value = fields[key];
    if (typeof value === 'string' || typeof value === 'boolean' || value === undefined) continue;
    const converted = toJson(value);
    if (converted !== value) return copyFrom(fields, key, converted);
  }
  return fields;
}

/** A copy in which `first` is converted, and what comes behind it; what is before it needs no change. */
function copyFrom(fields: Record<string, unknown>, first: string, converted: unknown): Record<string, unknown> {
  const copy = new Fields();
  let isBehind = false;
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (key === first) {
      copy[key] = converted;
      isBehind = true;
    } else if (value !== undefined) copy[key] = isBehind ? toJson(value) : value;
  }
  return copy;
}
