import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Auth } from './message.ts';
import type { RequestObserver } from './observer.ts';
import type { TokenAnswer } from './storage.ts';

/**
 * What a source adds to the HTTP server of an address. The service makes one server for each address and
 * generation, out of everything that names the address.
 */
export interface HttpMount {
  /** The connector, for messages, logs and metrics. */
  readonly connector: string;
  readonly address: HttpAddress;
  /** Absent: those of what shares the address, or the usual ones. */
  readonly limits?: SocketLimits | undefined;
  /** Whether connections of its address may speak HTTP/2 (prior knowledge, RFC 9113, 3.3). Absent: as the others say. */
  readonly http2?: boolean | undefined;
  readonly access: HttpAccess;
  /** Whether health and metrics are served at its address, at the paths that no route claims. */
  readonly builtins: boolean;
  readonly routes: readonly HttpRoute[];
  /** Paths where connections change to another protocol. */
  readonly upgrades?: readonly HttpUpgrade[] | undefined;
  /** How failures are written where a route says nothing: of its routes, and of requests that no route takes. Absent: JSON. */
  readonly refusal?: RefusalForm | undefined;
}

export interface HttpAddress {
  /** Empty: every interface. */
  readonly host: string;
  /** 0 lets the system choose; such an address is not shared. */
  readonly port: number;
}

/** Where an application can be reached. */
export interface BoundAddress {
  readonly host: string;
  /** The port in use, also when the system chose it. */
  readonly port: number;
}

/** Limits of the connections of an address; times in milliseconds. */
export interface SocketLimits {
  /** Longest time in which a request is received. */
  readonly readTimeout: number;
  /** Bytes a second at which a body may come for longer than that. */
  readonly readRate: number;
  /** Longest time in which a caller takes no byte of an answer. */
  readonly writeTimeout: number;
  readonly idleTimeout: number;
  readonly maxConnections: number | undefined;
}

/** Who may reach the routes of a mount, and how many at a time. */
export interface HttpAccess {
  readonly cors: CorsPolicy | undefined;
  readonly verifier: Verifier | undefined;
  /** Most requests under way or waiting for their turn; further ones are refused. */
  readonly maxInFlight: number;
  /** Milliseconds for one answer. */
  readonly timeout: number | undefined;
}

/** One method and path that is served. */
export interface HttpRoute {
  readonly method: string;
  /** Pattern with parameters as `:name`: `/loans/:id`. */
  readonly path: string;
  /** Served without the verifier of the mount. Absent: it is asked. */
  readonly open?: boolean | undefined;
  /** Milliseconds for one answer; the shorter of this and that of the mount counts. */
  readonly timeout?: number | undefined;
  /** How its protocol writes failures, those before `handle` among them: credentials, limits, overload. Absent: as its mount. */
  readonly refusal?: RefusalForm | undefined;
  /** Answers the exchange, now or later. */
  handle(exchange: HttpExchange): void;
}

/** A path where a connection changes to another protocol, such as WebSocket. */
export interface HttpUpgrade {
  /** Pattern with parameters as `:name`. */
  readonly path: string;
  /** The protocol that the `Upgrade` header of the request names, in lower case: `websocket`. */
  readonly protocol: string;
  /**
   * Whether a request carries no credentials because they come over its connection: it is admitted all the same, and
   * `late` of it says who calls. Absent: they come with the request.
   */
  readonly awaits?: ((asked: AuthenticationRequest) => boolean) | undefined;
  /**
   * Takes the connection of an admitted request: from now on it belongs to the source, which answers the handshake and
   * ends the connection. Nothing was sent yet; `head` is what was read behind the request.
   */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer, admitted: AdmittedUpgrade): void;
}

/** A request that may change its connection to another protocol. */
export interface AdmittedUpgrade {
  readonly auth: Auth;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters, decoded; a repeated one is a list. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Address and port of the caller; the address alone, where a trusted proxy names it. */
  readonly remoteAddress: string;
  /** Names and values in turn that the answer of the handshake carries. */
  readonly headers: readonly string[];
  /**
   * Whether the sign-in system still recognises the caller: asked before anything is done for it, since its session may
   * have ended. Rejects with `store_unavailable`. Absent: it did not recognise the caller, which was admitted all the same.
   */
  readonly stillKnown?: StillKnown | undefined;
  /** Of a caller that the request did not identify, where its credentials may come later. */
  readonly late?: LateCredentials | undefined;
}

/** `isUse`: the client asks for something, which is a use of its session. */
export type StillKnown = (isUse: boolean) => boolean | Promise<boolean>;

