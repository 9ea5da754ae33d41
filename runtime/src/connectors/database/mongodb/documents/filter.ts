import { type Document, type Encoder, isHexId, requirePlainName } from './encoder.ts';
import { ExpressionBuilder } from './expression.ts';
import { refusedValue } from './refused.ts';
import { data, entryOf, isOperator, isPlainObject, itemOf, type Shape } from './shape.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Operators whose operand is a list of filters. */
const joining: readonly string[] = ['$and', '$or', '$nor'];

/**
 * Makes filters of the values of a message. The configuration wrote what `shape` says; everything else is data, and data
 * is compared for equality: null finds a missing field too, a list finds any of its elements.
 */
export class FilterBuilder {
  readonly #encoder: Encoder;
  readonly #expressions: ExpressionBuilder;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
    this.#expressions = new ExpressionBuilder(encoder);
  }

  build(filters: Fields, shape: Shape, path = ''): Document {
    const made: Document = {};
    for (const [name, value] of Object.entries(filters)) {
      if (value === undefined) continue;
      const at = path === '' ? name : `${path}.${name}`;
      // A field that the configuration does not write came with the message, under a name of its choice.
      const isWritten = shape.kind === 'map' && shape.entries.has(name);
      if (!isWritten) requirePlainName(name, at);
      const own = isWritten ? entryOf(shape, name) : data;
      if (isOperator(name)) made[name] = this.#joined(name, value, own, at);
      else {
        const isId = namesId(name) || (name === 'id' && holdsIds(value));
        made[name === 'id' && isId ? '_id' : name] = this.#condition(value, own, at, isId);
      }
    }
    return made;
  }

  /** What an operator at the top of a filter works on. */
  #joined(name: string, value: unknown, shape: Shape, path: string): unknown {
    if (joining.includes(name) && Array.isArray(value))
      return value.map((item: unknown, at) => this.build((item ?? {}) as Fields, itemOf(shape, at), `${path}[${at}]`));
    if (name === '$expr') return this.#expressions.build(value, shape, path);
    refuseObjects(value, shape, path);
    return this.#operand(value, shape, path, false);
  }

  #condition(value: unknown, shape: Shape, path: string, isId: boolean): unknown {
    if (shape.kind === 'map' && [...shape.entries.keys()].some(isOperator))
      return this.#operand(value, shape, path, isId);
    const encoded = this.#encoder.shaped(value, shape, path, isId);
    if (Array.isArray(encoded)) return { $in: encoded };
    // An object of the message is compared as a whole.
    return isPlainObject(encoded) ? { $eq: encoded } : encoded;
  }

  /** An object of operators, a list of such, or what one of them works on. */
  #operand(value: unknown, shape: Shape, path: string, isId: boolean): unknown {
    if (shape.kind === 'list' && Array.isArray(value))
      return value.map((item, at) => this.#operand(item, itemOf(shape, at), `${path}[${at}]`, isId));
    if (shape.kind !== 'map' || !isPlainObject(value)) return this.#encoder.shaped(value, shape, path, isId);
    const made: Document = {};
    for (const [name, item] of Object.entries(value as Fields)) {
      if (item === undefined) continue;
      const at = `${path}.${name}`;
      const own = entryOf(shape, name);
      made[name] = isOperator(name)
        ? this.#operand(item, own, at, isId)
        : this.#condition(item, own, at, namesId(name));
    }
    return made;
  }
}

/** Refuses objects of the message in operators that are a language of their own, such as `$jsonSchema`: they would be a part of it. */
function refuseObjects(value: unknown, shape: Shape, path: string): void {
  if (shape.kind === 'constant') return;
  if (typeof value !== 'object' || value === null) return;
  if (shape.kind === 'data' && isPlainObject(value))
    throw refusedValue(path, 'operator', 'is an object, and would be a part of the query');
  for (const [name, item] of Object.entries(value)) {
    const own = Array.isArray(value) ? itemOf(shape, Number(name)) : entryOf(shape, name);
    refuseObjects(item, own, Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`);
  }
}

/** Whether a field, or the end of a path, holds identifiers of the server. */
function namesId(name: string): boolean {
  return name === '_id' || name.endsWith('._id');
}

/** Whether every text in a condition is an identifier of the server, and there is one. */
function holdsIds(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isHexId(value);
  const parts = Object.values(value);
  return parts.length > 0 && parts.every(holdsIds);
}
