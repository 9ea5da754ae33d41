/** A message at a broker, as people look at it. */
export interface QueuedMessage {
  /** Queue, topic or stream. */
  readonly source: string;
  /** Where it is there, such as `0/17` (partition and offset) or a sequence; its number in order where a broker has neither. */
  readonly position: string;
  /** Routing key, key or subject; an empty text where there is no such thing. */
  readonly key: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content: Buffer;
}

/** A dead letter that was sent back, and the place that it was sent to. */
export interface ReplayedMessage extends QueuedMessage {
  readonly to: string;
}

/** Whether messages are those that wait for flows, or those that were given up. */
export type QueueSide = 'waiting' | 'dead';

/** What people do at a broker without a running service; over a connection of its own, which declares nothing. */
export interface QueueDesk {
  /** The next messages, at most `limit`, each of which stays where it is. */
  peek(side: QueueSide, limit: number): Promise<readonly QueuedMessage[]>;
  /**
   * Sends dead letters back to where they came from, the earliest first, at most `limit` and no more than there are when it
   * begins. Each is removed, or passed over from then on, after the broker has what was sent. Rejects with the reason of
   * the first that cannot be sent: those before it are sent.
   */
  replay(limit: number, sent: (message: ReplayedMessage) => void): Promise<void>;
  close(): Promise<void>;
}

/** What messages of a connector are taken from, as far as flows say it. */
export interface DeskOptions {
  /** The operations of the flows that take messages of the connector. */
  readonly operations: readonly string[];
  readonly signal: AbortSignal;
}
