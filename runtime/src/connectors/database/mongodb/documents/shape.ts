import type { ArgumentSource } from '@svc/protocol/schema';

/**
 * What the configuration wrote of a value that each message gives: its own keys and constants, and the places of which the
 * value comes from elsewhere. Only what is written is ever read as an operator.
 */
export type Shape =
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, Shape> }
  | { readonly kind: 'list'; readonly items: readonly Shape[] }
  | { readonly kind: 'constant'; readonly value: unknown }
  | typeof data;

/** A value that is data whatever it holds. */
export const data = Object.freeze({ kind: 'data' });
/** Inside of a value that was written as a whole. */
const constant = Object.freeze({ kind: 'constant', value: undefined });

const parameter = /^:([A-Za-z_]\w*)$/;

/** The name of the parameter that a text means: `:name`; undefined for any other text. */
export function parameterIn(text: string): string | undefined {
  return parameter.exec(text)?.[1];
}

export function shapeOf(source: ArgumentSource): Shape {
  switch (source.kind) {
    case 'constant':
      return shapeOfJson(source.value);
    case 'cel':
      return source.constant === undefined ? data : { kind: 'constant', value: source.constant.value };
    case 'list':
      return { kind: 'list', items: source.items.map(shapeOf) };
    case 'map':
      return { kind: 'map', entries: new Map(source.entries.map(([name, item]) => [name, shapeOf(item)])) };
  }
}

/** The same of JSON in which `":name"` means a parameter. */
export function shapeOfJson(value: unknown): Shape {
  if (typeof value === 'string') return parameterIn(value) === undefined ? { kind: 'constant', value } : data;
  if (Array.isArray(value)) return { kind: 'list', items: value.map(shapeOfJson) };
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  return {
    kind: 'map',
    entries: new Map(Object.entries(value).map(([name, item]) => [name, shapeOfJson(item)])),
  };
}

/** The shape of one entry of an object. */
export function entryOf(shape: Shape, name: string): Shape {
  return (shape.kind === 'map' ? shape.entries.get(name) : undefined) ?? (shape.kind === 'constant' ? constant : data);
}

/** The shape of one item of a list. */
export function itemOf(shape: Shape, at: number): Shape {
  return (shape.kind === 'list' ? shape.items[at] : undefined) ?? (shape.kind === 'constant' ? constant : data);
}

/** Whether a value is an object of fields, as the server would read a part of a query. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof Uint8Array || value instanceof Date || '_bsontype' in value);
}

export function isOperator(name: string): boolean {
  return name.startsWith('$');
}

/** Operators that run code on the server. */
const scripts: readonly string[] = ['$where', '$function', '$accumulator'];

/** The first operator of the configuration that is not sent, anywhere in a value. */
export function scriptIn(shape: Shape): string | undefined {
  if (shape.kind === 'list') return firstOf(shape.items);
  if (shape.kind !== 'map') return undefined;
  return [...shape.entries.keys()].find((name) => scripts.includes(name)) ?? firstOf([...shape.entries.values()]);
}

function firstOf(shapes: readonly Shape[]): string | undefined {
  for (const shape of shapes) {
    const found = scriptIn(shape);
    if (found !== undefined) return found;
  }
  return undefined;
}
