import type { Binding } from '../../../../contracts/source.ts';
import { buildSchema } from '../../schema/build.ts';
import type { ReadDocument } from '../limits/read-document.ts';
import { Documents } from './documents.ts';
import { bindEvents, bindFields } from './resolvers.ts';

/** The documents of a schema whose fields the flows of a configuration resolve. Throws for a schema that is wrong. */
export function prepareDocuments(schemaText: string, bindings: readonly Binding[], read: ReadDocument): Documents {
  const schema = buildSchema(schemaText);
  bindFields(schema, bindings);
  bindEvents(schema);
  return new Documents(schema, read);
}
