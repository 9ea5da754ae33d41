import { toJson } from '@svc/protocol/cel';
import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  parse,
  specifiedScalarTypes,
  valueFromAST,
} from 'graphql';
import { typeResolver } from './abstract-types.ts';
import { completed } from './document.ts';
import { type Entity, entitiesOf } from './entities.ts';
import { adoptEnum } from './enum-values.ts';
import type { EnumValues } from './enums.ts';
import { isLinked, preamble } from './federation/definitions.ts';
import type { FederationVersion } from './generate.ts';
import { scalars } from './scalars.ts';
import { upload } from './upload.ts';

/** The text of a schema, and what is known of it besides. */
export interface SchemaText {
  readonly text: string;
  readonly enums?: ReadonlyMap<string, EnumValues>;
}

/** A schema that flows can be bound to. */
export interface BuiltSchema {
  readonly schema: GraphQLSchema;
  /** What `_service` answers: the text as it is written, and to which federation it belongs. */
  readonly sdl: string;
  /** Types to whose objects other services refer, by name; none outside a federation. */
  readonly entities: readonly Entity[];
}

/** The schema of a text (SDL). Throws a GraphQLError, or an Error that names everything that is wrong. */
export function buildSchema({ text, enums = new Map() }: SchemaText, federation?: FederationVersion): BuiltSchema {
  return buildDocument(parse(text), text, enums, federation);
}

/** The same of a document that was parsed, and may have been found valid. */
export function buildDocument(
  document: DocumentNode,
  text: string,
  enums: ReadonlyMap<string, EnumValues>,
  federation: FederationVersion,
): BuiltSchema {
  const entities = federation === undefined ? [] : entitiesOf(document);
  const schema = buildASTSchema(
    completed(
      document,
      entities.map(({ name }) => name),
    ),
  );
  const known = new Map([...scalars, upload].map((scalar) => [scalar.name, scalar]));
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && !specifiedScalarTypes.includes(type)) {
      const own = known.get(type.name);
      if (own === undefined) {
        // Whole numbers of flows are not values of JSON.
        type.serialize = toJson;
        continue;
      }
      type.serialize = own.serialize;
      type.parseValue = own.parseValue;
      type.parseLiteral = own.parseLiteral;
      type.description ??= own.description;
    } else if (isEnumType(type)) adoptEnum(type, enums.get(type.name));
    else if (isAbstractType(type)) type.resolveType = typeResolver(schema, type);
    if (isObjectType(type) || isInterfaceType(type))
      for (const field of Object.values(type.getFields())) if (field.name in Object.prototype) readOwn(field);
  }
  for (const type of Object.values(schema.getTypeMap())) if (isInputObjectType(type)) adoptDefaults(type);
  const sdl = federation === 2 && !isLinked(document) ? preamble + text : text;
  return { schema, sdl, entities };
}

/** Reads defaults again: when they were read first, enums and scalars had other values. */
function adoptDefaults(type: GraphQLInputObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const written = field.astNode?.defaultValue;
    if (written !== undefined) field.defaultValue = valueFromAST(written, field.type);
  }
}

/** Every object has something of this name, which is not the field. */
function readOwn(field: GraphQLField<unknown, unknown>): void {
  const { name } = field;
  field.resolve = (parent) =>
    typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
      ? (parent as Readonly<Record<string, unknown>>)[name]
      : undefined;
}
