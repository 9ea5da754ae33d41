/** What a notification comes as. */
export type Medium = 'mail' | 'chat' | 'text' | 'push' | 'request';

/** What the receiver of a notification sees of it. */
export interface Shown {
  /** Addressees as the channel names them, such as a channel, a number, a device or an address. */
  readonly to: readonly string[];
  readonly from?: string | undefined;
  /** Such as the subject of a mail. */
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
}

/** A request that would be sent. Its headers have no credentials any more. */
export interface CapturedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

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
  /** The same for the messages of one connector. */
  of(connector: string): Capture;
}
