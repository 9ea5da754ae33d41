import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { ReadDocument } from '../limits/read-document.ts';
import { type AskedFieldOf, askedFieldOf } from '../subscriptions/field.ts';
import { jsonLeaves } from './leaves.ts';
import type { FieldPlace } from './resolvers.ts';

/** A document that was found valid, compiled for one of its operations. */
export interface Prepared {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly run: CompiledQuery;
  /** Of a subscription: the field that it asks for. */
  readonly subscribed: AskedFieldOf | undefined;
}

/** Documents kept at a time, and the characters of the longest one that is kept. */
const mostKept = 1000;
const longestKept = 16_384;

/** Compiles documents against a schema, each once while it is kept. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #read: ReadDocument;
  readonly #kept = new Map<string, Prepared>();

  constructor(schema: GraphQLSchema, read: ReadDocument) {
    this.#schema = schema;
    this.#read = read;
  }

  /** The errors of the document, or what runs its operation. */
  prepare(text: string, operation: string | undefined): Prepared | readonly GraphQLError[] {
    const key = operation === undefined ? text : `${operation}\n${text}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const prepared = this.#compile(text, operation);
    if (!('run' in prepared) || key.length > longestKept) return prepared;
    if (this.#kept.size >= mostKept) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(key, prepared);
    return prepared;
  }

  /** Why no operation of the document can be run. */
  problemsOf(text: string): readonly GraphQLError[] {
    const document = this.#valid(text);
    return 'definitions' in document ? [] : document;
  }

  #valid(text: string): DocumentNode | readonly GraphQLError[] {
    const document = this.#read(text);
    if (document instanceof GraphQLError) return [document];
    const errors = validate(this.#schema, document);
    return errors.length > 0 ? errors : document;
  }

  #compile(text: string, operation: string | undefined): Prepared | readonly GraphQLError[] {
    const document = this.#valid(text);
    if (!('definitions' in document)) return document;
    const definition = getOperationAST(document, operation);
    if (!definition) {
      const said =
        operation === undefined
          ? 'the document has several operations, and the request names none'
          : `the document has no operation "${operation}"`;
      return [new GraphQLError(said)];
    }
    const run = compileQuery(this.#schema, document, operation, {
      customSerializers: jsonLeaves,
      disablingCapturingStackErrors: true,
      resolverInfoEnricher: ({ fieldNodes, fragments }) =>
        ({
          requested: selectedIn(
            fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []),
            fragments,
          ),
        }) satisfies FieldPlace,
    });
    if (!isCompiledQuery(run)) return run.errors ?? [];
    const kind = definition.operation;
    const subscribed = kind === 'subscription' ? askedFieldOf(this.#schema, document, definition) : undefined;
    return { kind, run, subscribed };
  }
}

type Fragments = Readonly<Record<string, { readonly selectionSet: SelectionSetNode }>>;

/** Names of the fields of these selections, without those that every type has. */
function selectedIn(selections: readonly SelectionSetNode[], fragments: Fragments): readonly string[] | undefined {
  if (selections.length === 0) return undefined;
  const names = new Set<string>();
  const visit = ({ selections: nodes }: SelectionSetNode) => {
    for (const node of nodes) {
      if (node.kind === Kind.FIELD) {
        if (!node.name.value.startsWith('__')) names.add(node.name.value);
      } else if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet);
      else {
        const fragment = fragments[node.name.value];
        if (fragment !== undefined) visit(fragment.selectionSet);
      }
    }
  };
  for (const each of selections) visit(each);
  return [...names];
}
