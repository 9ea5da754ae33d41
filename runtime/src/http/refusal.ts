import { randomUUID } from 'node:crypto';
import { disclosed } from '../errors/disclose.ts';
import type { Failure } from '../errors/failure.ts';

/** A failure as an HTTP answer. */
export interface Refusal {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Given to failures of the service (5xx), so that an answer can be found in the log. */
  readonly requestId: string | undefined;
}

/**
 * Status, body and headers of a failure (docs/specification/http.md#errors): `{error, code, fields}`, and in production
 * a bare 5xx.
 */
export function refusal(failure: Failure, production: boolean): Refusal {
  // A caller that is still there cannot have cancelled: the service stops.
  const status = failure.kind.status === 499 ? 503 : failure.kind.status;
  const requestId = status >= 500 ? randomUUID() : undefined;
  const wait = failure.retryAfter ?? (status === 503 || status === 429 ? 1000 : undefined);
  const headers = wait === undefined ? [] : ['retry-after', String(Math.max(1, Math.ceil(wait / 1000)))];
  const text = disclosed(failure, production);
  const body =
    requestId !== undefined && production
      ? { error: 'Internal Server Error', request_id: requestId }
      : { error: text ?? 'Internal Server Error', code: failure.code, fields: failure.fields };
  return { status, body: JSON.stringify(body), headers, requestId };
}
