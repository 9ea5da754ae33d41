import type { ContentOwner } from './content.ts';
import type { StatementRunner, Transactions } from './sql.ts';

/** `read`, `create`, `update` and `delete` work on rows; `call` is a free-form request. */
export type Verb = 'read' | 'create' | 'update' | 'delete' | 'call';

/** Where a parameter of a request goes. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'body';

/** One place of the configuration that uses a target, told once at start. */
export interface CallDescription {
  readonly verb: Verb;
  /** As written, after named operations were resolved (`INSERT`, `POST /orders`). */
  readonly operation: string | undefined;
  /** Table, path, queue; undefined when it comes with each request. */
  readonly target: string | undefined;
  readonly query: string | undefined;
  readonly format: string | undefined;
  /** Wraps the payload under one key. */
  readonly envelope: string | undefined;
  /** Where the declared parameters of a named operation go (`param.in`), those that say it. */
  readonly places?: ReadonlyMap<string, ParameterPlace> | undefined;
  /** Names of the headers that requests bring. */
  readonly headers?: readonly string[] | undefined;
  /** Milliseconds for one execution; undefined leaves it to the connector. */
  readonly timeout: number | undefined;
  /** Parameters that the named operation declares. */
  readonly parameters?: readonly string[] | undefined;
  /**
   * Expressions will read the answer: integers must come as bigint, so that they are `int` there. Otherwise numbers,
   * except where one would lose digits.
   */
  readonly exact: boolean;
  /** What was written a moment ago must be seen: the answer never comes from a replica. */
  readonly fresh?: boolean | undefined;
  /** The configuration names a field `_binary` of the payload: its bytes are what is sent. */
  readonly binary?: boolean | undefined;
  /** Where it stands, for messages: flow and block (`step "user"`). */
  readonly flow: string;
  readonly label: string;
}

/** What one message asks of a prepared call. */
export interface CallRequest {
  /** Given when the description has none. */
  readonly target?: string | undefined;
  /** Column or field to the value it must equal; null means IS NULL, a list means IN. */
  readonly filters?: Readonly<Record<string, unknown>> | undefined;
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  /** Named parameters of a query, or the parameters of a call; an array binds positional `?` parameters. */
  readonly params?: Readonly<Record<string, unknown>> | readonly unknown[] | undefined;
  /** Values that may fill the path, and are not sent where it does not name them. */
  readonly address?: Readonly<Record<string, unknown>> | undefined;
  /** Headers that win over the connector's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the signal has fired, for those who only look: asking makes none. */
  readonly cancelled?: boolean | undefined;
  /** The message, for a connector that chooses between profiles by it. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** Takes over what the contents of the answer are kept in, and closes it when the message has ended. */
  readonly contents?: ContentOwner | undefined;
  /** W3C trace context to send along. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** The transaction of the same connector that the call belongs to. */
  readonly within?: StatementRunner | undefined;
}

/** The answer of a target. A write without rows has `affected`; a call has `value`. */
export interface CallResult {
  readonly rows?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly affected?: number | undefined;
  /** Generated key of an insert, when the driver tells it. */
  readonly id?: unknown;
  /** Decoded answer of a call, as it is. */
  readonly value?: unknown;
  /** Nothing was sent: this stands in for the answer of a dry run, and is held to no type. */
  readonly simulated?: true | undefined;
}

/** Executes one prepared call. Answers without a promise when the driver is synchronous. Throws or rejects with a Failure. */
export type Execute = (request: CallRequest) => CallResult | Promise<CallResult>;

/** Where messages go, and what is asked. */
export interface Target {
  /** Decides once what needs no message: statement text, method, columns, encoders. */
  prepare(call: CallDescription): Execute;
  readonly transactions?: Transactions;
}
