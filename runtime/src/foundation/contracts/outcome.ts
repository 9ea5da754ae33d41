/** How a delivery that a gate dropped is settled (docs/specification/flow.md#dropped-messages). */
export type DropPolicy = 'ack' | 'reject' | 'requeue';

/** Resolves whether a drop is the outcome of its event, once every other flow of the event has ended or called this as well. */
export type DropCounts = (drop: Drop) => Promise<boolean>;

/** The block that decided, as it is written. */
export function decidedBy({ block, reason }: Drop): string {
  return block ?? reason;
}

/** How the handling of one message ended, when nothing was thrown. */
export type Outcome = Answered | Drop;

/** What a flow answered: that it went well, or that it failed. */
export type Answered = Reply | Failed;

/** What is written for a caller, whatever it means. */
export interface Answer {
  /** The answer; null answers have no body. */
  readonly value: unknown;
  /** From `http_status_code`, already checked to be in 100 to 599. */
  readonly status?: number | undefined;
  /** From `grpc_status_code`, already checked to be in 0 to 16. */
  readonly grpcStatus?: number | undefined;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The flow answered. */
export interface Reply extends Answer {
  readonly kind: 'reply';
}

/**
 * The flow answered that it failed: a compensated saga, an `error_response`, an `http_status_code` of 400 and above. It is a
 * failure in every protocol, sent as written in production too (`failureOf`).
 */
export interface Failed extends Answer {
  readonly kind: 'failed';
  /** The status of HTTP, which may be below 400 in an `error_response`. */
  readonly status: number;
  /** For programs, where the answer does not say one itself. */
  readonly code?: string | undefined;
}

/** What an answer means: the one place that decides which answers are failures. */
export function answered({ value, status, grpcStatus, headers }: Answer): Answered {
  if (status !== undefined && status >= 400) return { kind: 'failed', value, status, grpcStatus, headers };
  return grpcStatus === undefined
    ? { kind: 'reply', value, status, headers }
    : { kind: 'reply', value, status, grpcStatus, headers };
}

/** A gate turned the message away, which is not a failure. Each source settles it in its own way. */
export interface Drop {
  readonly kind: 'drop';
  /** Short and for programs: `filter`, `sequence_older`. */
  readonly reason: string;
  /** The block that decided, where the reason is not its word. */
  readonly block?: string | undefined;
  readonly policy: DropPolicy;
  /** The expression that decided, as written. */
  readonly expression: string;
  /**
   * What decided, by name: the values that the expression read (`input.kind`), or what was compared; undefined means
   * what the message does not have. Computed when it is asked for, with credentials: see `dropFields` for what is shown.
   */
  readonly values?: (() => Readonly<Record<string, unknown>>) | undefined;
  /** `filter.id_field`, to count requeues; empty without one. */
  readonly messageId: string;
  /** `filter.max_requeue`: requeues after which the message is settled. */
  readonly maxRequeue?: number | undefined;
}
