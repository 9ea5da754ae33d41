import { Fields } from '@svc/protocol/cel';
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { isFields, listOf, one, onlyValue, written } from './fit.ts';
import { leafOf } from './leaves.ts';
import { fieldsOf } from './selected-fields.ts';
import { otherSpelling } from './spelling.ts';

/**
 * An answer in the shape that a document reads: fields under their declared names, nested values fitted to their types,
 * leaves as JSON has them. What cannot be fitted is an Error in its place, which its field alone answers. An answer
 * that is right already is given back itself, and none is changed.
 */
export type Shape = (value: unknown) => unknown;

/** Decided once for each place; `field` names the place in errors: `Query.order`. */
export function shapeOf(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  field: string,
): Shape {
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  return new Shapes(schema).of(type, sets, field);
}

type Values = Readonly<Record<string, unknown>>;

class Shapes {
  readonly #schema: GraphQLSchema;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  of(type: GraphQLOutputType, sets: readonly SelectionSetNode[], field: string): Shape {
    const bare = getNullableType(type);
    if (isListType(bare)) return eachOf(this.nested(bare.ofType, sets, field));
    if (isLeafType(bare)) return guarded(leafOf(bare, field));
    if (isObjectType(bare)) return this.#object(bare, sets);
    const shapes = new Map(this.#schema.getPossibleTypes(bare).map((each) => [each.name, this.#object(each, sets)]));
    return (value) => {
      const name = isFields(value) ? value['__typename'] : undefined;
      return typeof name === 'string' ? (shapes.get(name)?.(value) ?? value) : value;
    };
  }

  /** The same for a value within another one, which no flow answered by itself. */
  nested(type: GraphQLOutputType, sets: readonly SelectionSetNode[], field: string): Shape {
    const bare = getNullableType(type);
    const inner = this.of(type, sets, field);
    if (isListType(bare)) {
      const required = isNonNullType(type);
      return (value) => inner(value === null || value === undefined ? (required ? [] : value) : listOf(value));
    }
    if (!isLeafType(bare)) return (value) => inner(one(value));
    if (bare.name === 'Boolean')
      return (value) => (typeof value === 'object' && value !== null ? inner(written(value)) : inner(value));
    // Whatever JSON holds may be a value of a scalar of the schema.
    if (!fitted.has(bare.name) && !('getValues' in bare)) return inner;
    const only = guarded((value) => onlyValue(one(value), field));
    return (value) => (typeof value === 'object' && value !== null ? inner(only(value)) : inner(value));
  }

  #object(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Shape {
    const parts: Part[] = [];
    // The flows of fields below may read any field of the object.
    let isWhole = false;
    for (const [, nodes] of selectedOnce(this.#schema, type, sets)) {
      const declared = type.getFields()[(nodes[0] as FieldNode).name.value];
      if (declared === undefined) continue;
      if (declared.resolve !== undefined) {
        isWhole = true;
        continue;
      }
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      parts.push({
        name: declared.name,
        other: otherSpelling(declared.name),
        plain: plainOf(declared.type),
        shape: this.nested(declared.type, below, `${type.name}.${declared.name}`),
      });
    }
    return (value) => (isFields(value) ? shaped(value, parts, isWhole) : value);
  }
}

interface Part {
  readonly name: string;
  /** The other spelling under which its value may come. */
  readonly other: string | undefined;
  readonly plain: Plain;
  readonly shape: Shape;
}

/** What most values of a field are, which needs no work. */
type Plain = 'string' | 'boolean' | 'int' | 'float' | undefined;

function plainOf(type: GraphQLOutputType): Plain {
  const bare = getNullableType(type);
  return isLeafType(bare) && Object.hasOwn(plains, bare.name) ? plains[bare.name] : undefined;
}

const plains: Readonly<Record<string, Plain>> = {
  String: 'string',
  ID: 'string',
  Boolean: 'boolean',
  Int: 'int',
  Float: 'float',
};

function isPlain(value: unknown, plain: Plain): boolean {
  switch (plain) {
    case 'string':
    case 'boolean':
      return typeof value === plain;
    case 'int':
      return typeof value === 'number' && (value | 0) === value;
    case 'float':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return false;
  }
}

/** Scalars whose value may come as the only key of an object. */
const fitted = new Set(['String', 'ID', 'Int', 'Float', 'DateTime', 'Date', 'Time']);

function shaped(value: Values, parts: readonly Part[], isWhole: boolean): Values {
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Part;
    const given = value[part.name];
    if (isPlain(given, part.plain)) continue;
    const made = madeOf(value, part, given);
    if (made !== given) return changed(value, parts, at, made, isWhole);
  }
  return value;
}

/** A copy with what is selected, whose parts before `from` are as they must be; `isWhole`: with everything else too. */
function changed(value: Values, parts: readonly Part[], from: number, first: unknown, isWhole: boolean): Values {
  const copy: Record<string, unknown> = new Fields();
  if (isWhole) Object.assign(copy, value);
  else if (value[typeName] !== undefined) copy[typeName] = value[typeName];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Part;
    const { name } = part;
    if (at === from) copy[name] = first;
    else {
      const given = value[name];
      copy[name] = at < from || isPlain(given, part.plain) ? given : madeOf(value, part, given);
    }
  }
  return copy;
}

/** By which a value of an interface or a union says what it is. */
const typeName = '__typename';

function madeOf(value: Values, { other, shape }: Part, given: unknown): unknown {
  return shape(given === undefined && other !== undefined ? value[other] : given);
}

function eachOf(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return value;
    let copy: unknown[] | undefined;
    for (let at = 0; at < value.length; at++) {
      const shaped = shape(value[at]);
      if (shaped !== value[at]) (copy ??= [...value])[at] = shaped;
    }
    return copy ?? value;
  };
}

/** What throws gives its failure. */
function guarded(read: Shape): Shape {
  return (value) => {
    if (value instanceof Error) return value;
    try {
      return read(value);
    } catch (error) {
      return asFailure(error);
    }
  };
}

/** Selected fields by name: an answer has each once, whatever the aliases. */
function selectedOnce(schema: GraphQLSchema, type: GraphQLObjectType, sets: readonly SelectionSetNode[]) {
  const byName = new Map<string, FieldNode[]>();
  for (const nodes of fieldsOf(schema, type, sets).values())
    for (const node of nodes) byName.set(node.name.value, [...(byName.get(node.name.value) ?? []), node]);
  return byName;
}
