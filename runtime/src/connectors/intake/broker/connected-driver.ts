import type { QueueCounts } from '../../../foundation/contracts/queue.ts';
import type { Connection } from '../../../platform/net/connection.ts';
import type { ServerAddress } from '../../../platform/net/server-url.ts';
import type { readAccess, TlsMaterial } from '../../../platform/net/tls.ts';
import type { Driver } from '../driver.ts';
import type { BrokerMessage } from './broker-delivery.ts';
import type { WrittenConsumer } from './dead-letters.ts';
import type { Topology } from './topology.ts';

/** Takes a message of a source; without one, of what the connection subscribes to as a whole. */
export type Deliver = (message: BrokerMessage, source?: string) => void;

/** What a connection is made with. */
export interface ConnectOptions {
  /** Undefined: no TLS is spoken. */
  readonly tls: TlsMaterial | undefined;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** Called with the reason when the connection is gone; further calls have no effect. */
  readonly lost: (reason: string) => void;
  /**
   * For protocols whose messages belong to the connection, not to a subscription: takes every message that comes over it.
   * One that comes while nothing is subscribed waits, or goes back.
   */
  readonly deliver: Deliver;
}

/** What a broker says of one source. */
export interface SourceStatus {
  /** Messages that wait there. */
  readonly waiting?: number;
  /** Consumers that it delivers to. */
  readonly consumers?: number;
}

/**
 * A driver whose deliveries come over a connection that this side makes: to a broker, a log, a database. It keeps no
 * connection and no subscription: it is given the connection that works, and what came over the one before cannot be
 * settled any more. A source is what the protocol delivers from: a queue, a topic, a channel, a slot.
 */
export interface ConnectedDriver<C extends Connection>
  extends Pick<Driver, 'type' | 'patterns' | 'isSelective' | 'countsBySubscription'> {
  readonly server: Pick<ServerAddress, 'text' | 'isSecure' | 'ignored'>;
  /** The `tls` block of the connector. */
  readonly tls: Parameters<typeof readAccess>[1];
  /** Window, worker pool and dead letters, as the configuration says them. */
  readonly consumer: WrittenConsumer & { readonly prefetch: number; readonly workers: number };
  /** The peer sends each message once and keeps none: one whose flow failed is over. */
  readonly isAtMostOnce?: boolean | undefined;
  /** The peer knows what is done, not what is held: that waits, for `inspect`. */
  readonly countsHeld?: boolean | undefined;
  /** Bytes that the body of a message may have when it is unpacked. Absent: the protocol has no packed bodies. */
  readonly mostBytes?: number | undefined;
  /** What a source is called, for people: `queue`. */
  readonly sourceKind: string;
  /** The sources that the configuration names. Undefined: those that the operations of flows mean. */
  readonly sources: readonly string[] | undefined;
  /** The key of a message is the name of the source that it comes from. */
  readonly keysAreSources?: boolean | undefined;
  /** The sources that operations mean, where these are patterns. Absent: each operation is the name of a source. */
  sourcesOf?(operations: readonly (string | undefined)[]): readonly string[];
  /** The operations of the flows in use from now on; undefined: one without. Absent: they do not matter to the driver. */
  follow?(operations: readonly (string | undefined)[]): void;
  /** How sources are checked and declared at the broker. Absent: they need not exist. */
  readonly topology?: Topology<C>;
  /** Called before the first connection. */
  prepare?(): void;
  /** Makes one connection, within a time of its own. */
  connect(options: ConnectOptions): Promise<C>;
  /**
   * Begins deliveries of these sources, at most `window` unsettled at a time. Resolves with what ends them. Without that
   * the peer is not notified of a pause, since it would lose what comes meanwhile; the next call changes what is subscribed.
   */
  subscribe(
    connection: C,
    sources: readonly string[],
    window: number,
    deliver: Deliver,
  ): Promise<(() => Promise<unknown>) | void>;
  /** Takes one message of a source while nothing is subscribed. Absent: messages are only pushed. */
  take?(connection: C, source: string): Promise<BrokerMessage | undefined>;
  /** Asks the broker over the connection whether it answers. Rejects with what is wrong; a silent one lets it wait. */
  ping?(connection: C): Promise<void>;
  /** Why the connection works with less than it should, as far as `ping` has found out; undefined when all is well. */
  concern?(connection: C): string | undefined;
  /** Asks it for a source, as `ping` does. Rejects when it does not exist any more. */
  inspect?(connection: C, source: string): Promise<SourceStatus>;
  /** Asks it for all that it says of a source, for people. Absent: it says nothing of that. */
  figures?(connection: C, source: string): Promise<QueueCounts>;
}
