import { type DefinitionNode, type DocumentNode, Kind, parse, type ValueNode } from 'graphql';

/** What a federation adds to a schema (https://specs.apollo.dev/federation/v2.0). */

const link = 'https://specs.apollo.dev/federation/';

/** The first lines of a schema that is part of a federation of version 2. */
export const preamble = `extend schema
  @link(
    url: "${link}v2.0"
    import: ["@key", "@shareable", "@provides", "@external", "@tag", "@extends", "@override", "@inaccessible", "@requires"]
  )

`;

/** Whether a schema says itself to which federation it belongs. */
export function isLinked(document: DocumentNode): boolean {
  return linksOf(document).some(({ url }) => url.startsWith(link));
}

/** Directives of a federation by their own names, with what they take and where they may be written. */
const directives: Readonly<Record<string, string>> = {
  key: '(fields: federation__FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE',
  requires: '(fields: federation__FieldSet!) on FIELD_DEFINITION',
  provides: '(fields: federation__FieldSet!) on FIELD_DEFINITION',
  external: '(reason: String) on OBJECT | FIELD_DEFINITION',
  shareable: ' repeatable on OBJECT | FIELD_DEFINITION',
  override: '(from: String!, label: String) on FIELD_DEFINITION',
  tag: '(name: String!) repeatable on FIELD_DEFINITION | INTERFACE | OBJECT | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION | SCHEMA',
  extends: ' on OBJECT | INTERFACE',
  inaccessible:
    ' on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ENUM | ENUM_VALUE | SCALAR | INPUT_OBJECT | INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION',
  interfaceObject: ' on OBJECT',
  composeDirective: '(name: String!) repeatable on SCHEMA',
  authenticated: ' on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM',
  requiresScopes: '(scopes: [[federation__Scope!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM',
  policy: '(policies: [[federation__Policy!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM',
  context: '(name: String!) repeatable on INTERFACE | OBJECT | UNION',
  cost: '(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR',
  listSize:
    '(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION',
};

/** Those that need no import: of version 1, and of files that say no version. */
const plainDirectives = [
  'key',
  'requires',
  'provides',
  'external',
  'extends',
  'tag',
  'shareable',
  'inaccessible',
  'override',
];

const linkDirective =
  'directive @link(url: String!, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA';

/** The definitions that a document uses without having them: directives of a federation and what these take. */
export function missingDefinitions(document: DocumentNode): readonly DefinitionNode[] {
  const defined = new Set(
    document.definitions.flatMap((each) =>
      'name' in each && each.name !== undefined ? `${each.kind} ${each.name.value}` : [],
    ),
  );
  const texts: string[] = [];
  const add = (kind: Kind, name: string, text: string) => {
    if (!defined.has(`${kind} ${name}`)) texts.push(text);
  };
  const names = directiveNames(document);
  for (const [name, own] of names) {
    const shape = directives[own];
    if (shape !== undefined) add(Kind.DIRECTIVE_DEFINITION, name, `directive @${name}${shape}`);
  }
  add(Kind.DIRECTIVE_DEFINITION, 'link', linkDirective);
  add(Kind.SCALAR_TYPE_DEFINITION, 'link__Import', 'scalar link__Import');
  add(Kind.ENUM_TYPE_DEFINITION, 'link__Purpose', 'enum link__Purpose { SECURITY EXECUTION }');
  for (const scalar of ['FieldSet', 'Scope', 'Policy'])
    add(Kind.SCALAR_TYPE_DEFINITION, `federation__${scalar}`, `scalar federation__${scalar}`);
  return texts.length === 0 ? [] : parse(texts.join('\n'), { noLocation: true }).definitions;
}

/** What directives of a federation are called in a document, by their names there. */
function directiveNames(document: DocumentNode): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const links = linksOf(document).filter(({ url }) => url.startsWith(link));
  if (links.length === 0) for (const name of plainDirectives) names.set(name, name);
  for (const { as, imports } of links) {
    for (const own of Object.keys(directives)) names.set(`${as ?? 'federation'}__${own}`, own);
    for (const [own, name] of imports) if (Object.hasOwn(directives, own)) names.set(name, own);
  }
  return names;
}

/** What a directive of a federation is called in a document. */
export function nameOfDirective(document: DocumentNode, own: string): ReadonlySet<string> {
  return new Set([...directiveNames(document)].flatMap(([name, each]) => (each === own ? name : [])));
}

interface Link {
  readonly url: string;
  readonly as: string | undefined;
  /** Imported directives by their own names, without `@`: what they are called here. */
  readonly imports: readonly (readonly [own: string, name: string])[];
}

function linksOf(document: DocumentNode): readonly Link[] {
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.SCHEMA_EXTENSION && definition.kind !== Kind.SCHEMA_DEFINITION) return [];
    return (definition.directives ?? []).flatMap(({ name, arguments: given = [] }): Link[] => {
      if (name.value !== 'link') return [];
      const argument = (word: string) => given.find((each) => each.name.value === word)?.value;
      const url = argument('url');
      const as = argument('as');
      const imported = argument('import');
      return [
        {
          url: url?.kind === Kind.STRING ? url.value : '',
          as: as?.kind === Kind.STRING ? as.value : undefined,
          imports: imported?.kind === Kind.LIST ? imported.values.flatMap(importOf) : [],
        },
      ];
    });
  });
}

/** `"@key"`, or `{ name: "@key", as: "@uniqueKey" }`. */
function importOf(value: ValueNode): readonly (readonly [string, string])[] {
  const texts = new Map<string, string>();
  if (value.kind === Kind.STRING) texts.set('name', value.value);
  if (value.kind === Kind.OBJECT)
    for (const { name, value: inner } of value.fields)
      if (inner.kind === Kind.STRING) texts.set(name.value, inner.value);
  const name = texts.get('name');
  if (name === undefined || !name.startsWith('@')) return [];
  return [[name.slice(1), (texts.get('as') ?? name).replace(/^@/, '')]];
}
