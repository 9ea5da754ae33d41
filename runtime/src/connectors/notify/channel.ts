import type { Message, MessageFields } from './message.ts';

/** What ends the sending of one message before it is done. */
export interface Limits {
  /** Milliseconds for everything that one message takes. */
  readonly timeout: number;
  /** Flow and stage, for a message that is captured. */
  readonly place?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What became of a message that was sent, beside `success` and `provider`; what is undefined is left out. */
export interface Sent {
  readonly message_id?: string | undefined;
  readonly [name: string]: unknown;
}

/** How a message becomes requests of its provider, and what their answers mean. */
export interface Channel<F extends MessageFields = MessageFields> {
  /** The fields of its messages. */
  readonly fields: F;
  /** The word of results. */
  readonly provider: string;
  /**
   * Finds what requests need, such as credentials. Rejects with a Failure that says what is missing. It is not called where
   * messages are captured: that needs no account.
   */
  open?(signal: AbortSignal): Promise<void>;
  /**
   * Asks the provider something that changes nothing and that it answers to those who may send. Rejects with a Failure that
   * says what it answered. Absent: it has no such request; any answer of its address means that it is available.
   */
  check?(limits: Limits): Promise<unknown>;
  /**
   * Sends one message; `given` is the whole of it, with what its fields do not have. Rejects with a Failure: `value_refused`
   * before anything was sent, else that of `client.post`.
   */
  send(message: Message<F>, limits: Limits, given: Readonly<Record<string, unknown>>): Promise<Sent>;
  /** Sends what waits. When `cut` fires, what still waits is dropped. Absent: nothing waits. */
  close?(cut?: AbortSignal): Promise<void>;
}
