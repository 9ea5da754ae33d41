import { buildASTSchema, type GraphQLSchema, isScalarType, parse, specifiedScalarTypes } from 'graphql';
import { scalars } from './scalars.ts';
import { upload } from './upload.ts';

/** The schema of a text (SDL), with the scalars that every schema has. Throws a GraphQLError. */
export function buildSchema(text: string): GraphQLSchema {
  const document = parse(`${text}\n${missingScalars(text)}`);
  const schema = buildASTSchema(document);
  const known = new Map([...scalars, upload].map((scalar) => [scalar.name, scalar]));
  for (const type of Object.values(schema.getTypeMap())) {
    const own = isScalarType(type) && !specifiedScalarTypes.includes(type) ? known.get(type.name) : undefined;
    if (own !== undefined && isScalarType(type)) {
      type.serialize = own.serialize;
      type.parseValue = own.parseValue;
      type.parseLiteral = own.parseLiteral;
    }
  }
  return schema;
}

function missingScalars(text: string): string {
  return scalars
    .filter(({ name }) => !new RegExp(`\\bscalar\\s+${name}\\b`).test(text))
    .map(({ name, description }) => `"""${description ?? ''}"""\nscalar ${name}`)
    .join('\n');
}
