import {
  type DocumentNode,
  type ExecutionResult,
  executeSync,
  type FieldNode,
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { Execution } from './execution.ts';
import { expandOperation, readConditions } from './expand.ts';
import type { Asker } from './field-message.ts';
import { Places } from './places.ts';
import { fieldsOf } from './selected-fields.ts';
import { refuseLarge } from './size.ts';
import { type Variables, variablesOf } from './variables.ts';

/** The schema of a configuration: as it is published, and as documents are compiled against it. */
export interface Schemas {
  readonly published: GraphQLSchema;
  readonly executable: GraphQLSchema;
}

/** Executes a compiled operation. Never throws for what a field does: its errors are in the result. */
type Run = (execution: Execution, root: unknown) => ExecutionResult | Promise<ExecutionResult>;

/** An operation of a document that was found valid, ready to be executed any number of times. */
export class Prepared {
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** Fields and fragments of the operation, each as often as it is spread. */
  readonly nodes: number;
  readonly #variables: (sent: Variables) => Variables | readonly GraphQLError[];
  readonly #places: Places;
  readonly #run: Run | undefined;
  readonly #introspect: ((sent: Variables) => ExecutionResult) | undefined;
  /** Keys of the answer in the order of the document; read where the operation asks for the schema. */
  readonly #keys: readonly string[];

  /** Throws a GraphQLError, or several, for an operation that cannot be compiled. */
  constructor({ published, executable }: Schemas, document: DocumentNode, definition: OperationDefinitionNode) {
    const root = published.getRootType(definition.operation);
    if (!root) throw new GraphQLError(`The schema has no ${definition.operation}.`, { nodes: definition });
    const { operation, nodes } = expandOperation(document, definition);
    refuseLarge(published, root, operation.selectionSet);
    const definitions = definition.variableDefinitions ?? [];
    const names = definitions.map(({ variable }) => variable.name.value);
    this.kind = definition.operation;
    this.nodes = nodes;
    this.#variables = variablesOf(published, definitions);
    this.#places = new Places(published, root, operation.selectionSet, names);
    this.#keys = [...fieldsOf(published, root, [operation.selectionSet]).keys()];
    const aboutSchema = withFields(operation, (node) => introspection.has(node.name.value));
    const own = aboutSchema && withFields(operation, (node) => !introspection.has(node.name.value));
    this.#introspect = aboutSchema && introspecting(published, aboutSchema);
    this.#run = aboutSchema && own === undefined ? undefined : compiled(executable, own ?? operation);
  }

  /** The fields at the top by the key of their value, with what they are asked. For subscriptions this is one field. */
  fields(variables: Variables): readonly { readonly field: string; readonly key: string; readonly args: Variables }[] {
    return this.#places.top.map(({ key, field, place }) => ({ key, field, args: place.args(variables) }));
  }

  /** The variables of a request, or what is wrong with them. */
  variables(sent: Variables): Variables | readonly GraphQLError[] {
    return this.#variables(sent);
  }

  /**
   * Executes the operation for a request with the variables that it sent. For a subscription `root` is one event, under
   * the name of its field. A promise only where a flow had to wait.
   */
  execute(asker: Asker, sent: Variables, root?: unknown): ExecutionResult | Promise<ExecutionResult> {
    const variables = this.#variables(sent);
    if (isErrors(variables)) return { errors: variables };
    const about = this.#introspect?.(sent);
    if (this.#run === undefined) return about as ExecutionResult;
    const result = this.#run(new Execution(asker, variables, this.#places), root);
    if (about === undefined) return result;
    return result instanceof Promise
      ? result.then((own) => merged(this.#keys, own, about))
      : merged(this.#keys, result, about);
  }
}

/** Whether variables were refused. */
export function isErrors(value: Variables | readonly GraphQLError[]): value is readonly GraphQLError[] {
  return Array.isArray(value);
}

const introspection: ReadonlySet<string> = new Set(['__schema', '__type']);

/** The operation with those fields at its top alone; undefined without any. */
function withFields(
  operation: OperationDefinitionNode,
  wanted: (node: FieldNode) => boolean,
): OperationDefinitionNode | undefined {
  const kept = (selections: readonly SelectionNode[]): readonly SelectionNode[] =>
    selections.flatMap((node): readonly SelectionNode[] => {
      if (node.kind === Kind.FIELD) return wanted(node) ? [node] : [];
      if (node.kind !== Kind.INLINE_FRAGMENT) return [];
      const inner = kept(node.selectionSet.selections);
      return inner.length === 0 ? [] : [{ ...node, selectionSet: { ...node.selectionSet, selections: inner } }];
    });
  const selections = kept(operation.selectionSet.selections);
  if (selections.length === 0) return undefined;
  return { ...operation, selectionSet: { ...operation.selectionSet, selections } };
}

/** What is asked about the schema needs no flow, and its arguments never reach compiled code. */
function introspecting(schema: GraphQLSchema, operation: OperationDefinitionNode) {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation] };
  return (sent: Variables) => executeSync({ schema, document, variableValues: sent });
}

function merged(keys: readonly string[], own: ExecutionResult, about: ExecutionResult): ExecutionResult {
  const errors = [...(own.errors ?? []), ...(about.errors ?? [])];
  const both = { ...own.data, ...about.data };
  const data =
    own.data === null || about.data === null
      ? null
      : Object.fromEntries(keys.filter((key) => Object.hasOwn(both, key)).map((key) => [key, both[key]]));
  return { data, ...(errors.length > 0 && { errors }) };
}

/**
 * Compiles an operation. Of what its document says, names alone become code: arguments and variables are read at run
 * time, and of its variables only those are declared that `@skip` and `@include` ask.
 */
function compiled(schema: GraphQLSchema, operation: OperationDefinitionNode): Run {
  const asked = variablesAsked(operation.selectionSet.selections);
  const variableDefinitions = operation.variableDefinitions?.filter(({ variable }) => asked.has(variable.name.value));
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, ...(variableDefinitions && { variableDefinitions }) }],
  };
  const query = compileQuery(schema, document, undefined, {
    customSerializers: servedAsTheyAre(schema),
    disableLeafSerialization: true,
    disablingCapturingStackErrors: true,
  });
  if (!isCompiledQuery(query)) throw query.errors?.[0] ?? new GraphQLError('The operation cannot be executed.');
  return (execution, root) => query.query(root, execution, execution.variables);
}

function variablesAsked(selections: readonly SelectionNode[], found = new Set<string>()): ReadonlySet<string> {
  for (const node of selections) {
    for (const { variable } of readConditions(node)) found.add(variable);
    if (node.kind !== Kind.FRAGMENT_SPREAD && node.selectionSet) variablesAsked(node.selectionSet.selections, found);
  }
  return found;
}

const asItIs = (value: unknown) => value;

/** The shape of an answer has made values of scalars what JSON has. */
function servedAsTheyAre(schema: GraphQLSchema): Readonly<Record<string, (value: unknown) => unknown>> {
  const scalars = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLScalarType => isScalarType(type) && !isSpecifiedScalarType(type),
  );
  return Object.fromEntries(scalars.map(({ name }) => [name, asItIs]));
}
