import { GraphQLError, type GraphQLOutputType, isListType, isNonNullType, isObjectType, isScalarType } from 'graphql';

/** What a flow answered, as the declared type of its field takes it (docs/graphql.md#answers). */
export type Fit = (value: unknown) => unknown;

/** Decided once for each field; `field` names it in errors: `Query.order`. */
export function fitOf(type: GraphQLOutputType, field: string): Fit {
  const bare = isNonNullType(type) ? type.ofType : type;
  if (isListType(bare)) return listOf;
  if (isObjectType(bare)) return one;
  if (isScalarType(bare) && bare.name === 'Boolean') return written;
  if (isScalarType(bare) && !leaves.has(bare.name)) return (value) => value;
  return (value) => onlyValue(one(value), field);
}

const leaves = new Set(['String', 'Int', 'Float', 'ID']);

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (value === null || value === undefined) return [];
  if (!isFields(value)) return [value];
  const names = Object.keys(value);
  const only = names.length === 1 ? value[names[0] as string] : undefined;
  return Array.isArray(only) ? only : [value];
}

function one(value: unknown): unknown {
  return Array.isArray(value) ? (value[0] ?? null) : value;
}

/** Whether something was written. */
function written(value: unknown): unknown {
  const single = one(value);
  if (single === null || single === undefined) return false;
  if (!isFields(single)) return single;
  const { affected } = single;
  return affected === undefined ? true : Number(affected) > 0;
}

function onlyValue(value: unknown, field: string): unknown {
  if (!isFields(value)) return value;
  const names = Object.keys(value);
  if (names.length === 1) return value[names[0] as string];
  throw new GraphQLError(`the field ${field} is one value, and its flow answered an object with ${names.join(', ')}`);
}
