import type { Failure } from '../../foundation/errors/failure.ts';
import type { FailureCode } from '../../foundation/errors/failures.ts';

/** Status codes of gRPC by name (google/rpc/code.proto). */
export const statusCodes = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

type StatusName = keyof typeof statusCodes;

const names = Object.keys(statusCodes) as readonly StatusName[];

export function statusName(code: number): string {
  return names[code] ?? `status ${code}`;
}

/** Failures whose HTTP status does not say which status of gRPC they are. */
const byFailure: Readonly<Partial<Record<FailureCode, StatusName>>> = {
  body_too_large: 'RESOURCE_EXHAUSTED',
  cancelled: 'UNAVAILABLE',
  idempotency_conflict: 'ABORTED',
  idempotency_mismatch: 'FAILED_PRECONDITION',
  precondition_failed: 'FAILED_PRECONDITION',
  transition_refused: 'FAILED_PRECONDITION',
  range_unsatisfiable: 'OUT_OF_RANGE',
  request_timeout: 'DEADLINE_EXCEEDED',
  wait_timeout: 'DEADLINE_EXCEEDED',
  method_not_allowed: 'UNIMPLEMENTED',
  workflow_conflict: 'FAILED_PRECONDITION',
};

const byHttpStatus: Readonly<Record<number, StatusName>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  412: 'FAILED_PRECONDITION',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** The status of gRPC that a caller gets for a failure of a flow. */
export function statusOfFailure({ code, status, answered }: Failure): number {
  if (answered?.grpcStatus !== undefined) return answered.grpcStatus;
  const name = (answered === undefined ? byFailure[code] : undefined) ?? statusNameOfHttp(status);
  return statusCodes[name];
}

function statusNameOfHttp(status: number): StatusName {
  return byHttpStatus[status] ?? (status < 500 ? 'FAILED_PRECONDITION' : 'UNKNOWN');
}

/** HTTP statuses that mean the same, by the code of gRPC. */
const httpStatus: Readonly<Record<number, number>> = {
  [statusCodes.OK]: 200,
  [statusCodes.CANCELLED]: 499,
  [statusCodes.INVALID_ARGUMENT]: 400,
  [statusCodes.DEADLINE_EXCEEDED]: 504,
  [statusCodes.NOT_FOUND]: 404,
  [statusCodes.ALREADY_EXISTS]: 409,
  [statusCodes.PERMISSION_DENIED]: 403,
  [statusCodes.RESOURCE_EXHAUSTED]: 429,
  [statusCodes.FAILED_PRECONDITION]: 412,
  [statusCodes.ABORTED]: 409,
  [statusCodes.OUT_OF_RANGE]: 416,
  [statusCodes.UNIMPLEMENTED]: 501,
  [statusCodes.UNAVAILABLE]: 503,
  [statusCodes.UNAUTHENTICATED]: 401,
};

/** The HTTP status for a status of gRPC. */
export function httpStatusOf(code: number): number {
  return httpStatus[code] ?? 500;
}
