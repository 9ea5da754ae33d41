import type { PatternGrammar } from './patterns.ts';

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
  /** How the content is packed, where the broker has a place for that beside headers. */
  readonly encoding?: unknown;
  /** As a flow gets it: again, where it is a dead letter; with this content instead of its own. */
  again(content?: Buffer): Again;
}

/** What a broker says of its messages; what it does not say is absent. */
export interface QueueCounts {
  /** Messages that wait to be taken; of a log those behind what its group has committed (the lag). */
  readonly ready?: number;
  /** Messages that were given to a consumer and are not settled. */
  readonly unacknowledged?: number;
  /** Consumers that are given messages; of a log the members of the group. */
  readonly consumers?: number;
  /** Messages that ever came, and deliveries that were ever settled: two looks make a rate. */
  readonly arrived?: number;
  readonly done?: number;
  /** Of a log. */
  readonly partitions?: readonly PartitionCounts[];
}

export interface PartitionCounts {
  readonly partition: number;
  /** The offset behind the last message. */
  readonly end: number;
  /** The offset that the group has committed, or begins at. */
  readonly committed: number;
  readonly lag: number;
}

/** What a broker says of one queue, topic or stream. */
export interface QueueFigures extends QueueCounts {
  readonly source: string;
  readonly side: QueueSide;
  /** The broker has no such place. */
  readonly isMissing?: true;
}

/** A message on its way to a flow. */
export interface Again {
  /** What operations of flows are matched against. */
  readonly key: string;
  /** The queue or topic that it is taken from, by which flows may name it too. */
  readonly from: string;
  /** The variables of a flow, with the format that its `from` names. Rejects where the content is refused. */
  input(format: string | undefined): Promise<Record<string, unknown>>;
}

/** A dead letter that was sent back, and the place that it was sent to. */
export interface ReplayedMessage extends QueuedMessage {
  readonly to: string;
}

/** What is changed of dead letters that are sent. */
export interface Change {
  /** In place of their own. */
  readonly content?: Buffer | undefined;
  /** The queue, topic or subject that they are sent to; that which they came from where it is left out. */
  readonly to?: string | undefined;
}

/** Whether something is done with a message; one that is not chosen stays where it is. */
export type Choose = (message: QueuedMessage) => boolean | Promise<boolean>;

/** Whether messages are those that wait for flows, or those that were given up. */
export type QueueSide = 'waiting' | 'dead';

/** What people do at a broker without a running service; over a connection of its own, which declares nothing. */
export interface QueueDesk {
  /** How operations of flows are read. */
  readonly patterns: PatternGrammar;
  /** What the broker says of every place that messages are taken from, and of those of its dead letters. */
  figures(): Promise<readonly QueueFigures[]>;
  /** The next messages that are chosen, at most `limit`, each of which stays where it is. */
  peek(side: QueueSide, limit: number, choose: Choose): Promise<readonly QueuedMessage[]>;
  /**
   * Sends dead letters back to where they came from, the earliest first, at most `limit` and no more than there are when it
   * begins. Each says in its header `x-replay-count` how often that was done, and is removed, or passed over from then on,
   * after the broker has what was sent. Rejects with the reason of the first that cannot be sent: those before it are sent.
   */
  replay(limit: number, choose: Choose, sent: (message: ReplayedMessage) => void, change?: Change): Promise<void>;
  /** Removes dead letters for good, or passes them over from then on; otherwise as `replay`. */
  discard(limit: number, choose: Choose, gone: (message: QueuedMessage) => void): Promise<void>;
  close(): Promise<void>;
}

/** What messages of a connector are taken from, as far as flows say it. */
export interface DeskOptions {
  /** The operations of the flows that take messages of the connector. */
  readonly operations: readonly string[];
  readonly signal: AbortSignal;
}
