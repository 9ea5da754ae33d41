import findMyWay, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way';

/** What a request asks for, as far as its address says. */
export interface Found<R> {
  readonly route: R;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters, decoded; a repeated one is a list. */
  readonly query: Readonly<Record<string, string | string[]>>;
}

/** Longest value of a path parameter. */
const maxParamLength = 16_384;

const nothing = () => undefined;

/** Finds the route of a request by method and path. */
export class Router<R extends object> {
  readonly #routes: Instance<HTTPVersion.V1>;
  /** Takes any path, to read the query of requests that no route takes. */
  readonly #any: Instance<HTTPVersion.V1>;
  readonly #malformed: R;

  /** `malformed` takes requests whose path cannot be decoded. */
  constructor(malformed: R) {
    this.#malformed = malformed;
    this.#routes = findMyWay({ maxParamLength, onBadUrl: nothing });
    this.#any = findMyWay({ onBadUrl: nothing });
    this.#any.on('GET', '*', nothing, {});
  }

  /** `path` has parameters as `:name`. */
  add(method: string, path: string, route: R): void {
    this.#routes.on(method as HTTPMethod, path, nothing, route);
  }

  /** The route of a request; undefined when none takes it. */
  find(method: string, url: string): Found<R> | undefined {
    const found = this.#routes.find(method as HTTPMethod, url);
    if (found === null) return undefined;
    // A path that cannot be decoded is found without a route.
    const route = (found.store as R | null) ?? this.#malformed;
    const { params, searchParams } = found as { params: Found<R>['params']; searchParams?: Found<R>['query'] };
    return { route, params, query: searchParams ?? noQuery };
  }

  /** Query parameters of any request. */
  queryOf(url: string): Found<R>['query'] {
    return this.#any.find('GET', url)?.searchParams ?? noQuery;
  }
}

const noQuery: Readonly<Record<string, never>> = Object.freeze(Object.create(null) as Record<string, never>);
