import { parse } from 'graphql';
import { Failure } from '../../../foundation/errors/failure.ts';
import { describeProblem, isProblem } from '../document/parse.ts';
import type { Document } from './call.ts';
import { documentOf, readOperation } from './documents.ts';

/** The document of a call. Throws `connector_failed` for one that comes with messages, and for one that cannot be read. */
export function parsedDocument(operation: string | undefined, connector: string): Document {
  const at = { connector };
  const refuse = (why: string) => new Failure('connector_failed', why, { at, retriable: false });
  if (operation === undefined) throw refuse('a document is written in the configuration');
  const read = readOperation(operation);
  if (isProblem(read)) throw refuse(describeProblem(read));
  const text = documentOf(operation);
  try {
    parse(text, { noLocation: true });
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  return { ...read, text };
}
