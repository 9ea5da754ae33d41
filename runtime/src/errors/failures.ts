import type { FailureType } from '@svc/protocol/wire';

/** What kind of thing failed, as `error.type` in expressions. */
export type { FailureType } from '@svc/protocol/wire';

/** What every failure of one code has in common. */
export interface FailureKind {
  readonly type: FailureType;
  /** HTTP status of the answer when nothing else decides it. */
  readonly status: number;
  /** `error.code` in aspects and `error_response`; 0 when it has no number. */
  readonly code: number;
  /** Caused by the caller's own request, so that its message may be shown in production. */
  readonly callers: boolean;
  /** Trying again may help. */
  readonly retriable: boolean;
}

const callers = (type: FailureType, status: number): FailureKind => ({
  type,
  status,
  code: status,
  callers: true,
  retriable: false,
});

/** Every failure of the runtime by its stable code. */
export const failures = {
  input_invalid: callers('validation', 400),
  parameters_invalid: callers('validation', 400),
  input_refused: callers('validation', 400),
  body_undecodable: callers('validation', 400),
  value_refused: callers('validation', 400),
  body_too_large: callers('validation', 413),
  media_type_unsupported: callers('validation', 415),
  /** None of the formats that the caller accepts can be written. */
  not_acceptable: callers('validation', 406),
  headers_too_large: callers('validation', 431),
  /** The caller wants an answer only if something is as it was, and it is not. */
  precondition_failed: callers('validation', 412),
  /** The caller asks for bytes behind the end of a content. */
  range_unsatisfiable: callers('validation', 416),
  authentication_required: callers('auth', 401),
  permission_denied: callers('auth', 403),
  /** The account may do little more than change its password. */
  password_expired: callers('auth', 403),
  /** The account may do little more than enrol a second factor. */
  mfa_enrolment_required: callers('auth', 403),
  /** A second factor must be proved again. */
  mfa_step_up_required: callers('auth', 403),
  not_found: callers('not_found', 404),
  /** A state machine does not let an entity move. */
  transition_refused: callers('flow', 409),
  method_not_allowed: callers('not_found', 405),
  /** A plain request for a path where connections change to another protocol. */
  upgrade_required: callers('validation', 426),
  /** A signal or cancellation that the workflow does not take in its present state. */
  workflow_conflict: callers('unknown', 409),
  /** A request with the key of one that is still being carried out. */
  idempotency_conflict: { type: 'unknown', status: 409, code: 409, callers: true, retriable: true },
  /** A request with the key of another one. */
  idempotency_mismatch: callers('validation', 422),
  rate_limited: { type: 'unknown', status: 429, code: 429, callers: true, retriable: true },
  overloaded: { type: 'unknown', status: 503, code: 503, callers: true, retriable: true },
  request_timeout: { type: 'timeout', status: 503, code: 503, callers: true, retriable: true },
  store_unavailable: { type: 'connection', status: 503, code: 503, callers: false, retriable: true },
  /** An identity provider does not answer, or what it publishes of itself could not be read yet. */
  provider_unavailable: { type: 'connection', status: 503, code: 503, callers: false, retriable: true },
  /** The circuit breaker of a connector is open, since its peer failed too often: nothing was sent. */
  peer_unavailable: { type: 'connection', status: 503, code: 503, callers: false, retriable: true },
  /** Another message about the same thing was handled for too long. */
  key_busy: { type: 'timeout', status: 503, code: 503, callers: false, retriable: true },
  /** A lock that another execution has, asked for without waiting. */
  lock_taken: { type: 'flow', status: 503, code: 503, callers: false, retriable: true },
  /** A lock, a permit or the signal of `coordinate` did not come in time. */
  wait_timeout: { type: 'timeout', status: 503, code: 504, callers: false, retriable: true },
  /** It ended while the flow ran, so that another execution may have it. */
  lock_lost: { type: 'flow', status: 503, code: 503, callers: false, retriable: true },
  permit_lost: { type: 'flow', status: 503, code: 503, callers: false, retriable: true },
  output_invalid: { type: 'validation', status: 500, code: 500, callers: false, retriable: false },
  expression_failed: { type: 'unknown', status: 500, code: 0, callers: false, retriable: false },
  /** The caller sent no field that could be written. */
  nothing_to_write: callers('validation', 400),
  filter_missing: { type: 'unknown', status: 500, code: 0, callers: false, retriable: false },
  connector_failed: { type: 'unknown', status: 500, code: 0, callers: false, retriable: true },
  connector_refused: { type: 'connection', status: 500, code: 503, callers: false, retriable: true },
  connector_timeout: { type: 'timeout', status: 500, code: 504, callers: false, retriable: true },
  /** Nothing was sent: every connection was in use, or a lock was held, for as long as the connector waits. */
  connector_busy: { type: 'timeout', status: 503, code: 503, callers: false, retriable: true },
  /** A scheduled run that took longer than it may. */
  run_timeout: { type: 'timeout', status: 500, code: 504, callers: false, retriable: false },
  /** A remote system answered with an error status; the failure carries it in `upstream`. */
  upstream_error: { type: 'http', status: 500, code: 0, callers: false, retriable: true },
  /** A transaction whose commit was not answered: it may or may not have happened. */
  outcome_unknown: { type: 'connection', status: 500, code: 503, callers: false, retriable: true },
  constraint_violated: { type: 'unknown', status: 500, code: 0, callers: false, retriable: false },
  cancelled: { type: 'unknown', status: 499, code: 0, callers: true, retriable: false },
  /** A circuit breaker is open. */
  circuit_open: { type: 'unknown', status: 500, code: 0, callers: false, retriable: true },
  /** A flow that was called by another one answered with an error status, or calls itself. */
  flow_failed: { type: 'flow', status: 500, code: 0, callers: false, retriable: false },
  internal: { type: 'unknown', status: 500, code: 0, callers: false, retriable: false },
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof failures;
