import {
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** What an operation asks for, its fragments written out at each use. */
export interface Measured {
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
  readonly cost: number;
}

const nothing: Measured = { depth: 0, aliases: 0, directives: 0, cost: 0 };
const one: Measured = { depth: 1, aliases: 0, directives: 0, cost: 1 };
const objectCost = 2;
const factorOfDepth = 1.5;
/** Fields that ask for the schema: how deep they go is bounded by validation. */
const introspection: ReadonlySet<string> = new Set(['__schema', '__type']);

/**
 * Measures every operation of a document, in time proportional to its text: each fragment is measured once. Gives the
 * name of a fragment that is used within itself instead.
 */
export function measure(document: DocumentNode): readonly Measured[] | { readonly cycle: string } {
  const measuring = new Measuring(document.definitions);
  const measured = document.definitions.filter(isOperation).map((operation) => measuring.operation(operation));
  return measuring.cycle === undefined ? measured : { cycle: measuring.cycle };
}

class Measuring {
  cycle: string | undefined = undefined;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** Undefined for one that is being measured. */
  readonly #known = new Map<string, Measured | undefined>();

  constructor(definitions: readonly DefinitionNode[]) {
    for (const definition of definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
  }

  operation({ directives, variableDefinitions = [], selectionSet }: OperationDefinitionNode): Measured {
    const inside = this.#selections(selectionSet);
    const ofVariables = variableDefinitions.reduce((sum, variable) => sum + count(variable.directives), 0);
    return { ...inside, directives: inside.directives + count(directives) + ofVariables };
  }

  #selections({ selections }: SelectionSetNode): Measured {
    let { depth, aliases, directives, cost } = nothing;
    for (const selection of selections) {
      const each = this.#selection(selection);
      depth = Math.max(depth, each.depth);
      aliases += each.aliases;
      directives += each.directives + count(selection.directives);
      cost += each.cost;
    }
    return { depth, aliases, directives, cost };
  }

  #selection(selection: SelectionNode): Measured {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#fragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.#selections(selection.selectionSet);
    const aliases = selection.alias === undefined ? 0 : 1;
    if (selection.selectionSet === undefined) return aliases === 0 ? one : { ...one, aliases };
    const inside = this.#selections(selection.selectionSet);
    const own = introspection.has(selection.name.value)
      ? one
      : { depth: inside.depth + 1, cost: objectCost + factorOfDepth * inside.cost };
    return { ...inside, ...own, aliases: inside.aliases + aliases, directives: inside.directives };
  }

  #fragment(name: string): Measured {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    // Validation says that there is no such fragment.
    if (fragment === undefined) return nothing;
    if (this.#known.has(name)) {
      this.cycle ??= name;
      return nothing;
    }
    this.#known.set(name, undefined);
    const inside = this.#selections(fragment.selectionSet);
    const measured = { ...inside, directives: inside.directives + count(fragment.directives) };
    this.#known.set(name, measured);
    return measured;
  }
}

function isOperation(definition: DefinitionNode): definition is OperationDefinitionNode {
  return definition.kind === Kind.OPERATION_DEFINITION;
}

function count(directives: readonly DirectiveNode[] | undefined): number {
  return directives?.length ?? 0;
}
