import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ConnectorSpec, Values } from '@svc/protocol/schema';
import type { Auth, Message } from '../flow/message.ts';
import type { DropCounts, Outcome } from '../flow/outcome.ts';
import type { Clock } from '../observe/clock.ts';
import type { Log } from '../observe/log.ts';

/** What the service gives to a connector when it makes it. */
export interface ConnectorServices {
  /** Already carries the connector's name. */
  readonly log: Log;
  readonly clock: Clock;
  /** `development`, `staging`, `production` or free text (`--env`). */
  readonly environment: string;
  readonly production: boolean;
  /** Absolute path that relative paths of the configuration are taken from. */
  readonly directory: string;
  /** Product name and version for user agents. */
  readonly userAgent: string;
  /** What connectors that serve HTTP share. */
  readonly http: HttpServices;
  /**
   * Prepares a call on another connector of the same generation, such as the look-up of an API key. The returned
   * function may be used once the service is open.
   */
  readonly lookup: (connector: string, call: CallDescription) => Execute;
  /** Told what a connector with profiles does; absent where nothing is counted. */
  readonly profiles?: ProfileObserver | undefined;
  /** Counts a message that no flow takes; absent where nothing is counted. `target` is the queue or topic. */
  readonly undispatched?: ((connector: string, driver: string, target: string, key: string) => void) | undefined;
}

/** Counts what the profiles of a connector do (supplement-connectors 2.9). */
export interface ProfileObserver {
  /** Another profile than before is selected. */
  selected(connector: string, profile: string): void;
  /** `error` is the code of the failure, undefined when it went well. */
  requested(connector: string, profile: string, error: string | undefined, seconds: number): void;
  fellBack(connector: string, from: string, to: string): void;
}

/** What every HTTP server of the service is given. */
export interface HttpServices {
  /** Health and metrics, served beside the flows unless a flow claims the path. */
  readonly builtins: readonly BuiltinRoute[];
  /** The service's rate limiter; undefined when nothing is limited. */
  readonly rateLimiter: RateLimiter | undefined;
  readonly observer: RequestObserver;
  /** Whether the process is overloaded (event loop lag): new requests are refused while it is. */
  readonly overloaded: () => boolean;
  /** CIDR ranges whose `X-Forwarded-For` is believed (decisions 15). */
  readonly trustedProxies: readonly string[];
  /**
   * The caller that the root `auth` block recognises in these headers, undefined when it recognises none. Absent: the
   * service has no such block (decisions 23).
   */
  readonly recognise?: ((headers: IncomingHttpHeaders) => Auth | undefined | Promise<Auth | undefined>) | undefined;
}

/** A GET route that needs no flow. */
export interface BuiltinRoute {
  readonly path: string;
  /** Served without the connector's `auth` (liveness and readiness; decisions 58). */
  readonly open: boolean;
  readonly handle: () => BuiltinAnswer | Promise<BuiltinAnswer>;
}

export interface BuiltinAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Sees every request of flows once; the route is the pattern (`/loans/:id`) or `unmatched`. */
export interface RequestObserver {
  started(method: string, route: string): void;
  /** `seconds` from the first header to the last byte handed to the socket. */
  finished(method: string, route: string, status: number, seconds: number): void;
}

/** Decides before anything is answered. `take` is asked once per limited request, and once more for a refused credential. */
export interface RateLimiter {
  /** `header:<name>`, `query:<name>`, `ip` or `combined:…` as configured, resolved by the HTTP edge to a key. */
  readonly keyExtractor: string;
  readonly excludedPaths: readonly string[];
  /** Whether X-RateLimit-* headers are sent. */
  readonly headers: boolean;
  readonly burst: number;
  /** Whether answers come from a store, so that a question costs a wait. */
  readonly shared: boolean;
  take(key: string): TokenAnswer | Promise<TokenAnswer>;
}

/** Makes a connector from its decoded block. Opens nothing; problems of the configuration are diagnostics, found before. */
export type Factory<S extends ConnectorSpec> = (
  name: string,
  config: Values<S['config']>,
  services: ConnectorServices,
) => Connector;

/**
 * A connector. What it can do is what it has. One whose block is unchanged is handed from generation to generation, open
 * as it is; its source is bound anew by each.
 */
