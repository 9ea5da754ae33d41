import { STATUS_CODES } from 'node:http';
import { type HttpAnswer, HttpFailure } from '../request.ts';
import { parseRetryAfter } from '../retry-after.ts';

/** Characters of an error body that are part of messages. */
const shownBody = 4096;

/** What a status of 400 or more becomes (docs/specification/http-client.md#failures). */
export function upstreamFailure(answer: HttpAnswer, now: number): HttpFailure {
  const { status } = answer;
  const body = shownOf(answer.body);
  const reason = answer.statusText || STATUS_CODES[status] || 'Error';
  return new HttpFailure('upstream_error', `HTTP ${status}: ${status} ${reason} - ${body}`, true, {
    upstream: { status, body },
    retryAfter: retryAfterOf(answer, now),
  });
}

/** The beginning of a body, as failures contain it. */
export function shownOf(body: Buffer): string {
  return body
    .subarray(0, shownBody * 4)
    .toString()
    .slice(0, shownBody);
}

/** When a peer asks to come back, in milliseconds from `now`. */
export function retryAfterOf({ headers }: HttpAnswer, now: number): number | undefined {
  return parseRetryAfter(single(headers['retry-after']), now);
}

/** The type of a body in lower case, and its character set; one that is unknown is read as UTF-8. */
export function mediaType(contentType: string): [type: string, charset: string | undefined] {
  const [type = '', ...parameters] = contentType.split(';');
  const charset = parameters.find((each) => /^\s*charset\s*=/i.test(each));
  return [type.trim().toLowerCase(), known(charset?.split('=')[1]?.replaceAll('"', '').trim())];
}

function known(charset: string | undefined): string | undefined {
  try {
    return charset && new TextDecoder(charset).encoding;
  } catch {
    return undefined;
  }
}

/** The first of the headers of one name. */
export function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
