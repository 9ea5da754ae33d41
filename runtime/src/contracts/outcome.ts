/** What happens to a delivery that a gate did not want (supplement 3.5). */
export type DropPolicy = 'ack' | 'reject' | 'requeue';

export type DropReason = 'filter' | 'accept' | 'dedupe_match' | 'sequence_older' | 'coordinate_timeout';

/** Resolves whether a drop is what its event comes to, once every other flow of the event has ended or asked as well. */
export type DropCounts = (drop: Drop) => Promise<boolean>;
/** The block that turns messages away for each reason. */
const blocks: Readonly<Record<DropReason, string>> = {
  filter: 'filter',
  accept: 'accept',
  dedupe_match: 'dedupe',
  sequence_older: 'sequence_guard',
  coordinate_timeout: 'coordinate',
};

/** The block that decided, as it is written. */
export function decidedBy({ reason }: Drop): string {
  return blocks[reason];
}

/** How the handling of one message ended, when it did not fail. */
export type Outcome = Reply | Drop;

/** The flow answered. */
export interface Reply {
  readonly kind: 'reply';
  /** The answer; null answers have no body. */
  readonly value: unknown;
  /** From `http_status_code`, already checked to lie in 100 to 599. */
  readonly status?: number | undefined;
  /** Headers of the answer (document 1: `error_response`, aspects). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A gate turned the message away. It is no failure: see supplement 3.5 for what each source does with it. */
export interface Drop {
  readonly kind: 'drop';
  readonly reason: DropReason;
  readonly policy: DropPolicy;
  /** The expression that decided, as written. */
  readonly expression: string;
  /**
   * What decided, by name: the values that the expression read (`input.kind`), or what was compared; undefined stands for
   * what the message does not have. Computed when somebody asks, with credentials: see `dropFields` for what is shown.
   */
  readonly values?: (() => Readonly<Record<string, unknown>>) | undefined;
  /** `filter.id_field`, to count requeues; empty when there is none. */
  readonly messageId: string;
  /** `filter.max_requeue`: requeues after which the message is settled. */
  readonly maxRequeue?: number | undefined;
}
