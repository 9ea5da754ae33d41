import type { Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import type { QueueCounts } from '../../foundation/contracts/queue.ts';
import type { Binding } from '../../foundation/contracts/source.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import type { Codec } from '../../platform/formats/registry.ts';
import type { PatternGrammar } from './dispatch/routes.ts';

/**
 * What a protocol does for the intake: it begins and ends deliveries, and settles each. Prefetch, worker pool, order,
 * dispatch, tries, pauses, gates and draining are the intake's (docs/architecture.md#event-sources).
 */
export interface Driver {
  /** The canonical name of its spec. */
  readonly type: string;
  /** Where messages come from, for people: a queue, or topics joined by commas. */
  readonly name: string;
  /** Most messages that are delivered and not settled. */
  readonly window: number;
  /**
   * Whether the peer holds the window for each subscription by itself: what was delivered before one began does not count,
   * so that the intake asks for as much less. Absent: `subscribe` counts it.
   */
  readonly countsBySubscription?: boolean | undefined;
  /** Messages handled at the same time. Those of one `order` are handled one after another whatever this says. */
  readonly workers: number;
  /** How operations of flows are read as patterns over the keys of deliveries. */
  readonly patterns: PatternGrammar;
  /** Flows choose what they want to be notified of: what none of them takes is not a loss. Absent: every message needs a flow. */
  readonly isSelective?: boolean | undefined;
  /** What is subscribed to is what flows name: nothing comes that no flow takes. `alone`: it may also have no flow at all. */
  readonly follows?: 'flows' | 'alone' | undefined;
  /** Every key that a message can have. Absent: any. */
  readonly keys?: readonly string[] | undefined;
  /** Absent: no message is delivered again, and one whose flow failed is over. */
  readonly retries?: RetryPolicy | undefined;
  /**
   * The flows in use from now on: a protocol that subscribes to what flows name follows them. Absent: the subscription
   * does not depend on flows. Whether another subscription is needed for them.
   */
  follow?(bindings: readonly Binding[]): boolean;
  /**
   * Begins deliveries, at most `window` unsettled at a time. Called only while the peer is connected (`Inlet.connected`)
   * and no subscription is active.
   */
  subscribe(window: number, deliver: (delivery: Delivery) => void): Promise<void>;
  /**
   * Ends deliveries for now. What was delivered stays unsettled. A peer that would lose what comes meanwhile is not notified:
   * what it sends goes to `Inlet.receive`.
   */
  unsubscribe(): Promise<void>;
  /** Takes one message while nothing is subscribed; undefined when the source is empty. Absent: messages are only pushed. */
  take?(): Promise<Delivery | undefined>;
  /** Messages that wait at the peer; undefined when that is unknown now. */
  waiting?(): Promise<number | undefined>;
  /** What the peer says of each source; undefined when that is unknown now. Absent: it says nothing of that. */
  figures?(): Promise<ReadonlyMap<string, QueueCounts> | undefined>;
  /** What is held counts as waiting there. */
  readonly countsHeld?: boolean | undefined;
}

/** What becomes of a message whose flow failed in a way that another try may not. */
export interface RetryPolicy {
  /**
   * Tries after the first one; then the message is rejected, which sends it down the dead-letter path. Undefined: it is
   * never given up, and goes behind the others after every few tries.
   */
  readonly most: number | undefined;
  /** Whether rejecting a message keeps it: there is a dead-letter path. */
  readonly keepsRejected: boolean;
  /**
   * `peer`: `Delivery.postpone` gives the message back at once, and the peer waits. `slot`: the message keeps its place in
   * the window through its pause, at most half of the window at a time; one more goes behind the others at once, and
   * when as many fail in a row as the window holds, deliveries pause. A protocol that cannot take a message back has it
   * handled again from its slot.
   */
  readonly pause: 'peer' | 'slot';
}

/** What a message consists of; the intake adds how long it may wait, and for what. */
export type MessageContent = Pick<Message, 'input' | 'auth' | 'addressed' | 'queried' | 'traceparent' | 'tracestate'>;

/** One message that the peer delivered. */
export interface Delivery {
  /** What operations of flows are matched against: a routing key, a topic. */
  readonly key: string;
  /** The pattern that was subscribed to and that it came by, where the protocol says that. */
  readonly cameBy?: string | undefined;
  /** Messages of one order are handled one after another; undefined: in any order. */
  readonly order?: string | undefined;
  /** What the sender calls the message; undefined when it says nothing. */
  readonly id: string | undefined;
  /** The same for each delivery of one message: its id, else a digest of what it consists of. */
  identity(): string;
  /** Failed tries that the message itself counts. */
  readonly tries: number;
  /**
   * What a flow gets, another object for each call; `codec` is that of `from.format`. Throws or rejects with a Failure for a body
   * that cannot be decoded.
   */
  message(codec: Codec | undefined): MessageContent | Promise<MessageContent>;
  /**
   * Notifies the peer of what became of it, once; resolves when the peer has been notified. `requeue` gives it back for another
   * delivery. Rejects when that did not reach the peer: it delivers the message again.
   */
  settle(settlement: Settlement): Promise<void> | void;
  /**
   * Milliseconds that the sender waits for its answer. Then it is answered with `request_timeout`, and the flows end.
   * Absent: what is under way may take as long as it does.
   */
  readonly timeout?: number | undefined;
  /**
   * Gives a sender that waits for it the result of the flows, before the message is settled. Answers the id under which a
   * failure is to be logged, where the sender got one. Never throws.
   */
  answer?(end: Outcome | Failure): string | undefined | void;
  /**
   * Keeps it as a dead letter, with this reason; it is not settled by that. Rejects with why the peer did not keep it.
   * Absent: `reject` is all that can be said of one that is given up.
   */
  readonly bury?: ((reason: string) => Promise<void>) | undefined;
  /** Gives it back to be delivered again behind the others, after a pause where the peer can wait; counts the try. */
  readonly postpone?: ((retry: Retry) => Promise<void>) | undefined;
  /** Whether `settle` knows `requeue`. Otherwise another try is made from the slot of the message. */
  readonly returnable: boolean;
  /** A gate that turns it away for now has it handled again from its slot too, so that nothing of its order passes it. */
  readonly keepsPlace?: boolean | undefined;
  /**
   * The peer sends it once and waits for nothing, so that no window holds it back: where as many wait as the window holds,
   * it is dropped.
   */
  readonly atMostOnce?: boolean | undefined;
}

/** What becomes of a message at the peer. */
export type Settlement =
  /** `isGivenUp`: it was not handled, and there is nowhere to keep it. */
  | { readonly kind: 'ack'; readonly isGivenUp?: true }
  /** Given up; where the peer has a dead-letter path it goes there. */
  | { readonly kind: 'reject'; readonly reason: string }
  /** `byPolicy`: a gate of its flow asked for it; otherwise it was not handled, and nothing is counted. */
  | { readonly kind: 'requeue'; readonly byPolicy?: true };

export interface Retry {
  /** Failed tries so far. */
  readonly tries: number;
  /** Why the last one failed, cut to one line. */
  readonly reason: string;
  /** Milliseconds that it should still pause. */
  readonly after: number;
}

/** How a driver notifies the intake of its connection. */
export interface Inlet {
  /** The peer is connected: deliveries begin if they are wanted. Rejects when they cannot begin. */
  connected(): Promise<void>;
  /** A message that came while nothing was subscribed to: it goes back, or waits for the next subscription. */
  receive(delivery: Delivery): void;
  /** The connection is gone; nothing delivered over it can be settled any more. */
  disconnected(): void;
}
