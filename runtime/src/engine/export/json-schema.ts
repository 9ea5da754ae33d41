import type { ParameterDeclaration } from '../../connectors/core/operations.ts';
import type { FieldModel, TypeModel } from '../flow/stages/validate/spec.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** Of the versions of OpenAPI that are written, the first has another way to say that a value may be null. */
export type Dialect = '3.0.3' | '3.1.1' | '3.2.0';

/** Media types of the formats that a configuration names. */
export const mediaTypes = {
  json: 'application/json',
  xml: 'application/xml',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  ndjson: 'application/x-ndjson',
  excel: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The name of a type as a component may be called. */
export function componentName(type: string): string {
  return type.replace(/[^A-Za-z0-9._-]/g, '_');
}

/** Refers to the schema of a type. */
export function typeReference(type: string): JsonObject {
  return { $ref: `#/components/schemas/${componentName(type)}` };
}

/** A `type` block as the schema of an object. Fields that are not declared are let through, as the service does. */
export function typeSchema({ description, fields }: TypeModel, dialect: Dialect): JsonObject {
  return { ...(description === undefined ? {} : { description }), ...objectSchema(fields, dialect) };
}

function objectSchema(fields: readonly FieldModel[], dialect: Dialect): JsonObject {
  const required = fields
    .filter(({ constraints }) => constraints.required && constraints.default === undefined)
    .map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, dialect)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

const formats: Readonly<Record<string, string>> = { url: 'uri', datetime: 'date-time' };

function fieldSchema({ shape, constraints }: FieldModel, dialect: Dialect): JsonObject {
  const { description, format, pattern, min, max, min_length: shortest, max_length: longest } = constraints;
  const facts: JsonObject = {
    ...(description === undefined ? {} : { description }),
    ...(format === undefined ? {} : { format: formats[format] ?? format }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...lengths(shape.kind === 'array', shortest, longest),
    ...(constraints.enum === undefined ? {} : { enum: constraints.enum as Json[] }),
    ...(constraints.default === undefined ? {} : { default: constraints.default as Json }),
  };
  const schema = shapeSchema(shape, constraints.items, dialect);
  // Beside a reference everything else is ignored, so that it is wrapped when there is more to say.
  const whole =
    '$ref' in schema && (Object.keys(facts).length > 0 || !constraints.required)
      ? { allOf: [schema], ...facts }
      : { ...schema, ...facts };
  return constraints.required ? whole : nullable(whole, dialect);
}

function shapeSchema(shape: FieldModel['shape'], items: string | undefined, dialect: Dialect): JsonObject {
  switch (shape.kind) {
    case 'type':
      return typeReference(shape.type);
    case 'fields':
      return objectSchema(shape.fields, dialect);
    case 'id':
      return { anyOf: [{ type: 'string' }, { type: 'number' }] };
    case 'array':
      return { type: 'array', items: items === undefined ? {} : elementSchema(items) };
    default:
      return { type: shape.kind };
  }
}

/** What `items` names: a field type, or a type of the configuration. */
function elementSchema(items: string): JsonObject {
  if (items === 'id') return { anyOf: [{ type: 'string' }, { type: 'number' }] };
  if (items === 'array') return { type: 'array', items: {} };
  return ['string', 'number', 'integer', 'boolean', 'object'].includes(items) ? { type: items } : typeReference(items);
}

function nullable(schema: JsonObject, dialect: Dialect): JsonObject {
  const values = schema['enum'];
  // A closed set of values must list null as well.
  const open: JsonObject = Array.isArray(values) ? { ...schema, enum: [...values, null] } : schema;
  if (dialect === '3.0.3') return { ...open, nullable: true };
  const { type } = open;
  if (typeof type === 'string') return { ...open, type: [type, 'null'] };
  return { anyOf: [open, { type: 'null' }] };
}

/** A parameter of a named operation. */
export function parameterSchema(parameter: ParameterDeclaration): JsonObject {
  const { type, min, max, pattern, min_length: shortest, max_length: longest, default: standard } = parameter;
  return {
    type,
    ...(type === 'array' ? { items: {} } : {}),
    ...(pattern === undefined ? {} : { pattern }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...lengths(type === 'array', shortest, longest),
    ...(parameter.enum === undefined ? {} : { enum: parameter.enum as Json[] }),
    ...(standard === undefined || standard === null || standard === '' ? {} : { default: standard as Json }),
  };
}

function lengths(ofElements: boolean, shortest: number | undefined, longest: number | undefined): JsonObject {
  const [least, most] = ofElements ? ['minItems', 'maxItems'] : ['minLength', 'maxLength'];
  return {
    ...(shortest === undefined ? {} : { [least as string]: shortest }),
    ...(longest === undefined ? {} : { [most as string]: longest }),
  };
}
