import {
  type ConstDirectiveNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Most fields and fragments of an operation once every fragment is put where it is spread. */
const mostNodes = 10_000;

/** An operation without named fragments; its nodes belong to it alone. */
export interface Expanded {
  readonly operation: OperationDefinitionNode;
  /** Fields and fragments in it. */
  readonly nodes: number;
}

/**
 * Puts every fragment where it is spread, and leaves out what constants exclude. What remains is of a size that is
 * bounded, whatever the fragments spread, and says `@skip` and `@include` of variables alone. The document was found
 * valid, without cycles.
 *
 * @throws GraphQLError for an operation that is too large, and for a name that cannot be the key of an answer
 */
export function expandOperation(document: DocumentNode, operation: OperationDefinitionNode): Expanded {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const expansion = new Expansion(fragments);
  for (const { variable } of operation.variableDefinitions ?? []) refuseName(variable.name.value, operation);
  const selectionSet = expansion.selectionSet(operation.selectionSet);
  return { operation: { ...operation, directives: [], selectionSet }, nodes: expansion.nodes };
}

/** A name that assigns the prototype of an object instead of a field of it. */
function refuseName(name: string, node: FieldNode | OperationDefinitionNode): void {
  if (name === '__proto__')
    throw new GraphQLError('"__proto__" cannot be the name of an alias or a variable.', { nodes: node });
}

class Expansion {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  nodes = 0;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#fragments = fragments;
  }

  selectionSet({ selections }: SelectionSetNode): SelectionSetNode {
    const spread = new Set<string>();
    const found: SelectionNode[] = [];
    for (const node of selections) {
      const directives = conditionsOf(node.directives);
      if (directives === undefined) continue;
      if (node.kind === Kind.FRAGMENT_SPREAD && directives.length === 0) {
        if (spread.has(node.name.value)) continue;
        spread.add(node.name.value);
      }
      this.#count(node);
      if (node.kind === Kind.FIELD) found.push(this.#field(node, directives));
      else found.push(this.#fragment(node, directives));
    }
    return { kind: Kind.SELECTION_SET, selections: found };
  }

  #field(node: FieldNode, directives: readonly DirectiveNode[]): FieldNode {
    if (node.alias !== undefined) refuseName(node.alias.value, node);
    const { selectionSet } = node;
    return { ...node, directives, ...(selectionSet && { selectionSet: this.selectionSet(selectionSet) }) };
  }

  #fragment(node: Exclude<SelectionNode, FieldNode>, directives: readonly DirectiveNode[]): InlineFragmentNode {
    const body = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value);
    if (body === undefined) throw new GraphQLError('Unknown fragment.', { nodes: node });
    const { typeCondition, selectionSet } = body;
    return {
      kind: Kind.INLINE_FRAGMENT,
      ...(node.loc && { loc: node.loc }),
      ...(typeCondition && { typeCondition }),
      directives,
      selectionSet: this.selectionSet(selectionSet),
    };
  }

  #count(node: SelectionNode): void {
    if (++this.nodes > mostNodes)
      throw new GraphQLError(`The operation has more than ${mostNodes} fields once its fragments are put in.`, {
        nodes: node,
      });
  }
}

/** Those that depend on variables; undefined when the node is excluded. */
function conditionsOf(
  directives: readonly (DirectiveNode | ConstDirectiveNode)[] | undefined,
): readonly DirectiveNode[] | undefined {
  const kept: DirectiveNode[] = [];
  for (const directive of directives ?? []) {
    const { name } = directive;
    if (name.value !== 'skip' && name.value !== 'include') continue;
    const value = directive.arguments?.find((argument) => argument.name.value === 'if')?.value;
    if (value?.kind !== Kind.BOOLEAN) kept.push(directive);
    else if (value.value === (name.value === 'skip')) return undefined;
  }
  return kept;
}

/** What decides whether a node is part of the operation: variables and the value that each must have. */
export type Conditions = readonly { readonly variable: string; readonly is: boolean }[];

/** The conditions of a node of an expanded operation. */
export function readConditions({ directives }: SelectionNode): Conditions {
  return (directives ?? []).flatMap((directive) => {
    const value = directive.arguments?.[0]?.value;
    return value?.kind === Kind.VARIABLE
      ? [{ variable: value.name.value, is: directive.name.value === 'include' }]
      : [];
  });
}
