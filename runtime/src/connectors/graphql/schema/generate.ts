import type { Declarations } from '../../../foundation/contracts/types.ts';
import type { Described } from './described.ts';
import type { EnumValues } from './enums.ts';
import { annotationsOf, noAnnotations } from './federation/annotations.ts';
import { fieldsOfFlows } from './roots.ts';
import { everyScalar } from './scalar-names.ts';
import { braced, byName, member } from './text.ts';
import { type Definition, TypeWriter } from './types.ts';

/** The federation that a schema is for; undefined: none. */
export type FederationVersion = 1 | 2 | undefined;

/** A schema made of a configuration. */
export interface GeneratedSchema {
  /** SDL: scalars, enums, types, inputs, root types, each by name. */
  readonly text: string;
  /** What the values of each enum are in the configuration. */
  readonly enums: ReadonlyMap<string, EnumValues>;
}

/** The schema of the types and flows of a configuration (docs/graphql.md#where-the-schema-comes-from). The same ones give the same text. */
export function generateSchema(
  bindings: readonly Described[],
  declarations: Declarations,
  federation?: FederationVersion,
): GeneratedSchema {
  const { types } = declarations;
  const annotations = federation === undefined ? noAnnotations : annotationsOf(federation);
  const writer = new TypeWriter(types, annotations, bindings);
  const fields = fieldsOfFlows(bindings, declarations, writer);
  for (const type of types) writer.add(type, fields.get(type.name));
  const roots = ['Query', 'Mutation', 'Subscription'].flatMap((name): Definition[] => {
    const own = [...(fields.get(name) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    const members = own.map(([, text]) => member(text, undefined));
    if (name === 'Query' && members.length === 0)
      members.push(member(`_empty: String${annotations.ofPlaceholder()}`, 'Nothing: no flow answers queries.'));
    return members.length === 0 ? [] : [{ name, text: braced('type', name, '', members) }];
  });
  const scalars = [...new Set([...everyScalar, ...writer.scalars])].sort().map((name) => `scalar ${name}`);
  const definitions = [writer.enums.definitions(), writer.objects, writer.sent].flatMap((each) =>
    [...each].sort(byName),
  );
  const text = [...scalars, ...[...definitions, ...roots].map((each) => each.text)].join('\n\n');
  return { text: `${text}\n`, enums: writer.enums.all };
}
