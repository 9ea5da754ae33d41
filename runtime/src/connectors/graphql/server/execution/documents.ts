import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { DocumentCache } from './document-cache.ts';
import { Prepared, type Schemas } from './prepared.ts';

/** What documents are held to beside the schema. */
export interface DocumentOptions {
  /** Most tokens of a document; absent: 1000. */
  readonly maxTokens?: number | undefined;
  /** Further rules. */
  readonly rules?: readonly ValidationRule[] | undefined;
}

/** Bytes of memory that one field of a compiled operation takes, about. */
const bytesOfNode = 2_048;
const freshBounds = { entries: 200, weight: 8_388_608 };
const hotBounds = { entries: 1000, weight: 67_108_864 };

/** Compiles documents against a schema, each once while it is kept. */
export class Documents {
  readonly #schemas: Schemas;
  readonly #maxTokens: number;
  readonly #rules: readonly ValidationRule[];
  readonly #kept = new DocumentCache<Prepared>(freshBounds, hotBounds);

  constructor(schemas: Schemas, { maxTokens = 1000, rules = [] }: DocumentOptions = {}) {
    this.#schemas = schemas;
    this.#maxTokens = maxTokens;
    this.#rules = [...specifiedRules, ...rules];
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

  #compile(text: string, operation: string | undefined): Prepared | readonly GraphQLError[] {
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: this.#maxTokens });
    } catch (error) {
      return [error as GraphQLError];
    }
    const errors = validate(this.#schemas.published, document, this.#rules);
    if (errors.length > 0) return errors;
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
