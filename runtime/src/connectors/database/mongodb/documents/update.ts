import { type Document, type Encoder, requirePlainName } from './encoder.ts';
import { entryOf, isPlainObject, itemOf, type Shape } from './shape.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What `$pull` removes: an object that came with the message is an element that equals it, where the server would read it as
 * a condition on the fields of elements, and `{}` as every one of them.
 */
function compared(fields: Document, shape: Shape): Document {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      entryOf(shape, name).kind === 'data' && isPlainObject(value) ? { $eq: value } : value,
    ]),
  );
}

/** Makes updates of the values of a message: operators and paths are those of the configuration, everything else is data. */
export class UpdateBuilder {
  readonly #encoder: Encoder;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  /** The update that the configuration writes. */
  build(update: Fields, shape: Shape): Document {
    const made: Document = {};
    for (const [operator, fields] of Object.entries(update)) {
      const own = entryOf(shape, operator);
      const built = own.kind === 'map' ? this.#written(fields, own, operator) : this.#fields(fields, operator);
      made[operator] = operator === '$pull' ? compared(built as Document, own) : built;
    }
    return made;
  }

  /** Sets the fields of the payload. */
  set(payload: Fields): Document {
    return { $set: this.#fields(payload, '') };
  }

  /** Fields that came with the message, each under a plain name. */
  #fields(fields: unknown, path: string): unknown {
    if (typeof fields !== 'object' || fields === null) return this.#encoder.value(fields, path);
    for (const name of Object.keys(fields)) requirePlainName(name, path === '' ? name : `${path}.${name}`);
    return this.#encoder.document(fields as Fields, path);
  }

  #written(value: unknown, shape: Shape, path: string): unknown {
    if (shape.kind === 'list')
      return (value as readonly unknown[]).map((item, at) => this.#written(item, itemOf(shape, at), `${path}[${at}]`));
    if (shape.kind !== 'map') return this.#encoder.shaped(value, shape, path, path.endsWith('._id'));
    const made: Document = {};
    for (const [name, item] of Object.entries(value as Fields)) {
      const known = this.#encoder.name(name, item);
      made[known] = this.#written(item, entryOf(shape, name), `${path}.${known}`);
    }
    return made;
  }
}
