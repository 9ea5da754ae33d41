import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { type Arguments, argumentsOf } from './arguments.ts';
import { fieldsOf, possibleTypes } from './selected-fields.ts';
import { type Selection, selectionOf } from './selection.ts';
import { type Shape, shapeOf } from './shape.ts';

/** One place of a document whose value a resolver gives, known once for all of its executions. */
export interface Place {
  readonly args: Arguments;
  readonly selection: Selection;
  /** Names of variables beside the arguments of the field. */
  readonly variables: readonly string[];
  /** Some field below it has a resolver, which may read any field of the answer. */
  readonly isRead: boolean;
  /** The answer in the shape that the document reads. */
  readonly shape: Shape;
  /** Places of the same field of the root type, this one included; undefined: it is the only one. */
  readonly same: readonly Place[] | undefined;
}

/** Where a value is in an answer, from the inside outwards. */
export interface ResponsePath {
  readonly key: string | number;
  readonly prev: ResponsePath | undefined;
}

/** The places of one operation. */
export class Places {
  readonly #root: PlaceNode;
  /** Fields at the top of the operation. */
  readonly rootFields: number;

  constructor(
    schema: GraphQLSchema,
    root: GraphQLObjectType,
    selections: SelectionSetNode,
    variables: readonly string[],
  ) {
    const collector = new Collector(schema, variables);
    this.#root = collector.collect([root], [selections]);
    this.rootFields = this.#root.children.size;
    linkSame(this.#root);
  }

  /** The place of `field`, such as `Query.order`, at a path. Throws for one that the operation does not have. */
  at(path: ResponsePath, field: string): Place {
    const place = nodeAt(this.#root, path)?.places.get(field);
    if (place === undefined) throw new Error(`the operation has no ${field} there`);
    return place;
  }

  /** The places at the top by their key in the answer, with their fields. */
  get top(): readonly { readonly key: string; readonly field: string; readonly place: Place }[] {
    return [...this.#root.children].flatMap(([key, { places }]) =>
      [...places].map(([field, place]) => ({ key, field, place })),
    );
  }
}

interface PlaceNode {
  /** By key of the answer. */
  readonly children: Map<string, PlaceNode>;
  /** By field: below an interface or a union a key may be another field for each type. */
  readonly places: Map<string, Place>;
}

function nodeAt(root: PlaceNode, { key, prev }: ResponsePath): PlaceNode | undefined {
  const above = prev === undefined ? root : nodeAt(root, prev);
  return typeof key === 'number' ? above : above?.children.get(key);
}

function linkSame({ children }: PlaceNode): void {
  const byField = new Map<string, Place[]>();
  for (const { places } of children.values())
    for (const [field, place] of places) byField.set(field, [...(byField.get(field) ?? []), place]);
  for (const same of byField.values())
    if (same.length > 1) for (const place of same) (place as { same: readonly Place[] }).same = same;
}

class Collector {
  readonly #schema: GraphQLSchema;
  readonly #variables: readonly string[];
  readonly #resolving: ReadonlySet<string>;

  constructor(schema: GraphQLSchema, variables: readonly string[]) {
    this.#schema = schema;
    this.#variables = variables;
    this.#resolving = resolvingTypes(schema);
  }

  collect(types: readonly GraphQLObjectType[], sets: readonly SelectionSetNode[]): PlaceNode {
    const node: PlaceNode = { children: new Map(), places: new Map() };
    for (const type of types) if (this.#resolving.has(type.name)) this.#collectOf(type, sets, node);
    return node;
  }

  #collectOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[], into: PlaceNode): void {
    for (const [key, nodes] of fieldsOf(this.#schema, type, sets)) {
      const field = type.getFields()[(nodes[0] as FieldNode).name.value];
      if (field === undefined) continue;
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      const child = this.collect(possibleTypes(this.#schema, field), below);
      const known = into.children.get(key);
      if (known === undefined) into.children.set(key, child);
      else merge(known, child);
      if (field.resolve !== undefined)
        into.children.get(key)?.places.set(`${type.name}.${field.name}`, this.#place(type, field, nodes, child));
    }
  }

  #place(
    type: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    nodes: readonly FieldNode[],
    { children }: PlaceNode,
  ): Place {
    const declared = new Set(field.args.map(({ name }) => name));
    return {
      args: argumentsOf(field.args, nodes[0] as FieldNode),
      selection: selectionOf(nodes),
      variables: this.#variables.filter((name) => !declared.has(name)),
      isRead: [...children.values()].some(({ places }) => places.size > 0),
      shape: shapeOf(this.#schema, field.type, nodes, `${type.name}.${field.name}`),
      same: undefined,
    };
  }
}

function merge(into: PlaceNode, from: PlaceNode): void {
  for (const [field, place] of from.places) into.places.set(field, place);
  for (const [key, child] of from.children) {
    const known = into.children.get(key);
    if (known === undefined) into.children.set(key, child);
    else merge(known, child);
  }
}

/** Object types with a resolver, or with a field through which one is reached. */
function resolvingTypes(schema: GraphQLSchema): ReadonlySet<string> {
  const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
  const found = new Set<string>();
  const reaches = (field: GraphQLField<unknown, unknown>) =>
    field.resolve !== undefined || possibleTypes(schema, field).some(({ name }) => found.has(name));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const type of objects) if (Object.values(type.getFields()).some(reaches)) found.add(type.name);
  }
  return found;
}
