import type { OutboxMessage } from '@svc/protocol/wire';

/** What a notification comes as. */
export type Medium = OutboxMessage['medium'];

/** What the receiver of a notification sees of it. */
export type Shown = OutboxMessage['shown'];

/** A request that would be sent. Its headers have no credentials any more. */
export type CapturedRequest = NonNullable<OutboxMessage['request']>;

/** One message that a channel would send. */
export interface CapturedMessage {
  /** The provider, as results have it. */
  readonly provider: string;
  readonly medium: Medium;
  /** Flow and stage; absent where one message is for several flows. */
  readonly place?: string | undefined;
  readonly shown: Shown;
  /** Absent where the channel has another protocol. */
  readonly request?: CapturedRequest | undefined;
  /** A mail as it goes over the wire (RFC 5322). */
  readonly mail?: Uint8Array | undefined;
}

/** Keeps notifications instead of their being sent, while a service is developed. */
export interface Capture {
  /** Resolves with the name of the message when it is kept. Rejects with a Failure: it counts as not sent. */
  keep(message: CapturedMessage): Promise<string>;
  /** Why messages cannot be kept, as the last one has shown; undefined when they can. */
  readonly problem?: string | undefined;
  /** The same for the messages of one connector. */
  of(connector: string): Capture;
}