export interface Connector {
  readonly name: string;
  /** Connects and resolves when it can be used. Rejects with a Failure that says what was tried and why it failed. */
  open(signal: AbortSignal): Promise<void>;
  /**
   * Lets what is under way finish, then frees everything. May be called twice, and on one that never opened. One that
   * cannot exist twice (`coexists` of its spec) may be opened again: its successor could not be.
   */
  close(): Promise<void>;
  /** Resolves when healthy, rejects with the reason. Absent: healthy while open. */
  check?(signal: AbortSignal): Promise<void>;
  /**
   * Makes what messages are taken from where the other end does not have it, and gives its name when it was made. The
   * connector need not be open. Absent: it makes nothing there.
   */
  createSource?(signal: AbortSignal): Promise<string | undefined>;
  readonly source?: Source;
  readonly target?: Target;
  readonly storage?: Storage;
}

/** Where messages come in. */
export interface Source {
  /**
   * Prepares to hand messages to the flows of a configuration; nothing changes before `use`. Called before `start`, and
   * by each further configuration while the flows of the one before it are in use.
   */
  bind(bindings: readonly Binding[]): BoundFlows;
  /** A source that takes messages by itself, from a queue or a stream, has this: it can be held back. */
  readonly events?: EventSource;
  /** Takes messages from now on. Has no effect on one that does already. */
  start(): Promise<void>;
  /**
   * Takes no more; resolves when everything taken is settled. What is under way when `cut` fires is aborted. May be
   * called on one that never started.
   */
  stop(cut?: AbortSignal): Promise<void>;
}

/** The flows of one configuration behind a source. */
export interface BoundFlows {
  /** An HTTP server connector gives its application here; its socket belongs to the listener of the process. */
  readonly http?: HttpApplication;
  /** Loads what the flows need to be handed messages. Rejects before anything has changed. */
  prepare(): Promise<void>;
  /** From now on messages go to these flows, and no longer to those in use before. Never throws. */
  use(): void;
  /** Resolves when everything that began with these flows is settled, once others are in use or the source has stopped. */
  ended(): Promise<void>;
}

/**
 * How freely an event source takes messages: as many as it may, one after another, or none but those that are pulled; of
 * a source without `pull` that is none.
 */
export type Intake = 'open' | 'single' | 'demand';

/** What a debugger knows of an event source, and how it holds it back over the debug protocol. */
export interface EventSource {
  /** The neutral name of its kind: `amqp_broker`. */
  readonly type: string;
  /** Where its messages come from: a queue, or topics joined by commas. */
  readonly name: string;
  /** Most messages that it holds at a time while it is open; undefined: as many as come. */
  readonly prefetch: number | undefined;
  /** Messages taken and not settled. */
  readonly unsettled: number;
  /**
   * Says how freely it takes messages from now on, also before `start` and across lost connections. What was taken and
   * not begun goes back where that is possible; what was begun goes on. `demand` is asked of sources without `pull` too,
   * while a debugger sets its breakpoints.
   */
  admit(intake: Intake): void;
  /** Messages that wait to be taken; undefined when it cannot tell now. Absent: it never can. */
  waiting?(): Promise<number | undefined>;
  /**
   * Takes exactly one message while the intake is `demand`, and waits for one to come. Rejects with the reason of the
   * signal when that fires first, and with a Failure `cancelled` when it can pull no more; nothing is taken then.
   * Absent: messages are pushed.
   */
  pull?(signal: AbortSignal): Promise<Pulled>;
}

/** A message that was taken on demand. */
export interface Pulled {
  /** Resolves when its flows have ended and the broker was told, or is about to be after a pause. Never rejects. */
  readonly settled: Promise<void>;
}

/** One flow behind one operation of a source. */
export interface Binding {
  /** Empty for what the service answers by itself, without a flow. */
  readonly flow: string;
  /** The operation after named operations were resolved (`GET /users/:id`); undefined when none was written. */
  readonly operation: string | undefined;
  /** Codec named by `from.format`. */
  readonly format: string | undefined;
  /** Milliseconds for one execution, when the named operation says so; then its signal fires and the caller is told. */
  readonly timeout?: number | undefined;
  /** What the answer is, where the flow says so (`returns`). */
  readonly returns?: ReturnShape | undefined;
  /** How an answer with `_binary` is bytes; undefined: such a field is data. */
  readonly binary?: BinaryAnswer | undefined;
  /** The type whose references the flow resolves (`entity`). */
  readonly entity?: string | undefined;
  /**
   * Runs the flow. Throws or rejects with a Failure. Answers without a promise when nothing in the flow had to wait. A
   * flow that shares an event with others asks `dropCounts` before it does anything about a drop of its own.
   */
  readonly deliver: (message: Message, dropCounts?: DropCounts) => Outcome | Promise<Outcome>;
}

