import type { Admission } from './admission.ts';
import type { Exchange } from './exchange.ts';

/** A route with everything about it that is decided before the first request. */
export interface ServedRoute {
  readonly path: string;
  /** What stands in front of it. */
  readonly admission: Admission;
  /** Health and metrics are neither counted nor refused when the service is busy. */
  readonly builtin: boolean;
  /** Served without credentials. */
  readonly open: boolean;
  /** Whether its path is served for QUERY too, which its answers tell (RFC 10008). */
  readonly queryable: boolean;
  /** Milliseconds for one answer. */
  readonly timeout: number | undefined;
  handle(exchange: Exchange): void;
}

/** A route of an admission; what is left out does not hold for it. */
export function servedBy(
  admission: Admission,
  route: Pick<ServedRoute, 'path' | 'handle'> & {
    readonly builtin?: boolean;
    readonly open?: boolean | undefined;
    readonly queryable?: boolean;
    readonly timeout?: number | undefined;
  },
): ServedRoute {
  const { path, builtin = false, open = false, queryable = false, timeout } = route;
  return { path, admission, builtin, open, queryable, timeout, handle: (exchange) => route.handle(exchange) };
}

/** The shorter of two times, either of which may be unlimited. */
export function shorter(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}
