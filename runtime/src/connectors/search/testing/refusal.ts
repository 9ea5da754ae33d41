type Reason = Readonly<{ type: string; reason: string; caused_by?: Reason }>;

/** An answer of the server that refuses: status and body. */
export class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  override readonly cause: Reason | undefined;

  constructor(status: number, type: string, reason: string, cause?: Reason) {
    super(reason);
    this.status = status;
    this.type = type;
    this.cause = cause;
  }

  /** What an item of a `_bulk` says. */
  get reason(): Reason {
    return { type: this.type, reason: this.message, ...(this.cause && { caused_by: this.cause }) };
  }

  get error(): object {
    return { root_cause: [{ type: this.type, reason: this.message }], ...this.reason };
  }
}

/** What the shards of an index refuse, once the request itself was read. */
export class ShardRefusal extends Refusal {
  override get error(): object {
    return {
      root_cause: [{ type: this.type, reason: this.message }],
      type: 'search_phase_execution_exception',
      reason: 'all shards failed',
      phase: 'query',
      grouped: true,
      failed_shards: [{ shard: 0, index: 'an index', node: 'a node', reason: this.reason }],
      caused_by: this.reason,
    };
  }
}

export function parsing(reason: string): Refusal {
  return new Refusal(400, 'parsing_exception', reason);
}
