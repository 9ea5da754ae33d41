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
  /** Trying again at once may help. */
  readonly retriable: boolean;
  /**
   * Whether the same message may be handled another time. `never`: the message itself is the reason. `later`: what its flow
   * depends on may change, which includes its configuration. A failure may know better (`FailureOptions.passes`).
   */
  readonly passes: Passing;
}

/** Whether a message whose flow failed may be handled another time. */
export type Passing = 'later' | 'never';

const callers = (type: FailureType, status: number): FailureKind => ({
  type,
  status,
  code: status,
  callers: true,
  retriable: false,
  passes: 'never',
});

/** Trying again may help, at once too. */
const passing = (type: FailureType, status: number, code = status): FailureKind => ({
  type,
  status,
  code,
  callers: false,
  retriable: true,
  passes: 'later',
});

/** Trying again does not help before something has changed. */
const lasting = (type: FailureType, code: number, passes: Passing): FailureKind => ({
  type,
  status: 500,
  code,
  callers: false,
  retriable: false,
  passes,
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
  idempotency_conflict: { ...passing('unknown', 409), callers: true },
  /** A request with the key of another one. */
  idempotency_mismatch: callers('validation', 422),
  rate_limited: { ...passing('unknown', 429), callers: true },
  overloaded: { ...passing('unknown', 503), callers: true },
  request_timeout: { ...passing('timeout', 503), callers: true },
  store_unavailable: passing('connection', 503),
  /** An identity provider does not answer, or what it publishes of itself could not be read yet. */
  provider_unavailable: passing('connection', 503),
  /** The circuit breaker of a connector is open, since its peer failed too often: nothing was sent. */
  peer_unavailable: passing('connection', 503),
  /** Another message about the same thing was handled for too long. */
  key_busy: passing('timeout', 503),
  /** A lock that another execution has, asked for without waiting. */
  lock_taken: passing('flow', 503),
  /** A lock, a permit or the signal of `coordinate` did not come in time. */
  wait_timeout: passing('timeout', 503, 504),
  /** It ended while the flow ran, so that another execution may have it. */
  lock_lost: passing('flow', 503),
  permit_lost: passing('flow', 503),
  output_invalid: lasting('validation', 500, 'later'),
  expression_failed: lasting('unknown', 0, 'later'),
  /** The caller sent no field that could be written. */
  nothing_to_write: callers('validation', 400),
  filter_missing: lasting('unknown', 0, 'never'),
  connector_failed: passing('unknown', 500, 0),
  connector_refused: passing('connection', 500, 503),
  connector_timeout: passing('timeout', 500, 504),
  /** Nothing was sent: every connection was in use, or a lock was held, for as long as the connector waits. */
  connector_busy: passing('timeout', 503),
  /** A scheduled run that took longer than it may. */
  run_timeout: lasting('timeout', 504, 'later'),
  /** A remote system answered with an error status; the failure carries it in `upstream`. */
  upstream_error: passing('http', 500, 0),
  /** A transaction whose commit was not answered: it may or may not have happened. */
  outcome_unknown: passing('connection', 500, 503),
  constraint_violated: lasting('unknown', 0, 'never'),
  cancelled: { ...lasting('unknown', 0, 'later'), status: 499, callers: true },
  /** A circuit breaker is open. */
  circuit_open: passing('unknown', 500, 0),
  /** A flow that was called by another one answered with an error status, or calls itself. */
  flow_failed: lasting('flow', 0, 'later'),
  internal: lasting('unknown', 0, 'later'),
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof failures;
