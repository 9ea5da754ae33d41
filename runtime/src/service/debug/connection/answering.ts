import type { Channel } from '@svc/protocol/wire';

/** What answers debug connections. */
export interface Answering {
  /** Connections that are open. */
  readonly connections: number;
  /** Answers a connection until it is over; whatever it held is released then. */
  connect(channel: Channel): void;
  /** Ends every connection. */
  close(): void;
}
