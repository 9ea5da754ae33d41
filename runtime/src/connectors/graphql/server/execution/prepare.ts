import type { Binding } from '../../../../contracts/source.ts';
import { buildSchema } from '../../schema/build.ts';
import type { ReadDocument } from '../limits/read-document.ts';
import { Documents } from './documents.ts';
import { executableSchema } from './executable.ts';
import { bindFields } from './resolvers.ts';

/** The documents of a schema whose fields the flows of a configuration resolve. Throws for a schema that is wrong. */
export function prepareDocuments(schemaText: string, bindings: readonly Binding[], read: ReadDocument): Documents {
  const published = buildSchema(schemaText);
  const bound = bindFields(published, bindings);
  return new Documents({ published, executable: executableSchema(published, bound) }, read);
}
