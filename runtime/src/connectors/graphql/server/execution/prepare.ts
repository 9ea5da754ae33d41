import type { Binding } from '../../../../foundation/contracts/source.ts';
import { buildSchema, type SchemaText } from '../../schema/build.ts';
import type { FederationVersion } from '../../schema/generate.ts';
import type { ReadDocument } from '../limits/read-document.ts';
import { Documents } from './documents.ts';
import { bindFederation } from './entities.ts';
import { executableSchema } from './executable.ts';
import { bindFields } from './resolvers.ts';

/** The documents of a schema whose fields the flows of a configuration resolve. Throws for a schema that is wrong. */
export function prepareDocuments(
  text: SchemaText,
  bindings: readonly Binding[],
  read: ReadDocument,
  federation?: FederationVersion,
): Documents {
  const built = buildSchema(text, federation);
  const { schema: published } = built;
  bindFederation(built, bindings);
  const bound = bindFields(published, bindings);
  return new Documents({ published, executable: executableSchema(published, bound) }, read);
}
