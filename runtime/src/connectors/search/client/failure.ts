import { Failure } from '../../../foundation/errors/failure.ts';
import type { HttpAnswer } from '../../../platform/net/request.ts';
import { parseRetryAfter } from '../../../platform/net/retry-after.ts';
import { refusedValueIn, type Sent } from './refused-value.ts';
import type { ServerError } from './server-error.ts';

/** Characters of an answer that failures carry. */
const shownBody = 4096;
const shownReason = 500;

/** What was asked of the server: the action, and what of the message was sent. */
export interface Request {
  readonly what: string;
  readonly sent?: Sent;
  /** The field of the message that has a value. */
  readonly nameOf?: (value: string) => string | undefined;
}

/**
 * The failure of a request that the server refused. A value of the message that it cannot take is `value_refused`. A
 * conflict of one that does not ask for a new document is that another request came between, and may be tried again.
 */
export function refusedBy(answer: HttpAnswer, request: Request, now: number): Failure {
  const { status, headers } = answer;
  const body = answer.body
    .subarray(0, shownBody * 4)
    .toString()
    .slice(0, shownBody);
  const error = errorIn(answer.body);
  const said = reasonIn(error) ?? body.slice(0, shownReason);
  return refusal({ status, body, said, error }, request, parseRetryAfter(single(headers['retry-after']), now));
}

/** The same of an item of a `_bulk`, as it would be refused alone. */
export function refusedItem(status: number, error: ServerError | undefined, request: Request): Failure {
  const body = JSON.stringify({ error, status }).slice(0, shownBody);
  return refusal({ status, body, said: reasonIn(error) ?? '', error }, request, undefined);
}

interface Refused {
  readonly status: number;
  readonly body: string;
  readonly said: string;
  readonly error: ServerError | string | undefined;
}

function refusal(refused: Refused, request: Request, retryAfter: number | undefined): Failure {
  const { status, body, said, error } = refused;
  const { what, sent, nameOf = () => undefined } = request;
  const value = isOfValues(status, said) ? refusedValueIn(error, sent, nameOf) : undefined;
  if (value !== undefined) {
    const cause = new Error(`${what} failed with status ${status}: ${said}`);
    return new Failure('value_refused', value.message, { fields: [value], cause });
  }
  const message = `${what} failed with status ${status}${said === '' ? '' : `: ${said}`}`;
  return new Failure(codeOf(status), message, {
    upstream: { status, body },
    ...(isOvertaken(status, what) && { retriable: true }),
    retryAfter,
  });
}

/** Statuses of values that cannot be taken. A list in place of one text is an error of the server itself to OpenSearch 2. */
function isOfValues(status: number, said: string): boolean {
  return status === 400 || (status === 500 && said.startsWith("illegal_state_exception: Can't get text"));
}

/** A conflict is the answer to a document that exists already, or was changed by another request meanwhile. */
export function codeOf(status: number): 'constraint_violated' | 'upstream_error' {
  return status === 409 ? 'constraint_violated' : 'upstream_error';
}

/** Whether a request came too late for the version that it wanted to change; a document that exists stays. */
export function isOvertaken(status: number, action: string): boolean {
  return status === 409 && (action === 'update' || action === 'index' || action === 'delete');
}

/** Type and reason, and the reason behind it where the server gives one. */
export function reasonIn(error: ServerError | string | undefined): string | undefined {
  if (typeof error === 'string') return error.slice(0, shownReason);
  if (error === undefined) return undefined;
  const cause = error.caused_by as ServerError | undefined;
  const parts = [error.type, error.reason, cause?.reason].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? undefined : parts.join(': ').slice(0, shownReason);
}

/** The `error` of an answer that has one; undefined when it is not the server's own. */
export function errorIn(body: Buffer): ServerError | string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return undefined;
  }
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined;
  return typeof error === 'string' || (typeof error === 'object' && error !== null) ? error : undefined;
}

/** Whether a 404 says that the index is missing, and not a document of it. */
export function isIndexMissing(body: Buffer): boolean {
  const error = errorIn(body);
  return typeof error === 'object' && error.type === 'index_not_found_exception';
}

/** Whether the server failed over a value that is absent. */
export function meetsNull({ status, body }: HttpAnswer): boolean {
  if (status !== 500) return false;
  const error = errorIn(body);
  return typeof error === 'object' && /"null_pointer_exception"/.test(JSON.stringify(error));
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
