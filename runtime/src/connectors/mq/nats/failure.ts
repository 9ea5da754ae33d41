import type { Msg } from '@nats-io/transport-node';
import { Failure } from '../../../foundation/errors/failure.ts';
import { textOf } from '../../../platform/net/connection.ts';
import { allowanceFor, refusedParameter } from './publish/stream-parameters.ts';

/** Errors of a stream that did not store a message, since the last one is another than expected (`err_code`). */
const unexpected: readonly number[] = [10060, 10070, 10071, 10164];

/** The error of a stream that takes no message so large (`err_code`). */
const tooLarge = 10054;

/** Why a message was refused by this side, before any of it was sent. */
export function notSent(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('connector_refused', `the message was not sent: ${textOf(error)}`, { cause: error });
}

/** What a failed attempt to publish means. A message that was sent and not answered may have been published. */
export function publishFailure(error: unknown, subject?: string): Failure {
  if (isUnheard(error))
    return new Failure('connector_failed', `no stream stores messages of the subject "${subject}"`, {
      cause: error,
      retriable: false,
    });
  if (error instanceof Failure && error.code === 'cancelled') return error;
  if (isRefused(error)) return notSent(error);
  return new Failure('outcome_unknown', `it may have been published: ${textOf(error)}`, { cause: error });
}

/** What a stream says of a message: where it is. Throws why it was not stored. */
export function storedAs(answer: Msg) {
  const said = parsed(answer);
  const { error } = said;
  if (error !== undefined) {
    const refused = refusedParameter(Number(error.err_code));
    if (refused !== undefined) {
      const fields = [{ field: refused, code: 'value_refused', message: error.description }];
      throw new Failure('value_refused', `the stream refuses the parameter "${refused}": ${error.description}`, {
        fields,
      });
    }
    if (Number(error.err_code) === tooLarge)
      throw new Failure('body_too_large', `the stream did not store it: ${error.description} (max_msg_size)`);
    const isUnexpected = unexpected.includes(Number(error.err_code));
    const allowance = allowanceFor(Number(error.err_code));
    throw new Failure(
      isUnexpected ? 'constraint_violated' : 'connector_failed',
      `the stream did not store it: ${error.description}${allowance === undefined ? '' : `: ${allowance}`}`,
      {
        retriable: !isUnexpected && Number(error.code) >= 500,
      },
    );
  }
  return { stream: said.stream ?? '', sequence: said.seq ?? 0, duplicate: said.duplicate === true };
}

/** What a failed request means. */
export function askFailure(error: unknown, subject: string): Failure {
  if (isUnheard(error))
    return new Failure('connector_refused', `no program answers requests of the subject "${subject}"`, {
      cause: error,
    });
  if (error instanceof Failure) return error;
  if (isRefused(error)) return notSent(error);
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  return isLate
    ? new Failure('connector_timeout', `no answer to the request of the subject "${subject}"`, { cause: error })
    : new Failure('outcome_unknown', `the request was not answered: ${textOf(error)}`, { cause: error });
}

/** What a service of NATS says in the headers of its answer when it failed; undefined where it did not. */
export function answerFailure(headers: Readonly<Record<string, unknown>>, subject: string): Failure | undefined {
  const said = [headers['Nats-Service-Error-Code'], headers['Nats-Service-Error']].filter(Boolean).join(' ');
  return said === ''
    ? undefined
    : new Failure('connector_failed', `the service of the subject "${subject}" failed: ${said}`);
}

interface Said {
  readonly stream?: string;
  readonly seq?: number;
  readonly duplicate?: boolean;
  readonly error?: { readonly code: number; readonly err_code: number; readonly description: string };
}

function parsed(answer: Msg): Said {
  try {
    return answer.json<Said>();
  } catch (error) {
    throw new Failure('connector_failed', 'what answered is not a stream', { cause: error, retriable: false });
  }
}

/** Whether no one was there to answer. */
function isUnheard(error: unknown): boolean {
  return isNamed(error, /^NoResponders/);
}

/** Whether the server refused it, or there was no connection. */
function isRefused(error: unknown): boolean {
  return isNamed(error, /^(PermissionViolation|InvalidSubject|InvalidArgument)Error$/);
}

/** The library wraps what a request failed with. */
function isNamed(error: unknown, name: RegExp): boolean {
  return [error, (error as { readonly cause?: unknown }).cause].some((one) => name.test((one as Error)?.name));
}
