import type { RequestObserver } from '../contracts/observer.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Histogram, Value } from '../observe/registry.ts';

/** Methods that metrics tell apart; a caller may send any word, so the others are one (decisions 58). */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE']);

interface RouteSeries {
  readonly inFlight: Value;
  readonly duration: Histogram;
  readonly byStatus: Map<number, Value>;
}

/** Counts requests by route pattern. Series are found by maps, so that a request costs no text. */
export class RequestMetrics implements RequestObserver {
  readonly #metrics: Metrics;
  readonly #service: string;
  readonly #routes = new Map<string, Map<string, RouteSeries>>();
  #inFlight = 0;

  constructor(metrics: Metrics, service: string) {
    this.#metrics = metrics;
    this.#service = service;
  }

  /** Requests being answered by the whole process. */
  get inFlight(): number {
    return this.#inFlight;
  }

  started(method: string, route: string): void {
    this.#inFlight++;
    this.#seriesOf(method, route).inFlight.value++;
  }

  finished(method: string, route: string, status: number, seconds: number): void {
    this.#inFlight--;
    const series = this.#seriesOf(method, route);
    series.inFlight.value--;
    series.duration.observe(seconds);
    let counter = series.byStatus.get(status);
    if (counter === undefined) {
      counter = this.#metrics.families.requests.of(this.#service, knownMethod(method), route, String(status));
      series.byStatus.set(status, counter);
    }
    counter.value++;
  }

  #seriesOf(method: string, route: string): RouteSeries {
    let methods = this.#routes.get(route);
    if (methods === undefined) this.#routes.set(route, (methods = new Map()));
    return methods.get(method) ?? this.#addSeries(methods, knownMethod(method), route);
  }

  #addSeries(methods: Map<string, RouteSeries>, method: string, route: string): RouteSeries {
    const known = methods.get(method);
    if (known !== undefined) return known;
    const { requestsInFlight, requestDuration } = this.#metrics.families;
    const series = {
      inFlight: requestsInFlight.of(method, route),
      duration: requestDuration.of(method, route),
      byStatus: new Map<number, Value>(),
    };
    methods.set(method, series);
    return series;
  }
}

function knownMethod(method: string): string {
  return knownMethods.has(method) ? method : 'other';
}
