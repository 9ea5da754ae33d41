import { STATUS_CODES } from 'node:http';
import { asFailure } from '../../errors/classify.ts';
import { answerBudget } from '../../formats/budget.ts';
import { decodeBody } from '../../formats/decode.ts';
import { type FormatName, formatOf } from '../../formats/registry.ts';
import { type HttpAnswer, HttpFailure } from '../../net/request.ts';
import type { Codecs } from './peer.ts';
import { parseRetryAfter } from './retry.ts';

type Row = Readonly<Record<string, unknown>>;

/** Characters of an error body that travel in messages. */
const shownBody = 4096;

/** What a status of 400 or more becomes (supplement 5.6). */
export function upstreamFailure(answer: HttpAnswer, now: number): HttpFailure {
  const { status } = answer;
  const body = answer.body
    .subarray(0, shownBody * 4)
    .toString()
    .slice(0, shownBody);
  const reason = answer.statusText || STATUS_CODES[status] || 'Error';
  return new HttpFailure('upstream_error', `HTTP ${status}: ${status} ${reason} - ${body}`, true, {
    upstream: { status, body },
    retryAfter: parseRetryAfter(single(answer.headers['retry-after']), now),
  });
}

/**
 * Reads a body by its own Content-Type; what cannot be read, or is of no format in `named`, is text. Null when empty.
 * Rejects with `connector_failed` when it decodes to more than an answer may.
 */
export async function readAnswer(
  { body, headers }: HttpAnswer,
  named: ReadonlySet<FormatName>,
  codecs: Codecs,
): Promise<unknown> {
  if (body.length === 0) return null;
  const [type, charset] = mediaType(single(headers['content-type']) ?? '');
  const format = formatOf(type);
  if (format === undefined || !named.has(format)) return textOf(body, charset);
  const codec = codecs.get(format);
  try {
    return await decodeBody(codec instanceof Promise ? await codec : codec, body, { charset, budget: answerBudget });
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code === 'body_undecodable') return textOf(body, charset);
    throw new HttpFailure('connector_failed', `the answer cannot be used: ${message}`, true, {
      cause: error,
      retriable: code === 'overloaded',
    });
  }
}

/** The answer as rows (supplement 5.5): an object is one, an array many, anything else `{data: value}`. */
export function asRows(value: unknown): readonly Row[] {
  if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? item : { data: item }));
  return [isRecord(value) ? value : { data: value }];
}

/** The answer of a call: a list of one is that one, a scalar `{data: value}`. */
export function asCallValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? value[0] : value;
  return isRecord(value) ? value : { data: value };
}

function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function mediaType(contentType: string): [type: string, charset: string | undefined] {
  const [type = '', ...parameters] = contentType.split(';');
  const charset = parameters.find((each) => /^\s*charset\s*=/i.test(each));
  return [type.trim().toLowerCase(), known(charset?.split('=')[1]?.replaceAll('"', '').trim())];
}

/** An unknown character set is read as UTF-8. */
function known(charset: string | undefined): string | undefined {
  try {
    return charset && new TextDecoder(charset).encoding;
  } catch {
    return undefined;
  }
}

function textOf(body: Buffer, charset = 'utf-8'): string {
  return new TextDecoder(charset).decode(body);
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
