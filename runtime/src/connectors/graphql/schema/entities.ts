import { type DocumentNode, Kind, type TypeDefinitionNode, type TypeExtensionNode } from 'graphql';
import { nameOfDirective } from './federation/definitions.ts';

/** A type to whose objects other services refer. */
export interface Entity {
  readonly name: string;
  /** The fields of its keys, those at the top. */
  readonly keys: readonly string[];
  /** Whether this service answers references; false: it only refers to objects of others. */
  readonly resolvable: boolean;
}

/** The entities of a schema by name, in the order of their names. */
export function entitiesOf(document: DocumentNode): readonly Entity[] {
  const names = nameOfDirective(document, 'key');
  const found = new Map<string, { keys: Set<string>; resolvable: boolean }>();
  for (const definition of document.definitions) {
    if (!isObject(definition)) continue;
    for (const { name, arguments: given = [] } of definition.directives ?? []) {
      if (!names.has(name.value)) continue;
      const argument = (word: string) => given.find((each) => each.name.value === word)?.value;
      const fields = argument('fields');
      const resolvable = argument('resolvable');
      const entity = found.get(definition.name.value) ?? { keys: new Set<string>(), resolvable: false };
      found.set(definition.name.value, entity);
      if (fields?.kind === Kind.STRING) for (const key of topFields(fields.value)) entity.keys.add(key);
      if (resolvable?.kind !== Kind.BOOLEAN || resolvable.value) entity.resolvable = true;
    }
  }
  return [...found]
    .map(([name, { keys, resolvable }]) => ({ name, keys: [...keys], resolvable }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isObject(definition: { readonly kind: Kind }): definition is (TypeDefinitionNode | TypeExtensionNode) & {
  readonly kind: Kind.OBJECT_TYPE_DEFINITION | Kind.OBJECT_TYPE_EXTENSION;
} {
  return definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION;
}

/** The names of a set of fields, without those inside others: of `id owner { id }` it is `id` and `owner`. */
export function topFields(set: string): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token] of set.matchAll(/[{}]|\w+/g)) {
    if (token === '{') depth++;
    else if (token === '}') depth--;
    else if (depth === 0) names.push(token);
  }
  return names;
}
