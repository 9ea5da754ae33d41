import type { Addressee } from './addressee.ts';

/** Something that is sent to connected clients. */
export interface Push {
  readonly to: Addressee;
  /** What is sent, as one line of JSON; empty where `bytes` are. */
  readonly text: string;
  /** Sent as they are, where the protocol can. */
  readonly bytes?: Buffer | undefined;
  /** The text of the expression that says which of the clients receive it. */
  readonly filter?: string | undefined;
  /** What filters read as `input`. */
  readonly value: () => unknown;
}

/** One that has its place among all that were sent. */
export interface Posted {
  readonly push: Push;
  /** Grows from one to the next; see `event-id.ts`. */
  readonly id: string;
}
