import { randomUUID } from 'node:crypto';
import { toJson } from '@svc/protocol/cel';
import type { Refusal } from '../../foundation/contracts/http.ts';
import { codeOf } from '../../foundation/errors/answered.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { disclosed } from '../../foundation/errors/disclose.ts';
import type { Failure } from '../../foundation/errors/failure.ts';

/** The status of a failure. A caller that is still there cannot have cancelled: the service stops. */
export function statusOf({ status }: Failure): number {
  return status === 499 ? 503 : status;
}

/** A failure as a caller may read it. */
export interface Disclosure extends Pick<Refusal, 'status' | 'headers' | 'requestId'> {
  /** Undefined: only that the service failed. */
  readonly text: string | undefined;
  /** Undefined where nothing but the status may be known. */
  readonly details:
    | { readonly code: string; readonly fields: Failure['fields']; readonly details?: unknown }
    | undefined;
}

/** What an answer may say of a failure, whatever it is written in (docs/specification/http.md#errors). */
export function disclosure(error: Error, production: boolean): Disclosure {
  const failure = asFailure(error);
  const status = statusOf(failure);
  const { answered } = failure;
  const requestId = status >= 500 && answered === undefined ? randomUUID() : undefined;
  const wait = failure.retryAfter ?? (status === 503 || status === 429 ? 1000 : undefined);
  const headers = wait === undefined ? [] : ['retry-after', String(Math.max(1, Math.ceil(wait / 1000)))];
  if (requestId !== undefined && production) return { status, headers, requestId, text: undefined, details: undefined };
  const { fields } = failure;
  const details = { code: codeOf(failure), fields, ...(answered && { details: toJson(answered.value) }) };
  return { status, headers, requestId, text: disclosed(failure, production), details };
}

/**
 * Status, body and headers of a failure (docs/specification/http.md#errors): `{error, code, fields}`, and in production
 * a bare 5xx.
 */
export function refusal(error: Error, production: boolean): Refusal {
  const { status, headers, requestId, text = 'Internal Server Error', details } = disclosure(error, production);
  const body = details === undefined ? { error: text, request_id: requestId } : { error: text, ...details };
  return { status, body: JSON.stringify(body), headers, requestId };
}
