import type { KnownTarget } from '@svc/protocol/wire';
import { type DocumentNode, GraphQLError, getOperationAST, validate } from 'graphql';
import { knownFields } from '../known-fields.ts';
import type { ReadDocument } from '../limits/read-document.ts';
import { DocumentCache } from './document-cache.ts';
import { Prepared, type Schemas } from './prepared.ts';

/** Bytes of memory that one field of a compiled operation takes, about. */
const bytesOfNode = 2_048;
const freshBounds = { entries: 200, weight: 8_388_608 };
const hotBounds = { entries: 1000, weight: 67_108_864 };

/** Compiles documents against a schema, each once while it is kept. */
export class Documents {
  readonly #schemas: Schemas;
  readonly #read: ReadDocument;
  readonly #kept = new DocumentCache<Prepared>(freshBounds, hotBounds);

  constructor(schemas: Schemas, read: ReadDocument) {
    this.#schemas = schemas;
    this.#read = read;
  }

  /**
   * An operation of a document, of any kind, or what is wrong with the document. `operation` names it where the document
   * has several.
   */
  prepare(text: string, operation?: string | undefined): Prepared | readonly GraphQLError[] {
    const key = operation === undefined ? text : `${operation}\0${text}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const prepared = this.#compile(text, operation);
    if (prepared instanceof Prepared)
      this.#kept.set(key, { value: prepared, weight: 2 * key.length + bytesOfNode * (prepared.nodes + 1) });
    return prepared;
  }

  /** The fields of the schema, for editors. */
  knownFields(): readonly KnownTarget[] {
    return knownFields(this.#schemas.published);
  }

  /** What is wrong with the document, whichever of its operations is meant. */
  problemsOf(text: string): readonly GraphQLError[] {
    const document = this.#valid(text);
    return 'definitions' in document ? [] : document;
  }

  #valid(text: string): DocumentNode | readonly GraphQLError[] {
    const document = this.#read(text);
    if (document instanceof GraphQLError) return [document];
    const errors = validate(this.#schemas.published, document);
    return errors.length > 0 ? errors : document;
  }

  #compile(text: string, operation: string | undefined): Prepared | readonly GraphQLError[] {
    const document = this.#valid(text);
    if (!('definitions' in document)) return document;
    const definition = getOperationAST(document, operation);
    if (!definition) {
      const said =
        operation === undefined
          ? 'The document has several operations, and the request names none.'
          : `The document has no operation "${operation}".`;
      return [new GraphQLError(said)];
    }
    try {
      return new Prepared(this.#schemas, document, definition);
    } catch (error) {
      if (error instanceof GraphQLError) return [error];
      throw error;
    }
  }
}
