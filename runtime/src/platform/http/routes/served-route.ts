import type { AuthenticationRequest, HttpUpgrade, RefusalForm, Refused } from '../../../foundation/contracts/http.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { RequestCounts } from '../../../foundation/contracts/observer.ts';
import type { Room } from '../admission/room.ts';
import type { Exchange, ExchangeRoute } from '../exchange.ts';

/** A route with everything about it that is decided before the first request. */
export interface ServedRoute extends ExchangeRoute {
  /** The one method that it serves; undefined: any. */
  readonly method: string | undefined;
  /** What decides about its requests. */
  readonly admission: RouteAdmission;
  /** Whether its path is served for QUERY too, which its answers say (RFC 10008). */
  readonly queryable: boolean;
  /** Milliseconds for one answer. */
  readonly timeout: number | undefined;
  /** What counts its requests, where they have one method, from the first one on. */
  counts: RequestCounts | undefined;
  handle(exchange: ServedExchange): void;
}

/** A request at such a route, and its answer. */
export type ServedExchange = Exchange<ServedRoute>;

/** What decides whether requests reach a route. */
export interface RouteAdmission {
  readonly connector: string;
  /** The requests of the mount. */
  readonly room: Room;
  admit(exchange: ServedExchange): void;
  /** Who calls by credentials that came after the request. */
  identifyLate(exchange: ServedExchange, asked: AuthenticationRequest): Promise<Auth | Refused | undefined>;
}

/** A route of an admission; what is left out does not hold for it. */
export function servedBy(
  admission: RouteAdmission,
  route: Pick<ServedRoute, 'path' | 'handle'> & {
    readonly method?: string;
    readonly builtin?: boolean;
    readonly open?: boolean | undefined;
    readonly awaits?: HttpUpgrade['awaits'];
    readonly queryable?: boolean;
    readonly timeout?: number | undefined;
    readonly refusal?: RefusalForm | undefined;
  },
): ServedRoute {
  const { path, method, builtin = false, open = false, awaits, queryable = false, timeout, refusal } = route;
  return {
    path,
    method,
    admission,
    builtin,
    open,
    awaits,
    queryable,
    timeout,
    refusal,
    counts: undefined,
    handle: (exchange) => route.handle(exchange),
  };
}

/** The shorter of two times, either of which may be unlimited. */
export function shorter(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}
