import { type DefinitionNode, type DocumentNode, Kind, type ObjectTypeExtensionNode, parse, visit } from 'graphql';
import { missingDefinitions } from './federation/definitions.ts';
import { everyScalar } from './scalar-names.ts';
import { scalars } from './scalars.ts';

/** What every service of a federation answers about itself; of those with entities also these. */
const service = 'type _Service { sdl: String }\nextend type QUERY { _service: _Service! }';
const entities =
  'scalar _Any\nextend type QUERY { _entities(representations: [_Any!]!): [_Entity]! }\nunion _Entity = ';

/**
 * The document of a schema with what it uses and does not define: scalars that are known here, directives of a
 * federation, types that it extends; and with what a federation asks every service. `entityTypes` are those that others
 * refer to.
 */
export function completed(written: DocumentNode, entityTypes: readonly string[]): DocumentNode {
  const query = queryName(written);
  const document = withoutOwn(written, query);
  const added = `${service}${entityTypes.length === 0 ? '' : `\n${entities}${entityTypes.join(' | ')}`}`;
  const own = parse(added.replaceAll('QUERY', query), { noLocation: true }).definitions;
  const defined = namesOf(document.definitions, Kind.SCALAR_TYPE_DEFINITION);
  const used = new Set<string>(everyScalar);
  visit(document, { NamedType: ({ name }) => void used.add(name.value) });
  const known = scalars
    .filter(({ name }) => used.has(name) && !defined.has(name))
    .map(({ name }): DefinitionNode => ({ kind: Kind.SCALAR_TYPE_DEFINITION, name: { kind: Kind.NAME, value: name } }));
  const definitions = [...document.definitions, ...missingDefinitions(document), ...known, ...own];
  return { ...document, definitions: withBases(definitions) };
}

const ownTypes: readonly string[] = ['_Service', '_Any', '_Entity'];
const ownFields: readonly string[] = ['_service', '_entities'];

/** Without what a service of a federation answers anyhow: schemas that were printed by one have it. */
function withoutOwn(document: DocumentNode, query: string): DocumentNode {
  const definitions = document.definitions.flatMap((each): readonly DefinitionNode[] => {
    if (!('name' in each) || each.name === undefined) return [each];
    if (ownTypes.includes(each.name.value)) return [];
    const isObject = each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.OBJECT_TYPE_EXTENSION;
    if (!isObject || each.name.value !== query) return [each];
    return [{ ...each, fields: each.fields?.filter(({ name }) => !ownFields.includes(name.value)) ?? [] }];
  });
  return { ...document, definitions };
}

/** The name of the root type of queries. */
export function queryName({ definitions }: DocumentNode): string {
  for (const each of definitions) {
    if (each.kind !== Kind.SCHEMA_DEFINITION && each.kind !== Kind.SCHEMA_EXTENSION) continue;
    const root = each.operationTypes?.find(({ operation }) => operation === 'query');
    if (root !== undefined) return root.type.name.value;
  }
  return 'Query';
}

/** A type that is only extended is defined by its first extension: in a federation another service has its base. */
function withBases(definitions: readonly DefinitionNode[]): readonly DefinitionNode[] {
  const defined = namesOf(definitions, Kind.OBJECT_TYPE_DEFINITION);
  return definitions.map((each) => {
    if (each.kind !== Kind.OBJECT_TYPE_EXTENSION || defined.has(each.name.value)) return each;
    defined.add(each.name.value);
    return { ...(each satisfies ObjectTypeExtensionNode), kind: Kind.OBJECT_TYPE_DEFINITION } as const;
  });
}

function namesOf(definitions: readonly DefinitionNode[], kind: Kind): Set<string> {
  return new Set(
    definitions.flatMap((each) => (each.kind === kind && 'name' in each && each.name ? each.name.value : [])),
  );
}