/** Credentials that come over a connection, since pages cannot send headers with its request. */
export interface LateCredentials {
  /** Nothing may be done for the caller before it is identified. */
  readonly required: boolean;
  /**
   * Who calls, by headers in place of those of the request, their names in lower case; counted like a request when they are
   * refused. Rejects with a Failure where that cannot be found out.
   */
  identify(headers: Readonly<Record<string, string>>): Promise<Pick<AdmittedUpgrade, 'auth' | 'stillKnown'> | Refused>;
}

/** The request whose caller is to be identified; headers may be added to its answer. */
export interface AuthenticationRequest {
  readonly request: IncomingMessage;
  /** The path as sent, without the query. */
  readonly path: string;
  /** Query parameters, decoded; a repeated one is a list. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Adds a header to whatever answer the request gets. */
  addHeader(name: string, value: string): void;
}

/**
 * Why a caller is looked for: a request or a message of it is admitted, which is a use of its session; a path is public, so
 * that no credential is refused and no other service is asked about one; an open stream is watched, which does not use a
 * session.
 */
export type RecognisedFor = 'admission' | 'public' | 'watching';

/**
 * The caller that the root `auth` block recognises, undefined when it recognises none, or why a request is refused whatever
 * it asks for. Without a reason the request is admitted.
 */
export type Recognise = (
  asked: AuthenticationRequest,
  reason?: RecognisedFor,
) => Auth | Refused | undefined | Promise<Auth | Refused | undefined>;

/** Why a request is refused, and headers that say how it could. */
export interface Refused {
  /** A Failure. */
  readonly refused: Error;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** The compiled `auth` block of a connector. */
export interface Verifier {
  /** Names and values in turn, for every response. */
  readonly responseHeaders: readonly string[];
  /** To be awaited before the first request. */
  prepare(): Promise<void>;
  /** Who calls, or why the request is refused. `recognise` is absent in a service without a root `auth` block. */
  verify(asked: AuthenticationRequest, recognise: Recognise | undefined): Auth | Refused | Promise<Auth | Refused>;
}

/** Which pages of other origins may call. */
export interface CorsPolicy {
  /** Adds the headers that the origin gets to whatever is answered. */
  addHeaders(exchange: HttpExchange): void;
  /** Answers a preflight; whether the request was one. */
  answerPreflight(exchange: HttpExchange): boolean;
  /** Whether pages of this origin may call. */
  permits(origin: string): boolean;
  /** Whether a request comes from a page that may change nothing here. */
  refuses(exchange: HttpExchange): boolean;
}

/**
 * One request and its answer. It ends with exactly one answer, which also ends its count in the metrics; further
 * answers are ignored.
 */
export interface HttpExchange extends AuthenticationRequest {
  readonly response: ServerResponse;
  readonly route: Pick<HttpRoute, 'path'>;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly auth: Auth;
  /** Milliseconds within which the answer must begin, pauses aside; undefined without a limit. */
  readonly timeout: number | undefined;
  /**
   * The address of the caller in front of the trusted proxies of the service, or of `trusted` in their place; never empty, IPv4
   * in IPv6 as IPv4.
   */
  clientAddress(trusted?: TrustedNetworks): string;
  /** Address and port of the caller; the address alone, where a trusted proxy names it. */
  readonly remoteAddress: string;
  /** Whether it is answered. */
  readonly sent: boolean;
  /** Whether `signal` has fired, without making one. */
  readonly cancelled: boolean;
  addHeaders(pairs: readonly string[]): void;
  /** Called by the reader of the body, before the first byte: a caller that waits for `100 Continue` gets it. */
  takeBody(): void;
  /** Called by a reader that stops before the end: what is left is discarded. */
  leaveBody(): void;
  /** Fires when the caller disconnects before the end of the answer, or when the time for it is over. */
  signal(): AbortSignal;
  /** Stops the time limit; the returned function resumes it with what was left of it. */
  hold(): () => void;
  /** Sends the answer. Without `contentType` it has no body. `headers` win over those added before. */
  send(status: number, contentType: string | undefined, body: string | Uint8Array, headers?: readonly string[]): void;
  /** Sends an answer whose body comes piece by piece; see `StreamedBody`. */
  stream(status: number, contentType: string, body: StreamedBody, headers?: readonly string[]): void;
  /**
   * Sends the head of an answer that has no end of its own, such as events that are sent when they happen, and gives what
   * its source writes from then on. It no longer counts as under way: it outlives reloads, and nothing waits for it.
   * Undefined: it is answered already, or its caller has gone.
   */
  keepOpen(status: number, contentType: string, headers?: readonly string[]): ServerResponse | undefined;
  /** Asks again whether the sign-in system recognises the caller, as for `AdmittedUpgrade`: of answers that do not end. */
  readonly stillKnown: StillKnown | undefined;
  /** Answers with a failure, as far as its caller may read it; `form` writes it in place of that of the route. */
  refuse(error: unknown, headers?: readonly string[], form?: RefusalForm): void;
}

/** Writes a Failure as an answer. What callers may read in production is what `disclosed` gives. */
export type RefusalForm = (failure: Error, production: boolean) => Refusal;

/** A failure as an HTTP answer. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  /** Absent: JSON. */
  readonly contentType?: string | undefined;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Given to failures of the service (5xx), so that an answer can be found in the log. */
  readonly requestId: string | undefined;
}

