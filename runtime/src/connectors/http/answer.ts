import { STATUS_CODES } from 'node:http';
import { type Codec, type FormatName, formatOf } from '../../formats/registry.ts';
import { type HttpAnswer, HttpFailure } from '../../net/request.ts';
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

/** Reads a body by its own Content-Type; what cannot be read, or is of another type, is text. Null when empty. */
export async function decodeBody(
  answer: HttpAnswer,
  codec: (format: FormatName) => Codec | Promise<Codec>,
): Promise<unknown> {
  const { body } = answer;
  if (body.length === 0) return null;
  const [type, charset] = mediaType(single(answer.headers['content-type']) ?? '');
  const text = textOf(body, charset);
  const format = formatOf(type);
  if (format === undefined) return text;
  const reader = codec(format);
  try {
    return (reader instanceof Promise ? await reader : reader).decode(text);
  } catch {
    return text;
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
  return [type.trim().toLowerCase(), charset?.split('=')[1]?.replaceAll('"', '').trim()];
}

/** An unknown character set is read as UTF-8. */
function textOf(body: Buffer, charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(body);
  } catch {
    return body.toString();
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
