import { Fields } from '@svc/protocol/cel';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { answerBudget } from '../../../platform/formats/budget.ts';
import { decodeBody } from '../../../platform/formats/decode.ts';
import { codecOf } from '../../../platform/formats/registry.ts';
import type { HttpAnswer } from '../../../platform/net/request.ts';

/** An object of an answer. */
export type AnswerFields = Readonly<Record<string, unknown>>;

/** One found document, or one that was asked for. */
export type Row = Readonly<Record<string, unknown>>;

/** The object that an answer is. Rejects with `connector_failed` for anything else. */
export async function objectIn(answer: HttpAnswer, what: string): Promise<AnswerFields> {
  let value: unknown;
  try {
    value = await decodeBody(await codecOf('json'), answer.body, { budget: answerBudget });
  } catch (error) {
    const { code, message } = asFailure(error);
    throw new Failure('connector_failed', `${what}: the answer cannot be used: ${message}`, {
      cause: error,
      retriable: code === 'overloaded',
    });
  }
  const fields = fieldsIn(value);
  if (fields !== undefined) return fields;
  throw new Failure('connector_failed', `${what}: the answer is not an object`, { retriable: false });
}

export function fieldsIn(value: unknown): AnswerFields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as AnswerFields) : undefined;
}

/** What a hit says beside its document, and the names under which rows have it. */
const beside: Readonly<Record<string, string>> = {
  _score: '_score',
  sort: '_sort',
  highlight: '_highlight',
  fields: '_fields',
  inner_hits: '_inner_hits',
};

/** The rows of a search: each document with its id and score. */
export function rowsOf(answer: AnswerFields, what: string): readonly Row[] {
  refusePartial(answer, what);
  const hits = fieldsIn(answer['hits'])?.['hits'];
  if (!Array.isArray(hits)) throw new Failure('connector_failed', `${what}: the answer has no hits`);
  return hits.map((hit: unknown) => rowOf(fieldsIn(hit) ?? {}));
}

/** One document as a row. */
export function rowOf(hit: AnswerFields): Row {
  const row = new Fields() as Record<string, unknown>;
  const source = fieldsIn(hit['_source']);
  for (const name in source) row[name] = source[name];
  row['_id'] = hit['_id'];
  for (const [name, own] of Object.entries(beside)) if (hit[name] !== undefined) row[own] = hit[name];
  return row;
}

/** A part of the answer is not the answer. */
export function refusePartial(answer: AnswerFields, what: string): void {
  const failed = Number(fieldsIn(answer['_shards'])?.['failed'] ?? 0);
  if (answer['timed_out'] !== true && failed === 0) return;
  const reason = answer['timed_out'] === true ? 'it took too long' : `${failed} shards failed`;
  throw new Failure('connector_failed', `${what}: the server found a part only: ${reason}`, { retriable: true });
}
