import type { RequestCounts, RequestObserver } from '../../foundation/contracts/observer.ts';
import type { Metrics } from '../../foundation/observe/metrics.ts';
import type { Value } from '../../foundation/observe/registry.ts';

/** Methods that metrics distinguish; a caller may send any word, so the others are counted as one. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE']);

/** Counts requests by route pattern. A holder of the counts of a route needs no lookup for a request. */
export class RequestMetrics implements RequestObserver {
  readonly #metrics: Metrics;
  readonly #service: string;
  readonly #routes = new Map<string, Map<string, RequestCounts>>();
  #inFlight = 0;

  constructor(metrics: Metrics, service: string) {
    this.#metrics = metrics;
    this.#service = service;
  }

  /** Requests being answered by the whole process. */
  get inFlight(): number {
    return this.#inFlight;
  }

  of(method: string, route: string): RequestCounts {
    let methods = this.#routes.get(route);
    if (methods === undefined) this.#routes.set(route, (methods = new Map()));
    const known = knownMethod(method);
    let counts = methods.get(known);
    if (counts === undefined) methods.set(known, (counts = this.#countsOf(known, route)));
    return counts;
  }

  #countsOf(method: string, route: string): RequestCounts {
    const { requests, requestsInFlight, requestDuration } = this.#metrics.families;
    const inFlight = requestsInFlight.of(method, route);
    const duration = requestDuration.of(method, route);
    const byStatus = new Map<number, Value>();
    return {
      started: () => {
        this.#inFlight++;
        inFlight.value++;
      },
      finished: (status, seconds) => {
        this.#inFlight--;
        inFlight.value--;
        duration.observe(seconds);
        let counter = byStatus.get(status);
        if (counter === undefined)
          byStatus.set(status, (counter = requests.of(this.#service, method, route, String(status))));
        counter.value++;
      },
    };
  }
}

function knownMethod(method: string): string {
  return knownMethods.has(method) ? method : 'other';
}
