import { GraphQLError, GraphQLScalarType, type ValueNode, valueFromASTUntyped } from 'graphql';

/** Texts of a form, by the scalar. */
const texts: Readonly<Record<string, { readonly doc: string; readonly holds: RegExp }>> = {
  DateTime: {
    doc: 'A date with time and offset (RFC 3339).',
    holds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  },
  Date: { doc: 'A date: `2025-03-01`.', holds: /^\d{4}-\d\d-\d\d$/ },
  Time: { doc: 'A time of day: `08:15:00`.', holds: /^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i },
  Email: { doc: 'An address of electronic mail.', holds: /^[^\s@]+@[^\s@]*\.[^\s@]*$/ },
  URL: { doc: 'An address that begins with http:// or https://.', holds: /^https?:\/\/\S+$/i },
  UUID: {
    doc: 'An identifier in the form of RFC 9562.',
    holds: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  },
};

/** Whole numbers from a least one on, by the scalar. */
const numbers: Readonly<Record<string, { readonly doc: string; readonly least: number }>> = {
  PositiveInt: { doc: 'A whole number of at least 1.', least: 1 },
  NonNegativeInt: { doc: 'A whole number of at least 0.', least: 0 },
};

/** Any JSON value. */
const json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node: ValueNode, variables) => valueFromASTUntyped(node, variables),
});

/** Scalars that are known without a definition. */
export const scalars: readonly GraphQLScalarType[] = [
  json,
  ...Object.entries(texts).map(([name, about]) => textScalar(name, about)),
  ...Object.entries(numbers).map(([name, about]) => numberScalar(name, about)),
];

function textScalar(name: string, { doc, holds }: { readonly doc: string; readonly holds: RegExp }) {
  const read = (value: unknown) => {
    if (typeof value === 'string' && holds.test(value)) return value;
    throw new GraphQLError(`${name} cannot represent ${shown(value)}`);
  };
  return new GraphQLScalarType({
    name,
    description: doc,
    serialize: (value) => {
      if (value instanceof Date) return dateText(name, value);
      if (typeof value === 'string') return value;
      throw new GraphQLError(`${name} cannot represent ${shown(value)}`);
    },
    parseValue: read,
    parseLiteral: (node) => read(node.kind === 'StringValue' ? node.value : undefined),
  });
}

function numberScalar(name: string, { doc, least }: { readonly doc: string; readonly least: number }) {
  const read = (value: unknown) => {
    const number = typeof value === 'bigint' ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number;
    throw new GraphQLError(`${name} cannot represent ${shown(value)}`);
  };
  return new GraphQLScalarType({
    name,
    description: doc,
    serialize: (value) => read(typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    parseValue: read,
    parseLiteral: (node) => read(node.kind === 'IntValue' ? Number(node.value) : undefined),
  });
}

/** The part of a point in time that a scalar is about. */
function dateText(name: string, value: Date): string {
  if (Number.isNaN(value.getTime())) throw new GraphQLError(`${name} cannot represent an invalid date`);
  const text = value.toISOString();
  return name === 'Date' ? text.slice(0, 10) : name === 'Time' ? text.slice(11) : text;
}

function shown(value: unknown): string {
  if (value === undefined) return 'a value of another kind';
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(String(value)).slice(0, 100);
}
