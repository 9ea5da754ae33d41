/** Messages between primary and worker about one debug connection, which the number `debug` names. */
export type DebugMessage =
  /** From the primary: a client connected. */
  | { readonly debug: number; readonly open: true }
  /** From either: a text of the protocol. */
  | { readonly debug: number; readonly text: string }
  /** From the primary: the oldest text of the worker that was not yet acknowledged has left for the client. */
  | { readonly debug: number; readonly sent: true }
  /** From either: the connection is over; `close` is one of RFC 6455, section 7.4. */
  | { readonly debug: number; readonly close: number; readonly reason: string };

export type SendDebug = (message: DebugMessage) => void;
