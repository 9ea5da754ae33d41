import { toJson } from '@svc/protocol/cel';
import {
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { textScalars } from './leaves.ts';

/** What a flow answered, as the declared type of its field takes it (docs/graphql.md#answers). */
export type Fit = (value: unknown) => unknown;

/** Decided once for each field; `field` names it in errors: `Query.order`. Throws `output_invalid`. */
export function fitOf(type: GraphQLOutputType, field: string): Fit {
  const bare = getNullableType(type);
  if (isListType(bare)) return listOf;
  if (isScalarType(bare)) {
    if (bare.name === 'Boolean') return written;
    if (!isSpecifiedScalarType(bare) && !textScalars.has(bare.name)) return asItIs;
    return (value) => onlyValue(one(value), field);
  }
  return isEnumType(bare) ? (value) => onlyValue(one(value), field) : one;
}

type Values = Readonly<Record<string, unknown>>;

const asItIs: Fit = (value) => value;

export function isFields(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isScalar(value);
}

/** Objects that are one value: dates, bytes, what expressions have for times. */
function isScalar(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null) return false;
  return typeof toJson(value) !== 'object';
}

/** A list: itself, the one list in an object, the elements of nothing, or a single element. */
export function listOf(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (value === null || value === undefined) return [];
  if (!isFields(value)) return [value];
  const names = Object.keys(value);
  const only = names.length === 1 ? value[names[0] as string] : undefined;
  return Array.isArray(only) ? only : [value];
}

/** A single value: the first element of one, null for none. */
export function one(value: unknown): unknown {
  return Array.isArray(value) ? (value[0] ?? null) : value;
}

/** A Boolean: itself, else whether something was written. */
export function written(value: unknown): unknown {
  const single = one(value);
  if (single === null || single === undefined) return false;
  if (!isFields(single)) return single;
  const { affected } = single;
  if (affected !== undefined) return Number(affected) > 0;
  const names = Object.keys(single);
  const only = names.length === 1 ? single[names[0] as string] : undefined;
  return typeof only === 'boolean' ? only : true;
}

/** The one value of an object. Throws `output_invalid` for an object with several. */
export function onlyValue(value: unknown, field: string): unknown {
  if (!isFields(value)) return value;
  const names = Object.keys(value);
  if (names.length === 1) return one(value[names[0] as string]);
  throw new Failure(
    'output_invalid',
    names.length === 0
      ? `the field ${field} is one value, and the answer is an object without keys`
      : `the field ${field} is one value, and the answer is an object with the keys ${names.join(', ')}`,
  );
}
