import { randomUUID } from 'node:crypto';
import type { Refusal } from '../contracts/http.ts';
import { asFailure } from '../errors/classify.ts';
import { disclosed } from '../errors/disclose.ts';
import type { Failure } from '../errors/failure.ts';

/** The status of a failure. A caller that is still there cannot have cancelled: the service stops. */
export function statusOf({ kind: { status } }: Failure): number {
  return status === 499 ? 503 : status;
}

/**
 * Status, body and headers of a failure (docs/specification/http.md#errors): `{error, code, fields}`, and in production
 * a bare 5xx.
 */
export function refusal(error: Error, production: boolean): Refusal {
  const failure = asFailure(error);
  const status = statusOf(failure);
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
