import { quote } from '@svc/protocol/syntax';
import {
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type TypeNode,
  valueFromASTUntyped,
} from 'graphql';
import type { ImportedFile } from '../contract.ts';
import { type Definitions, innermost } from './definitions.ts';

/** Scalars as the field types of a configuration. */
const scalars: Readonly<Record<string, readonly [type: string, format?: string]>> = {
  ID: ['id'],
  String: ['string'],
  Int: ['integer'],
  Float: ['number'],
  Boolean: ['boolean'],
  DateTime: ['string', 'datetime'],
  Date: ['string', 'date'],
  Time: ['string'],
  Email: ['string', 'email'],
  URL: ['string', 'url'],
  UUID: ['string', 'uuid'],
  PositiveInt: ['integer'],
  NonNegativeInt: ['integer'],
};

/** Bounds that a scalar implies. */
const bounds: Readonly<Record<string, string>> = { PositiveInt: 'min = 1', NonNegativeInt: 'min = 0' };

type Field = FieldDefinitionNode | InputValueDefinitionNode;

/** One file for each type of objects and inputs. What a type cannot say is added to `left`. */
export function typesOf(definitions: Definitions, left: string[]): readonly ImportedFile[] {
  const all = [...definitions.objects.values(), ...definitions.inputs.values()];
  return all.flatMap(({ name, description, fields }) => {
    const own: readonly Field[] = fields;
    // A field with arguments is asked for by itself: its flow answers it, no object holds it.
    const held = own.filter((field) => !('arguments' in field) || (field.arguments ?? []).length === 0);
    if (name.startsWith('_')) {
      left.push(`type ${name}: its name is kept for what the language itself means`);
      return [];
    }
    if (held.length === 0) {
      left.push(`type ${name}: every field of it has arguments, so that no object holds any`);
      return [];
    }
    const lines = held.flatMap((field) => {
      const text = fieldText(field, name, definitions, left);
      return text === undefined ? [] : [`${field.name.value} = ${text}\n`];
    });
    const about = description === undefined ? '' : `_description = ${quote(description)}\n`;
    return [{ path: `types/${name}.hcl`, text: `type ${quote(name)} {\n${about}${lines.join('')}}` }];
  });
}

/** Undefined for values that no field type holds. */
function fieldText(field: Field, owner: string, definitions: Definitions, left: string[]): string | undefined {
  const { type, description } = field;
  const constraints: string[] = [];
  const word = typeWord(type, `${owner}.${field.name.value}`, definitions, constraints, left);
  if (word === undefined) return undefined;
  if (field.name.value.startsWith('_')) {
    left.push(`${owner}.${field.name.value}: no field of a type begins with _, so that its type leaves the field out`);
    return undefined;
  }
  if (type.kind !== Kind.NON_NULL_TYPE) constraints.push('required = false');
  if ('defaultValue' in field && field.defaultValue !== undefined && isBuiltIn(word)) {
    const value = valueText(valueFromASTUntyped(field.defaultValue));
    if (value === undefined) left.push(`${owner}.${field.name.value}: its default is kept in the schema file alone`);
    else constraints.push(`default = ${value}`);
  }
  if (description !== undefined) constraints.push(`description = ${quote(description.value)}`);
  if (constraints.length === 0) return isBuiltIn(word) ? word : quote(word);
  if (isBuiltIn(word)) return `${word}({ ${constraints.join(', ')} })`;
  // Names of types take no constraints.
  if (type.kind === Kind.NON_NULL_TYPE) return quote(word);
  left.push(`${owner}.${field.name.value}: a ${word} that may be absent is an object whose fields no type checks`);
  return `object({ ${constraints.join(', ')} })`;
}

function isBuiltIn(word: string): boolean {
  return /^(?:string|number|integer|boolean|id|array|object)$/.test(word);
}

/** The field type; what it implies is added to the constraints. */
function typeWord(
  type: TypeNode,
  place: string,
  definitions: Definitions,
  constraints: string[],
  left: string[],
): string | undefined {
  if (type.kind === Kind.NON_NULL_TYPE) return typeWord(type.type, place, definitions, constraints, left);
  if (type.kind === Kind.LIST_TYPE) {
    const items = itemsWord(type.type, definitions);
    if (items === undefined) left.push(`${place}: the elements of its list are not checked`);
    else constraints.push(`items = ${quote(items)}`);
    return 'array';
  }
  const name = type.name.value;
  const known = scalars[name];
  if (known !== undefined) {
    const [word, format] = known;
    if (format !== undefined) constraints.push(`format = ${quote(format)}`);
    const bound = bounds[name];
    if (bound !== undefined) constraints.push(bound);
    return word;
  }
  const values = definitions.enums.get(name)?.values;
  if (values !== undefined) {
    constraints.push(`enum = [${values.map(({ name: { value } }) => quote(value)).join(', ')}]`);
    return 'string';
  }
  if (definitions.objects.has(name) || definitions.inputs.has(name)) return name;
  if (definitions.abstract.has(name)) return 'object';
  left.push(`${place}: no field type holds every ${name}, so that its type leaves the field out`);
  return undefined;
}

/** What elements are, where one word says it. */
function itemsWord(type: TypeNode, definitions: Definitions): string | undefined {
  const bare = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (bare.kind !== Kind.NAMED_TYPE) return undefined;
  const name = innermost(bare);
  const [word, format] = scalars[name] ?? [];
  if (word !== undefined) return format === undefined && bounds[name] === undefined ? word : undefined;
  return definitions.objects.has(name) || definitions.inputs.has(name) ? name : undefined;
}

function valueText(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}
