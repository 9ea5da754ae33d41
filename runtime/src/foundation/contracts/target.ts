import type { ArgumentSource } from '@svc/protocol/schema';
import type { CallResult } from './call-result.ts';
import type { ContentOwner } from './content.ts';
import type { StatementRunner, Transactions } from './sql.ts';
import type { AnyWords, DeferredExpression } from './words.ts';

/** `read`, `create`, `update` and `delete` work on rows; `call` is a free-form request. */
export type Verb = 'read' | 'create' | 'update' | 'delete' | 'call';

/** Where a parameter of a request goes. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'body';

/** One place of the configuration that uses a target, described once at start. */
export interface CallDescription<F extends AnyWords = AnyWords> {
  readonly verb: Verb;
  /** As written, after named operations were resolved (`INSERT`, `POST /orders`). */
  readonly operation: string | undefined;
  /** Table, path, queue; undefined when it comes with each request. */
  readonly target: string | undefined;
  readonly query: string | undefined;
  /** The query asks for one page of another. Requests say how many rows by `limit`, and how many are before by an offset. */
  readonly page?: PagedQuery | undefined;
  /** Names of the fields that the configuration gives what is sent; a request may have others, which its message names. */
  readonly fields?: readonly string[] | undefined;
  /**
   * What the configuration writes of the values that messages complete, by the word that holds it (`body`,
   * `query_filter`, words of the connector). Only what is written there may be read as anything but data.
   */
  readonly written?: Readonly<Record<string, ArgumentSource>> | undefined;
  /** What the connector's own words say of every message; absent where there is no place for words. */
  readonly words?: F | undefined;
  /** Expressions among the connector's own words that it evaluates itself, by word. */
  readonly deferred?: Readonly<Record<string, DeferredExpression>> | undefined;
  /** Where the declared parameters of a named operation go (`param.in`), those that say it. */
  readonly places?: ReadonlyMap<string, ParameterPlace> | undefined;
  /** The word by which the named operation is asked, for a connector whose profiles each declare it. */
  readonly name?: string | undefined;
  /** The block of the named operation, decoded by the connector's own spec; absent where the operation is not a named one. */
  readonly named?: AnyWords | undefined;
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
  /**
   * Nothing reads the bytes of a content of the answer, and one place at most reads it: for requests that say `passes` it may come
   * as its peer sends it.
   */
  readonly once?: boolean | undefined;
  /** Where it is written, for messages: flow and block (`step "user"`). */
  readonly flow: string;
  readonly label: string;
}

/** A query of which `CallDescription.query` asks for one page. */
export interface PagedQuery {
  /** Without what makes a page of it. */
  readonly query: string;
  /** Names of parameters: the rows of a page, and one that the query does not have. */
  readonly limit: string;
  readonly after: string;
}

/** What one message asks of a prepared call. */
export interface CallRequest<E extends AnyWords = AnyWords> {
  /** Given when the description has no target. */
  readonly target?: string | undefined;
  /** Column or field to the value it must equal; null means IS NULL, a list means IN. */
  readonly filters?: Readonly<Record<string, unknown>> | undefined;
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  /** What else names the row of an update or delete, in columns of its key (`connectors/row-address.ts`). */
  readonly naming?: Naming | undefined;
  /** The row that is made or changed is answered with all of its columns, where the target can tell it. */
  readonly record?: boolean | undefined;
  /** Named parameters of a query, or the parameters of a call; an array binds positional `?` parameters. */
  readonly params?: Readonly<Record<string, unknown>> | readonly unknown[] | undefined;
  /** The last row of the page before. A target that can find the next rows by it need not count those before. */
  readonly after?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Fields of each row that are read, in every spelling under which they are found; absent: all. A target may leave out
   * others, and need not have these.
   */
  readonly columns?: readonly string[] | undefined;
  /** Values that may fill the path, and are not sent where it does not name them. */
  readonly address?: Readonly<Record<string, unknown>> | undefined;
  /** Headers that win over the connector's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the connector's own words give for this message; absent where no word is an expression. */
  readonly words?: E | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the signal has fired, for code that only looks: reading it makes no signal. */
  readonly cancelled?: boolean | undefined;
  /** The message, for a connector that chooses between profiles by it. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** Takes over what the contents of the answer are kept in, and closes it when the message has ended. */
  readonly contents?: ContentOwner | undefined;
  /** The caller forwards a content of the answer while it comes; see `once` of the description. */
  readonly passes?: boolean | undefined;
  /** W3C trace context to send along. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** The transaction of the same connector that the call belongs to. */
  readonly within?: StatementRunner | undefined;
}

/** Fields that name a row where they are columns of its key. */
export interface Naming {
  /** What the flow says of the row: its parameters and its transform. */
  readonly made: Readonly<Record<string, unknown>>;
  /** What the message says of it. */
  readonly given: Readonly<Record<string, unknown>>;
  /** A caller calls the operation with `given`: what the flow says must not be another row. */
  readonly isCalled: boolean;
}

/** Executes one prepared call. Answers without a promise when the driver is synchronous. Throws or rejects with a Failure. */
export type Execute<E extends AnyWords = AnyWords> = (request: CallRequest<E>) => CallResult | Promise<CallResult>;

/**
 * Makes ready to write the rows of many messages in few exchanges, exactly as the call would write them one after another.
 * Undefined: only one after another gives the same, or says what is wrong with them. Rejects with a Failure.
 */
export type PrepareRows = (
  rows: readonly Readonly<Record<string, unknown>>[],
) => WriteRows | undefined | Promise<WriteRows | undefined>;

/** Writes them inside a transaction of the connector, which must be rolled back when it rejects. Answers how many it wrote. */
export type WriteRows = (within: StatementRunner) => Promise<number>;

/**
 * Writes the first of some rows (at least one is given) in one exchange, each by itself and exactly as the call would
 * write it alone. Answers what became of each of them in order: undefined for one that is written, else its Failure. It
 * answers fewer than it was given, and at least one, where no more fit into an exchange: nothing was done with the
 * others. Rejects with a Failure when that is about every row.
 */
export type WriteEach = (
  rows: readonly Readonly<Record<string, unknown>>[],
  request: Pick<CallRequest, 'signal' | 'traceparent' | 'tracestate'>,
) => Promise<readonly unknown[]>;

/**
 * Gives the rows of a source one after another, as fast as they are taken and in memory that does not grow with their
 * number. Ending the iteration frees what it holds. Throws a Failure.
 */
export type Scan = (request: CallRequest) => AsyncIterable<Readonly<Record<string, unknown>>>;

/** Where messages go, and what is asked. A connector with words of its own says their types, from its spec (`words.ts`). */
export interface Target {
  /** Prepares once what needs no message: statement text, method, columns, encoders. */
  prepare(call: CallDescription): Execute;
  /** The same for many messages at once, where that costs less; undefined for a call that takes one at a time. */
  prepareRows?(call: CallDescription): PrepareRows | undefined;
  /** The same where the target has no transaction for them, and each row is written or not by itself. */
  prepareEach?(call: CallDescription): WriteEach | undefined;
  /** The rows of a source of any size; undefined for a call that has no such source. `scans` of its spec says that it can. */
  prepareScan?(call: CallDescription): Scan | undefined;
  readonly transactions?: Transactions;
}