/** An answer that the configuration makes of bytes. */
export interface BinaryAnswer {
  /** Who says what the bytes are: the configuration alone, or an expression that reads something. */
  readonly type: 'configuration' | 'data';
}

/** The type of an answer as protocols with types publish it. */
export interface ReturnShape {
  /** A scalar such as `Int`, or the name of a type. */
  readonly type: string;
  readonly scalar: boolean;
  readonly list: boolean;
  /** Whether the whole may be null; of a list also whether its elements may. */
  readonly nullable: boolean;
  readonly nullableElements: boolean;
}

/** Requests of one address, prepared but not listening. */
export interface HttpApplication {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Resolves when the application can take requests. */
  prepare(): Promise<void>;
  readonly handle: RequestListener;
  /** Takes over connections that ask for another protocol. Absent: such requests are like any other. */
  readonly upgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
  /** Counts a request that cannot be read against the limits of its caller; undefined where nothing is limited. Never rejects. */
  readonly limitMalformed?:
    | ((peer: Pick<IncomingMessage, 'socket' | 'headers'>) => TokenAnswer | Promise<TokenAnswer> | undefined)
    | undefined;
  /** Socket limits that the listener applies to its server; milliseconds. */
  readonly limits: {
    readonly readTimeout: number;
    /** Longest time in which a caller takes no byte of an answer. */
    readonly writeTimeout: number;
    readonly idleTimeout: number;
    readonly maxConnections: number | undefined;
  };
}

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
  /** Attributes of the block that only this connector knows, decoded by `TargetSpec.attributes`. */
  readonly attributes: Readonly<Record<string, unknown>>;
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

/** Statements over one connection, all or none (document 1, transaction). */
export interface Transactions {
  /** Runs `work`; commits when it resolves, rolls back when it rejects. A lost answer to COMMIT is `outcome_unknown`. */
  run<T>(work: (statements: StatementRunner) => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
}

/** `known`: the key of what an INSERT makes, where it can be told. */
export type WantedKey = 'known' | 'required' | undefined;

export interface StatementRunner {
  /**
   * One statement with `:name` parameters. Integers come as bigint. An INSERT of which the key is wanted answers `id`: the
   * key of the last row that it made, or null when it made none. One of which it is `required` fails where the key of
   * the table cannot be told.
   */
  execute(query: string, params: Readonly<Record<string, unknown>>, key?: WantedKey): CallResult | Promise<CallResult>;
  /** Stops the timers of those who wait for this transaction to end; the returned function lets them go on (decisions 35). */
  readonly hold?: (() => () => void) | undefined;
}

/** A cache: texts by key. Memory answers at once, others with promises. Rejects with `store_unavailable` when away. */
export interface Storage {
  get(key: string): string | undefined | Promise<string | undefined>;
  /** `ttl` in milliseconds; undefined uses the connector's default, which may be for ever. */
  set(key: string, value: string, ttl: number | undefined): void | Promise<void>;
  delete(keys: readonly string[]): number | Promise<number>;
  /**
   * Stores an entry only where there is none; whether it did. One atomic operation, as are the two below. Until it is
   * exchanged for something else, no other entry takes its room.
   */
  setIfAbsent(key: string, value: string, ttl: number | undefined): boolean | Promise<boolean>;
  /** Exchanges an entry that holds exactly `expected`; false when it holds something else or is gone. */
  replace(key: string, expected: string, value: string, ttl: number | undefined): boolean | Promise<boolean>;
  /** Deletes an entry that holds exactly `expected`; whether it did. */
  deleteIf(key: string, expected: string): boolean | Promise<boolean>;
  /** Deletes every key that matches a glob with `*` and `?`; `\` takes the next character literally. */
  deleteMatching(pattern: string): number | Promise<number>;
  /** Entries held, when the store can tell without work. */
  size?(): number | undefined;
  /** Takes one token from a bucket shared by all processes that use this store; undefined when it cannot. */
  takeToken?(key: string, ratePerSecond: number, burst: number): Promise<TokenAnswer>;
  /** Whether the content is lost with this process. */
  readonly processLocal: boolean;
}

export interface TokenAnswer {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Milliseconds until the next token. */
  readonly retryAfter: number;
}
