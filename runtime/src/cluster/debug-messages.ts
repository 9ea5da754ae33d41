/** What primary and worker say about one debug connection, which the number `debug` names. */
export type DebugMessage =
  /** The primary: a client came. */
  | { readonly debug: number; readonly open: true }
  /** Either: a text of the protocol. */
  | { readonly debug: number; readonly text: string }
  /** The primary: the oldest text of the worker that was not yet told of has left for the client. */
  | { readonly debug: number; readonly sent: true }
  /** Either: the connection is over; `close` is one of RFC 6455, section 7.4. */
  | { readonly debug: number; readonly close: number; readonly reason: string };

export type SendDebug = (message: DebugMessage) => void;
