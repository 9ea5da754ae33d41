import { GraphQLError, GraphQLScalarType, type ValueNode, valueFromASTUntyped } from 'graphql';

/** Scalars that every schema has, by name, with what they hold. */
const texts: Readonly<Record<string, { readonly doc: string; readonly holds: RegExp | undefined }>> = {
  DateTime: {
    doc: 'A date with time and offset (RFC 3339).',
    holds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  },
  Date: { doc: 'A date: `2025-03-01`.', holds: /^\d{4}-\d\d-\d\d$/ },
  Time: { doc: 'A time of day: `08:15:00`.', holds: /^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i },
};

/** Any JSON value. */
const json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node: ValueNode, variables) => valueFromASTUntyped(node, variables),
});

export const scalars: readonly GraphQLScalarType[] = [
  json,
  ...Object.entries(texts).map(([name, about]) => textScalar(name, about)),
];

function textScalar(name: string, { doc, holds }: { readonly doc: string; readonly holds: RegExp | undefined }) {
  const read = (value: unknown) => {
    if (typeof value === 'string' && (holds === undefined || holds.test(value))) return value;
    throw new GraphQLError(`${name} cannot represent ${JSON.stringify(value)}`);
  };
  return new GraphQLScalarType({
    name,
    description: doc,
    serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
    parseValue: read,
    parseLiteral: (node) => read(node.kind === 'StringValue' ? node.value : undefined),
  });
}
