import { BSON } from 'mongodb';
import { ChangeLog } from './change-log.ts';
import { WriteError } from './command-error.ts';
import { type Fields, readDocument, writeDocument } from './wire.ts';

interface Index extends Fields {
  readonly name: string;
  readonly key: Fields;
  readonly unique?: boolean;
}

/** The documents of a collection, in the order in which they came, and its indexes. */
export class Collection {
  readonly documents: Fields[] = [];
  /** What `create` and `collMod` say, such as `changeStreamPreAndPostImages`. */
  readonly options: Fields = {};
  readonly indexes: Index[] = [{ v: 2, key: { _id: 1 }, name: '_id_', unique: true }];

  /** Keys of documents by index: a document that changes is another object. */
  readonly #keys = new Map<string, WeakMap<Fields, string>>();

  /** Throws a WriteError when another document has the same key in a unique index. */
  requireUnique(document: Fields, before?: Fields): void {
    for (const { name, key, unique } of this.indexes) {
      if (unique !== true) continue;
      const keys = this.#keys.get(name) ?? new WeakMap<Fields, string>();
      this.#keys.set(name, keys);
      const wanted = textOf(Object.keys(key).map((path) => valueAt(document, path) ?? null));
      keys.set(document, wanted);
      const keyOf = (each: Fields) =>
        keys.get(each) ?? textOf(Object.keys(key).map((path) => valueAt(each, path) ?? null));
      if (!this.documents.some((each) => each !== before && keyOf(each) === wanted)) continue;
      const errmsg = `E11000 duplicate key error index: ${name} dup key: ${wanted}`;
      throw new WriteError({ code: 11000, errmsg, keyPattern: key });
    }
  }
}

/** Everything that the server holds. */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly changes = new ChangeLog();

  /** One that is not there is empty; it is kept once it is written to. */
  collection(database: string, name: string, make = false): Collection {
    const key = `${database}.${name}`;
    const found = this.#collections.get(key);
    if (found !== undefined) return found;
    const made = new Collection();
    if (make) this.#collections.set(key, made);
    return made;
  }

  names(database: string): readonly string[] {
    const prefix = `${database}.`;
    return [...this.#collections.keys()].flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  }

  /** All collections, by database and name. */
  entries(): ReadonlyMap<string, Collection> {
    return this.#collections;
  }

  /** The collection under a key of `entries`, made when it is not there. */
  made(key: string): Collection {
    const found = this.#collections.get(key) ?? new Collection();
    this.#collections.set(key, found);
    return found;
  }

  /** Another one with the same documents, which changes alone. */
  fork(): Store {
    const made = new Store();
    for (const [key, { documents, indexes, options }] of this.#collections) {
      const copy = made.made(key);
      copy.documents.push(...documents);
      copy.indexes.push(...indexes.slice(1));
      Object.assign(copy.options, options);
    }
    return made;
  }

  /** Whether changes keep the document as it was. */
  keepsImages(database: string, name: string): boolean {
    const images = this.collection(database, name).options['changeStreamPreAndPostImages'];
    return (images as { readonly enabled?: boolean } | undefined)?.enabled === true;
  }

  drop(database: string, name?: string): void {
    for (const each of name === undefined ? this.names(database) : [name])
      this.#collections.delete(`${database}.${each}`);
  }
}

/** A value as a text by which it is equal to another one. */
export function textOf(value: unknown): string {
  return BSON.EJSON.stringify(value, { relaxed: false });
}

export function copyOf(document: Fields): Fields {
  return readDocument(writeDocument(document));
}

export function valueAt(document: Fields, path: string): unknown {
  let value: unknown = document;
  for (const part of path.split('.')) value = (value as Fields | null | undefined)?.[part];
  return value;
}
