import { asFailure } from '../../../foundation/errors/classify.ts';
import { answerBudget } from '../../../platform/formats/budget.ts';
import { decodeBody } from '../../../platform/formats/decode.ts';
import type { Codec } from '../../../platform/formats/registry.ts';
import { mediaType, retryAfterOf, shownOf, single, upstreamFailure } from '../../../platform/net/client/answer.ts';
import { type HttpAnswer, HttpFailure } from '../../../platform/net/request.ts';
import { GraphqlFailure, messagesOf, type ReportedError } from './failure.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a server answered (GraphQL over HTTP, 6.4; October 2021, 7.1). */
export interface Response {
  /** Null where nothing came of it. */
  readonly data: Fields | null;
  /** Empty where nothing failed. */
  readonly errors: readonly ReportedError[];
}

const types = new Set(['application/json', 'application/graphql-response+json', 'application/graphql+json']);

/**
 * Reads an answer. Rejects with a GraphqlFailure for errors without data and for a status of 400 or more with errors, with
 * `upstream_error` for such a status without them, with `connector_failed` for what a GraphQL server does not answer.
 */
export async function readResponse(answer: HttpAnswer, json: Codec, now: number): Promise<Response> {
  const { status, body, headers } = answer;
  const [type, charset] = mediaType(single(headers['content-type']) ?? '');
  const isJson = types.has(type);
  if (status >= 400) {
    const errors = isJson ? await errorsOf(body, json) : undefined;
    if (errors === undefined) throw upstreamFailure(answer, now);
    throw new GraphqlFailure(errors, { status, body: shownOf(body), retryAfter: retryAfterOf(answer, now) });
  }
  if (status >= 300) throw upstreamFailure(answer, now);
  if (!isJson) throw unusable(`it is of type ${JSON.stringify(type.slice(0, 80))}, not JSON`);
  if (charset !== undefined && charset !== 'utf-8') throw unusable(`its character set is ${charset}, not UTF-8`);
  const value = await decoded(body, json);
  if (!isFields(value) || (value['data'] === undefined && value['errors'] === undefined))
    throw unusable('it has neither data nor errors');
  const { data = null, errors = [] } = value;
  if (data !== null && !isFields(data)) throw unusable('its data is not an object');
  const reported = messagesOf(errors);
  if (reported === undefined) throw unusable('its errors are not a list of errors');
  if (data === null && reported.length === 0) throw unusable('it has neither data nor errors');
  return { data, errors: reported };
}

/** The failure of an answer whose errors are not to be data. */
export function failureOf({ errors }: Response, { status, body }: HttpAnswer): GraphqlFailure {
  return new GraphqlFailure(errors, { status, body: shownOf(body), retryAfter: undefined });
}

async function errorsOf(body: Buffer, json: Codec): Promise<readonly ReportedError[] | undefined> {
  const value = await decoded(body, json).catch(() => undefined);
  const errors = isFields(value) ? messagesOf(value['errors']) : undefined;
  return errors?.length === 0 ? undefined : errors;
}

async function decoded(body: Buffer, json: Codec): Promise<unknown> {
  try {
    return await decodeBody(json, body, { budget: answerBudget });
  } catch (error) {
    const { code, message } = asFailure(error);
    throw unusable(message, { cause: error, retriable: code === 'overloaded' });
  }
}

function unusable(
  why: string,
  options: { readonly cause?: unknown; readonly retriable: boolean } = { retriable: false },
) {
  return new HttpFailure('connector_failed', `the answer cannot be used: ${why}`, true, options);
}

/** Whether a value is an object as JSON has them. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first field of the data as rows: a list is many, an object one, null none, anything else `{data: value}`. */
export function rowsOf(data: Fields): readonly Fields[] {
  const [value] = Object.values(data);
  if (value === null || value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((item: unknown) => (isFields(item) ? item : { data: item }));
}
