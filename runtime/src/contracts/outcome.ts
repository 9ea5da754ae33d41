/** How a delivery that a gate dropped is settled (docs/specification/flow.md#dropped-messages). */
export type DropPolicy = 'ack' | 'reject' | 'requeue';

/** Resolves whether a drop is the outcome of its event, once every other flow of the event has ended or called this as well. */
export type DropCounts = (drop: Drop) => Promise<boolean>;

/** The block that decided, as it is written. */
export function decidedBy({ block, reason }: Drop): string {
  return block ?? reason;
}

/** How the handling of one message ended, when it did not fail. */
export type Outcome = Reply | Drop;

/** The flow answered. */
export interface Reply {
  readonly kind: 'reply';
  /** The answer; null answers have no body. */
  readonly value: unknown;
  /** From `http_status_code`, already checked to be in 100 to 599. */
  readonly status?: number | undefined;
  /** From `grpc_status_code`, already checked to be in 0 to 16. */
  readonly grpcStatus?: number | undefined;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
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
