import type { ServiceError } from '@grpc/grpc-js';
import { Failure } from '../../../foundation/errors/failure.ts';
import { httpStatusOf, statusCodes, statusName } from '../status.ts';

/** Statuses of a server that trying again may change, beside those whose HTTP status says it. */
const mayPass: ReadonlySet<number> = new Set([statusCodes.ABORTED, statusCodes.RESOURCE_EXHAUSTED]);
/** What the library says of a call that never left. */
const neverSent = /^(No connection established|Name resolution failed|Connection dropped before)/;
/** What it says of one whose connection was lost. */
const lost = /ECONNRESET|EPIPE|Connection dropped|RST_STREAM|Connection closed|Call errored|GOAWAY/i;
/** Characters of the text of a status that are kept. */
const longestText = 4096;

/** Whether a call that ended so reached no server. */
export function isUnsent({ code, details }: ServiceError): boolean {
  return code === statusCodes.UNAVAILABLE && neverSent.test(details);
}

/** The status of a call as a failure; `writes` says that the method may have changed something. */
export function failureOf(error: ServiceError, connector: string, writes: boolean): Failure {
  const { code } = error;
  const details = error.details.slice(0, longestText);
  const at = { connector };
  if (isUnsent(error))
    return new Failure('connector_refused', `no server can be reached: ${details}`, { cause: error, at });
  const isLost = code === statusCodes.UNAVAILABLE && lost.test(details);
  if (isLost && writes)
    return new Failure('outcome_unknown', `the connection was lost: whether the call was carried out is not known`, {
      cause: error,
      at,
    });
  if (isLost) return new Failure('connector_refused', `the connection was lost: ${details}`, { cause: error, at });
  if (code === statusCodes.DEADLINE_EXCEEDED)
    return new Failure('connector_timeout', `no answer came in time: ${details}`, { cause: error, at });
  const status = httpStatusOf(code);
  return new Failure('upstream_error', `the server answered ${statusName(code)}: ${details}`, {
    cause: error,
    at,
    upstream: { status, body: details },
    retriable: mayPass.has(code) || (status >= 500 && code !== statusCodes.UNIMPLEMENTED),
  });
}
