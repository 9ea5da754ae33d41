import { STATUS_CODES } from 'node:http';
import type { Refusal } from '../../foundation/contracts/http.ts';
import { disclosure } from './refusal.ts';

/** The media type of problem details (RFC 9457). */
export const problemType = 'application/problem+json; charset=utf-8';

/**
 * A failure as problem details (RFC 9457): `type` is absent, which is `about:blank`, so that `title` is the text of the
 * status. What else may be read is what `refusal` says, under the names that it has there.
 */
export function problem(error: Error, production: boolean): Refusal {
  const { status, headers, requestId, text, details } = disclosure(error, production);
  const known = details === undefined ? { request_id: requestId } : details;
  return { status, body: problemBody(status, text, known), contentType: problemType, headers, requestId };
}

/** The document of a problem with further members; `detail` is absent where there is nothing to say. */
export function problemBody(
  status: number,
  detail: string | undefined,
  members: Readonly<Record<string, unknown>>,
): string {
  return JSON.stringify({ title: STATUS_CODES[status] ?? 'Error', status, detail, ...members });
}
