import { Fields as CelFields, toJson } from '@svc/protocol/cel';
import { isMap } from '../map.ts';
import type { ContentShape, ElementShape, ScalarKind, TypeShapes } from './shapes.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Makes of what was read what its type has. What does not fit stays as it came, for the check of the type. */
export type Conversion = (value: unknown) => unknown;

/** A field that is not taken as it comes. */
interface ConvertedField {
  readonly name: string;
  readonly isRepeated: boolean;
  /** Undefined: its values are taken as they come. */
  readonly convert: Conversion | undefined;
}

/**
 * What becomes of messages, by the name of their type: texts become numbers and truth values where they are spelled so, a
 * repeated field is a list however often it occurs. The maps of a message are changed in place.
 */
export function conversions(types: TypeShapes): ReadonlyMap<string, Conversion> {
  const made = new Map<string, Conversion>();
  for (const [name, elements] of types) made.set(name, conversionOf(elements, made));
  return made;
}

/** A type may contain itself: names are followed when a message is there. */
function conversionOf(elements: readonly ElementShape[], made: ReadonlyMap<string, Conversion>): Conversion {
  const fields = elements.flatMap(({ name, content, isRepeated }): readonly ConvertedField[] => {
    const convert = conversionOfShape(content, made);
    return convert === undefined && !isRepeated ? [] : [{ name, isRepeated, convert }];
  });
  return (value) => {
    if (value === '') return converted(new CelFields(), fields);
    return isMap(value) ? converted(value as Record<string, unknown>, fields) : value;
  };
}

function conversionOfShape(shape: ContentShape, made: ReadonlyMap<string, Conversion>): Conversion | undefined {
  switch (shape.kind) {
    case 'open':
    case 'text':
      return undefined;
    case 'type':
      return (value) => {
        const convert = made.get(shape.type);
        return convert === undefined ? value : convert(value);
      };
    case 'fields':
      return conversionOf(shape.fields, made);
    default: {
      const { kind } = shape;
      return (value) => (typeof value === 'string' ? scalarOf(value, kind) : value);
    }
  }
}

function converted(map: Record<string, unknown>, fields: readonly ConvertedField[]): Fields {
  for (const { name, isRepeated, convert } of fields) {
    const value = Object.hasOwn(map, name) ? map[name] : undefined;
    if (isRepeated) {
      const items = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
      if (convert !== undefined) for (let at = 0; at < items.length; at++) items[at] = convert(items[at]);
      map[name] = items;
    } else if (value !== undefined && convert !== undefined) map[name] = convert(value);
  }
  return map;
}

type Spelled = Exclude<ScalarKind, 'text'>;

const spelling: Readonly<Record<Spelled, RegExp>> = {
  number: /^[ \t\r\n]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[ \t\r\n]*$/,
  integer: /^[ \t\r\n]*[+-]?\d{1,1000}[ \t\r\n]*$/,
  boolean: /^[ \t\r\n]*(?:true|false|0|1)[ \t\r\n]*$/,
};

function scalarOf(text: string, kind: Spelled): unknown {
  if (!spelling[kind].test(text)) return text;
  const plain = text.trim();
  if (kind === 'boolean') return plain === 'true' || plain === '1';
  const number = Number(plain);
  if (kind === 'number') return Number.isFinite(number) ? number : text;
  return Number.isSafeInteger(number) ? number : BigInt(plain.replace(/^\+/, ''));
}

const nil = Object.freeze({
  '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  '@xsi:nil': 'true',
});

/**
 * What a type says of an answer, in the order of its schema: fields that the type does not have are left out, null is
 * `xsi:nil`.
 */
export function orderedFields(value: unknown, elements: readonly ElementShape[], types: TypeShapes): unknown {
  const plain = isMap(value) ? value : toJson(value);
  if (!isMap(plain)) return plain;
  const fields = new CelFields();
  for (const { name, content, isRepeated } of elements) {
    const item = Object.hasOwn(plain, name) ? plain[name] : undefined;
    if (item === undefined) continue;
    const items = isRepeated && !Array.isArray(item) ? [item] : item;
    if (isRepeated && item === null) continue;
    fields[name] = Array.isArray(items)
      ? items.map((each) => ordered(each, content, types))
      : ordered(item, content, types);
  }
  return fields;
}

function ordered(value: unknown, shape: ContentShape, types: TypeShapes): unknown {
  if (value === null) return nil;
  if (shape.kind === 'type') return orderedFields(value, types.get(shape.type) ?? [], types);
  if (shape.kind === 'fields') return orderedFields(value, shape.fields, types);
  return value;
}
