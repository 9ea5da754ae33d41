import type { CallDescription, WriteEach } from '../../../../foundation/contracts/target.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import { isEmpty } from '../asked.ts';
import type { DatabaseClient } from '../client.ts';
import { type Document, Encoder } from '../documents/encoder.ts';
import { isMisplanned, planOf } from '../plan.ts';
import { nothingToWrite } from './writes.ts';

/** Bytes of the documents of one exchange, but for one that is larger alone. */
const mostBytes = 8 * 1024 * 1024;

/** The first rows as documents, and why others of them cannot be sent. */
interface Batch {
  readonly documents: readonly Document[];
  /** Positions of the documents among the rows. */
  readonly positions: readonly number[];
  /** By position. */
  readonly outcomes: (Failure | undefined)[];
}

/** What the driver reports of an exchange of which the server refused documents. */
interface BulkError {
  readonly writeErrors?: WriteError | readonly WriteError[];
  readonly result?: { getWriteConcernError(): unknown };
}

interface WriteError {
  /** Among the documents of the exchange. */
  readonly index: number;
  readonly code: number;
  readonly errmsg?: string;
}

/**
 * Inserts documents by one command, each as INSERT inserts it alone: what is wrong with one has no effect on the others.
 * Undefined for what is not a plain INSERT.
 */
export function prepareInserts(client: DatabaseClient, call: CallDescription): WriteEach | undefined {
  const { target } = call;
  const plan = planOf(call);
  if (target === undefined || isMisplanned(plan)) return undefined;
  if (plan.action !== 'insert' || plan.pipeline !== undefined) return undefined;
  const where = `flow "${call.flow}" (${call.label})`;
  return async (rows, { signal }) => {
    const { documents, positions, outcomes } = batchOf(client, rows, where);
    if (documents.length === 0) return outcomes;
    const isMany = documents.length > 1;
    const execution = { writes: true, isMany, timeout: call.timeout, signal };
    try {
      const refused = await client.run(execution, async ({ database }, options) => {
        try {
          await database.collection(target).insertMany([...documents], { ...options, ordered: false });
          return [];
        } catch (error) {
          return refusedIn(error as BulkError);
        }
      });
      for (const { index, code, errmsg } of refused)
        outcomes[positions[index] as number] = client.refusal(code, errmsg ?? '');
    } catch (error) {
      const failure = asFailure(error);
      // What is wrong with the only one is not wrong with those that are not sent yet.
      if (isMany || failure.retriable || !failure.kind.callers) throw failure;
      outcomes[positions[0] as number] = failure;
    }
    return outcomes;
  };
}

/** The documents that the server refused. Throws where its error is about more than these. */
function refusedIn(error: BulkError): readonly WriteError[] {
  const errors = [error.writeErrors ?? []].flat();
  if (errors.length === 0 || error.result?.getWriteConcernError() !== undefined) throw error;
  return errors;
}

function batchOf(client: DatabaseClient, rows: Parameters<WriteEach>[0], where: string): Batch {
  const { types } = client.opened;
  const encoder = new Encoder(types);
  const documents: Document[] = [];
  const positions: number[] = [];
  const outcomes: (Failure | undefined)[] = [];
  let bytes = 0;
  for (const [at, payload] of rows.entries()) {
    try {
      if (isEmpty(payload)) throw nothingToWrite(where);
      const document = encoder.document(payload, '');
      bytes += types.BSON.calculateObjectSize(document);
      if (documents.length > 0 && bytes > mostBytes) break;
      documents.push(document);
      positions.push(at);
      outcomes.push(undefined);
    } catch (error) {
      outcomes.push(asFailure(error));
    }
  }
  return { documents, positions, outcomes };
}
