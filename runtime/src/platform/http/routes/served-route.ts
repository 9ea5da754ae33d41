import type { HttpUpgrade, RefusalForm } from '../../../foundation/contracts/http.ts';
import type { RequestCounts } from '../../../foundation/contracts/observer.ts';
import type { Admission } from '../admission/admission.ts';
import type { Exchange } from '../exchange.ts';

/** A route with everything about it that is decided before the first request. */
export interface ServedRoute {
  readonly path: string;
  /** The one method that it serves; undefined: any. */
  readonly method: string | undefined;
  /** What decides about its requests. */
  readonly admission: Admission;
  /** Health and metrics are neither counted nor refused when the service is busy. */
  readonly builtin: boolean;
  /** Served without credentials. */
  readonly open: boolean;
  /** Which requests are admitted before they are identified. */
  readonly awaits: HttpUpgrade['awaits'];
  /** Whether its path is served for QUERY too, which its answers say (RFC 10008). */
  readonly queryable: boolean;
  /** Milliseconds for one answer. */
  readonly timeout: number | undefined;
  /** How failures are written; undefined: as JSON. */
  readonly refusal: RefusalForm | undefined;
  /** What counts its requests, where they have one method, from the first one on. */
  counts: RequestCounts | undefined;
  handle(exchange: Exchange): void;
}

/** A route of an admission; what is left out does not hold for it. */
export function servedBy(
  admission: Admission,
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
