import {
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type TypeNode,
} from 'graphql';

/** The parts of a schema that become something, with their extensions in one. */
export interface Definitions {
  /** Object types other than the roots, by name. */
  readonly objects: ReadonlyMap<string, ObjectDefinition>;
  readonly inputs: ReadonlyMap<string, InputDefinition>;
  readonly enums: ReadonlyMap<string, EnumTypeDefinitionNode>;
  /** Unions and interfaces, whose values are objects. */
  readonly abstract: ReadonlySet<string>;
  /** The fields of `Query`, `Mutation` and `Subscription`, whatever the schema calls these types. */
  readonly roots: ReadonlyMap<RootType, readonly FieldDefinitionNode[]>;
}

export type RootType = 'Query' | 'Mutation' | 'Subscription';

export interface ObjectDefinition {
  readonly name: string;
  readonly description: string | undefined;
  readonly fields: readonly FieldDefinitionNode[];
}

export interface InputDefinition {
  readonly name: string;
  readonly description: string | undefined;
  readonly fields: readonly InputValueDefinitionNode[];
}

const rootOf = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

/** Sorts the definitions of a document; what none of them says is reported. */
export function definitionsOf({ definitions }: DocumentNode, leave: (what: string) => void): Definitions {
  const objects = new Map<string, ObjectDefinition>();
  const inputs = new Map<string, InputDefinition>();
  const enums = new Map<string, EnumTypeDefinitionNode>();
  const abstract = new Set<string>();
  const names = new Map<string, RootType>(Object.values(rootOf).map((root) => [root, root]));
  for (const definition of definitions)
    if (definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION)
      for (const { operation, type } of definition.operationTypes ?? []) names.set(type.name.value, rootOf[operation]);
  const roots = new Map<RootType, FieldDefinitionNode[]>();
  for (const definition of definitions) {
    switch (definition.kind) {
      case Kind.OBJECT_TYPE_DEFINITION:
      case Kind.OBJECT_TYPE_EXTENSION: {
        const {
          name: { value: name },
          fields = [],
        } = definition;
        const description = 'description' in definition ? definition.description?.value : undefined;
        const root = names.get(name);
        if (root !== undefined) roots.set(root, [...(roots.get(root) ?? []), ...fields]);
        else {
          const known = objects.get(name);
          objects.set(name, {
            name,
            description: description ?? known?.description,
            fields: [...(known?.fields ?? []), ...fields],
          });
        }
        break;
      }
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      case Kind.INPUT_OBJECT_TYPE_EXTENSION: {
        const {
          name: { value: name },
          fields = [],
        } = definition;
        const description = 'description' in definition ? definition.description?.value : undefined;
        const known = inputs.get(name);
        inputs.set(name, {
          name,
          description: description ?? known?.description,
          fields: [...(known?.fields ?? []), ...fields],
        });
        break;
      }
      case Kind.ENUM_TYPE_DEFINITION:
        enums.set(definition.name.value, definition);
        break;
      case Kind.UNION_TYPE_DEFINITION:
        abstract.add(definition.name.value);
        leave(`union ${definition.name.value}: callers are answered by the schema file, no type checks it`);
        break;
      case Kind.INTERFACE_TYPE_DEFINITION:
        abstract.add(definition.name.value);
        leave(`interface ${definition.name.value}: callers are answered by the schema file, no type checks it`);
        break;
      case Kind.DIRECTIVE_DEFINITION:
        leave(`directive @${definition.name.value}: it stays in the schema file, and nothing acts on it`);
        break;
    }
  }
  return { objects, inputs, enums, abstract, roots };
}

/** The name inside lists and marks of what may not be null. */
export function innermost(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : innermost(type.type);
}
