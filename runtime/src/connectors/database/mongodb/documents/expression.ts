import type { Document, Encoder } from './encoder.ts';
import { entryOf, itemOf, type Shape } from './shape.ts';

/**
 * Makes expressions of the aggregation language, in which a text such as `$price` is the value of a field: what came with
 * a message is marked as literal where it could be read so.
 */
export class ExpressionBuilder {
  readonly #encoder: Encoder;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  build(value: unknown, shape: Shape, path: string): unknown {
    switch (shape.kind) {
      case 'data':
        return literal(this.#encoder.value(value, path));
      case 'list':
        return (value as readonly unknown[]).map((item, at) => this.build(item, itemOf(shape, at), `${path}[${at}]`));
      case 'map': {
        const made: Document = {};
        for (const [name, item] of Object.entries(value as Document))
          made[name] = this.build(item, entryOf(shape, name), `${path}.${name}`);
        return made;
      }
      default:
        return value;
    }
  }
}

function literal(value: unknown): unknown {
  const mayBeRead = (typeof value === 'string' && value.startsWith('$')) || isStructured(value);
  return mayBeRead ? { $literal: value } : value;
}

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Date) && !('_bsontype' in value);
}
