import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Auth } from './message.ts';
import type { RequestObserver } from './observer.ts';
import type { TokenAnswer } from './storage.ts';

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