/**
 * A body that is sent as it comes. A piece is requested when the caller has taken those before it, and the iterator is
 * notified when no more are wanted. A caller that takes nothing is cut off as with any answer; a body that fails, or has
 * another length than it announced, ends the connection, so that no caller takes it for complete.
 */
export interface StreamedBody {
  readonly pieces: AsyncIterable<Uint8Array | string>;
  /** Bytes of all pieces, where that is known. */
  readonly length?: number | undefined;
  /** No one else holds a piece: its memory is freed when it is sent. */
  readonly isFreeable?: boolean | undefined;
  /**
   * The answer has no end of its own, such as events that are sent when they happen. From its head on it no longer counts
   * as under way: it belongs to the source like a connection of another protocol, outlives reloads, and nothing waits
   * for it.
   */
  readonly isEndless?: boolean | undefined;
}

/** Headers in which a proxy may name the address of its caller. */
export type AddressHeader = 'x-forwarded-for' | 'forwarded' | 'x-real-ip';

/** Which proxies are trusted, and the one header that they name their caller in. */
export interface TrustedProxies {
  /** Addresses or CIDR ranges. */
  readonly networks: readonly string[];
  readonly header: AddressHeader;
}

/** Networks whose addresses are those of trusted proxies. */
export interface TrustedNetworks {
  has(address: string): boolean;
}

/** What the service gives to whatever answers requests with flows. */
export interface RequestServices {
  /** The service's rate limiter; undefined when nothing is limited. */
  readonly rateLimiter: RateLimiter | undefined;
  readonly observer: RequestObserver;
  /** Whether the process is overloaded (event loop lag): new requests are refused while it is. */
  readonly overloaded: () => boolean;
  /** Proxies that are trusted to name the address of their caller. */
  readonly trustedProxies: TrustedProxies;
  /** Absent: the service has no root `auth` block. */
  readonly recognise?: Recognise | undefined;
}

/** What the service gives to the server of every address. */
export interface HttpServices extends RequestServices {
  /** Health and metrics, served beside the flows unless a flow claims the path. */
  readonly builtins: readonly BuiltinRoute[];
}

/** A GET route that needs no flow. */
export interface BuiltinRoute {
  readonly path: string;
  /** Served without the connector's `auth` (liveness and readiness). */
  readonly open: boolean;
  readonly handle: () => BuiltinAnswer | Promise<BuiltinAnswer>;
}

export interface BuiltinAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Decides before anything is answered. `take` is called once per limited request, and again for a refused credential. */
export interface RateLimiter {
  /** `header:<name>`, `query:<name>`, `ip` or `combined:…` as configured, resolved by the HTTP edge to a key. */
  readonly keyExtractor: string;
  readonly excludedPaths: readonly string[];
  /** Whether X-RateLimit-* headers are sent. */
  readonly headers: boolean;
  readonly burst: number;
  /** Whether decisions come from a store, so that `take` has to wait. */
  readonly shared: boolean;
  take(key: string): TokenAnswer | Promise<TokenAnswer>;
}

/** The requests of one address in one generation, prepared but not listening. */
export interface HttpApplication extends HttpAddress {
  readonly handle: RequestListener;
  /** Whether `upgrade` takes the request, which asks for another protocol; else it is like any other. */
  readonly upgrades?: ((request: IncomingMessage) => boolean) | undefined;
  /** Takes over a connection that asks for another protocol. Absent: such requests are like any other. */
  readonly upgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
  /** Counts a request that cannot be read against the limits of its caller; undefined where nothing is limited. Never rejects. */
  readonly limitMalformed?:
    | ((peer: Pick<IncomingMessage, 'socket' | 'headers'>) => TokenAnswer | Promise<TokenAnswer> | undefined)
    | undefined;
  /** Applied to the server by its listener. */
  readonly limits: SocketLimits;
  /** Whether connections may speak HTTP/2. Absent: HTTP/1.1 alone. */
  readonly http2?: boolean | undefined;
  /** Whether requests that cannot be read are answered with problem details (RFC 9457). Absent: with JSON. */
  readonly problems?: boolean | undefined;
}
