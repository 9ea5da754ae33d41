import { toJson } from '@svc/protocol/cel';
import { type GraphQLEnumType, type GraphQLLeafType, type GraphQLScalarType, isEnumType } from 'graphql';
import { Failure } from '../../../../foundation/errors/failure.ts';

/** A value of a flow as a leaf of an answer. Throws `output_invalid`; null stays what it is. */
export type Leaf = (value: unknown) => unknown;

/** Scalars whose values are texts, of those that every schema has. */
export const textScalars: ReadonlySet<string> = new Set(['DateTime', 'Date', 'Time']);

/** Decided once for each place; `field` names it in errors: `Order.total`. */
export function leafOf(type: GraphQLLeafType, field: string): Leaf {
  const refuse = (value: unknown): never => {
    throw new Failure(
      'output_invalid',
      `the field ${field} is of type ${type.name}, and the answer is ${kindOf(value)}`,
    );
  };
  if (isEnumType(type)) return enumLeaf(type, refuse);
  const known = leaves[type.name];
  if (known !== undefined) return (value) => (value === null || value === undefined ? value : known(value, refuse));
  return customLeaf(type, refuse);
}

type Refuse = (value: unknown) => never;

const leaves: Readonly<Record<string, (value: unknown, refuse: Refuse) => unknown>> = {
  String: (value, refuse) => (typeof value === 'string' ? value : textOf(value, refuse)),
  ID: (value, refuse) => {
    if (typeof value === 'string') return value;
    return typeof value === 'boolean' ? refuse(value) : textOf(value, refuse);
  },
  Int: (value, refuse) => {
    const number = numberOf(value);
    return Number.isInteger(number) && Math.abs(number) <= 2_147_483_647 ? number : refuse(value);
  },
  Float: (value, refuse) => {
    const number = numberOf(value);
    return Number.isFinite(number) ? number : refuse(value);
  },
  Boolean: (value, refuse) => {
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number' || typeof value === 'bigint') return Number(value) !== 0;
    return value === 'true' ? true : value === 'false' ? false : refuse(value);
  },
  DateTime: (value, refuse) => {
    const text = momentOf(value, refuse);
    const [, date, time, offset = 'Z'] = dateTime.exec(text) ?? [];
    return date === undefined ? refuse(value) : `${date}T${time}${offset.length === 3 ? `${offset}:00` : offset}`;
  },
  Date: (value, refuse) => {
    const [, date] = dateOnly.exec(momentOf(value, refuse)) ?? [];
    return date ?? refuse(value);
  },
  Time: (value, refuse) => {
    const [, time] = timeOnly.exec(momentOf(value, refuse)) ?? [];
    return time ?? refuse(value);
  },
};

/** A date and a time as databases and RFC 3339 write them. */
const dateTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;
const dateOnly = /^(\d{4}-\d\d-\d\d)(?:$|[T ])/i;
const timeOnly = /^(?:\d{4}-\d\d-\d\d[T ])?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)$/i;

function momentOf(value: unknown, refuse: Refuse): string {
  const json = toJson(value);
  return typeof json === 'string' ? json : refuse(value);
}

/** NaN for anything but a number. */
function numberOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return value;
    case 'bigint':
    case 'boolean':
      return Number(value);
    case 'string':
      return value.trim() === '' ? Number.NaN : Number(value);
    default: {
      const json = typeof value === 'object' ? toJson(value) : undefined;
      return typeof json === 'number' ? json : Number.NaN;
    }
  }
}

function textOf(value: unknown, refuse: Refuse): string {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? String(value) : refuse(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default: {
      const json = toJson(value);
      return typeof json === 'string' || typeof json === 'number' ? String(json) : refuse(value);
    }
  }
}

/** A value of an enum as flows know it, or its name. */
function enumLeaf(type: GraphQLEnumType, refuse: Refuse): Leaf {
  const names = new Map<unknown, string>();
  for (const { name } of type.getValues()) names.set(name, name);
  for (const { name, value } of type.getValues()) names.set(typeof value === 'bigint' ? Number(value) : value, name);
  return (value) => {
    if (value === null || value === undefined) return value;
    const plain = typeof value === 'string' ? value : toJson(value);
    return names.get(plain) ?? (typeof plain === 'number' ? names.get(String(plain)) : undefined) ?? refuse(value);
  };
}

/** A scalar of the schema: what it makes of the value, as JSON has it. */
function customLeaf(type: GraphQLScalarType, refuse: Refuse): Leaf {
  return (value) => {
    if (value === null || value === undefined) return value;
    let made: unknown;
    try {
      made = type.serialize(toJson(value));
    } catch {
      return refuse(value);
    }
    return made === undefined ? refuse(value) : toJson(made);
  };
}

/** What a value is, without the value itself. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return 'another text';
  return typeof value === 'boolean' ? 'a boolean' : 'another number';
}
