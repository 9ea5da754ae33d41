import type { Binding } from '../../../../contracts/source.ts';
import { buildSchema, type SchemaText } from '../../schema/build.ts';
import type { FederationVersion } from '../../schema/generate.ts';
import { Documents } from './documents.ts';
import { bindFederation } from './entities.ts';
import { bindFields } from './resolvers.ts';
import { refuseUnresolved } from './unresolved.ts';

/** The documents of a schema whose fields the flows of a configuration resolve. Throws for a schema that is wrong. */
export function prepareDocuments(
  text: SchemaText,
  bindings: readonly Binding[],
  federation: FederationVersion,
): Documents {
  const built = buildSchema(text, federation);
  bindFields(built.schema, bindings);
  bindFederation(built, bindings);
  refuseUnresolved(built.schema);
  return new Documents(built.schema);
}
