import { CelDuration } from './duration.ts';
import { CelOptional } from './optional.ts';
import { CelTimestamp } from './timestamp.ts';
import { CelTypeValue } from './type-value.ts';
import { CelUint } from './uint.ts';

/** What a value is at run time. `unknown` is what the language has no value for, such as a JavaScript function. */
export type Kind =
  | 'int'
  | 'uint'
  | 'double'
  | 'bool'
  | 'string'
  | 'bytes'
  | 'null_type'
  | 'list'
  | 'map'
  | 'timestamp'
  | 'duration'
  | 'type'
  | 'optional'
  | 'unknown';

export function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'object':
      return objectKind(value);
    case 'undefined':
      return 'null_type';
    default:
      return 'unknown';
  }
}

function objectKind(value: object | null): Kind {
  if (value === null) return 'null_type';
  if (Array.isArray(value)) return 'list';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof CelTimestamp || value instanceof Date) return 'timestamp';
  if (value instanceof CelDuration) return 'duration';
  if (value instanceof CelTypeValue) return 'type';
  if (value instanceof CelOptional) return 'optional';
  return 'map';
}

/** A name of a type or kind with its article: `an int`, `a uint`. */
export function withArticle(name: string): string {
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
}

/** Whether the value is a map: a Map, or an object that is nothing else. */
export function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && objectKind(value) === 'map';
}

/** A numeric value as JavaScript can compare it; undefined for what is not a number. */
export function numeric(value: unknown): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof CelUint ? value.value : undefined;
}
