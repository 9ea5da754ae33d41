import { Fields as CelFields, toJson } from '@svc/protocol/cel';
import type { ContentShape, ElementShape, ScalarKind, TypeShapes } from './shapes.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields of a message as their type has them: texts become numbers and truth values where they are spelled so, a
 * repeated field is a list however often it occurs. What does not fit stays as it came, for the check of the type.
 */
export function typedFields(content: unknown, elements: readonly ElementShape[], types: TypeShapes): unknown {
  if (content === '') return typedMap({}, elements, types);
  return isMap(content) ? typedMap(content, elements, types) : content;
}

function typedMap(content: Fields, elements: readonly ElementShape[], types: TypeShapes): Fields {
  const fields = Object.assign(Object.create(null) as Record<string, unknown>, content);
  for (const { name, content: shape, isRepeated } of elements) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    if (isRepeated) {
      const items = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
      fields[name] = items.map((item) => typed(item, shape, types));
    } else if (value !== undefined) fields[name] = typed(value, shape, types);
  }
  return fields;
}

function typed(value: unknown, shape: ContentShape, types: TypeShapes): unknown {
  switch (shape.kind) {
    case 'open':
      return value;
    case 'type':
      return typedFields(value, types.get(shape.type) ?? [], types);
    case 'fields':
      return typedFields(value, shape.fields, types);
    default:
      return typeof value === 'string' ? scalarOf(value, shape.kind) : value;
  }
}

const spelling: Readonly<Record<Exclude<ScalarKind, 'text'>, RegExp>> = {
  number: /^[ \t\r\n]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[ \t\r\n]*$/,
  integer: /^[ \t\r\n]*[+-]?\d{1,1000}[ \t\r\n]*$/,
  boolean: /^[ \t\r\n]*(?:true|false|0|1)[ \t\r\n]*$/,
};

function scalarOf(text: string, kind: ScalarKind): unknown {
  if (kind === 'text' || !spelling[kind].test(text)) return text;
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
  const fields = Object.create(null) as Record<string, unknown>;
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

function isMap(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || prototype === CelFields.prototype;
}
