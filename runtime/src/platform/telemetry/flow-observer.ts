import type { CallEnd, FlowObserver } from '../../foundation/contracts/observer.ts';
import type { Drop } from '../../foundation/contracts/outcome.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import type { FailureType } from '../../foundation/errors/failures.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import type { Metrics } from '../../foundation/observe/metrics.ts';
import type { Histogram, Value } from '../../foundation/observe/registry.ts';
import { dropFields } from './drop-fields.ts';

/** Where the messages of a flow come from, for its log lines. */
export interface FlowOrigin {
  readonly source: string;
  readonly operation: string | undefined;
}

/** Seconds over which messages per second are counted. */
const rateWindow = 60;

interface FlowSeries {
  readonly success: Value;
  readonly error: Value;
  readonly dropped: Value;
  readonly duration: Histogram;
  fastest: number;
  slowest: number;
  total: number;
  /** Successes at the end of each of the last seconds, oldest first. */
  readonly history: number[];
}

interface CallSeries {
  readonly success: Value;
  readonly error: Value;
  readonly errors: Value;
  readonly latency: Histogram;
}

/** Counts and logs what flows do. A counted execution looks up one map and writes numbers. */
export class FlowMetrics implements FlowObserver {
  readonly #metrics: Metrics;
  readonly #log: Log;
  readonly #service: string;
  readonly #flows = new Map<string, FlowSeries>();
  readonly #calls = new Map<string, Map<string, CallSeries>>();
  readonly #caches = new Map<string, Readonly<Record<'hit' | 'miss' | 'decode_error' | 'key_error', Value>>>();
  #origins: ReadonlyMap<string, FlowOrigin> = new Map();
  #active = 0;

  constructor(metrics: Metrics, log: Log, service: string) {
    this.#metrics = metrics;
    this.#log = log;
    this.#service = service;
    metrics.onCollect(() => this.#collect());
  }

  /** Flow executions in progress. */
  get active(): number {
    return this.#active;
  }

  /** Sets where the flows of the generation now in use get their messages from. */
  describe(origins: ReadonlyMap<string, FlowOrigin>): void {
    this.#origins = origins;
    for (const flow of origins.keys()) this.#seriesOf(flow);
  }

  /** Remembers the counts of each flow once per second until the signal fires. */
  async countPerSecond(clock: Clock, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const { history, success } of this.#flows.values()) {
        if (history.length === rateWindow) history.shift();
        history.push(success.value);
      }
      await clock.sleep(1000, signal).catch(() => undefined);
    }
  }

  started(flow: string): void {
    this.#active++;
    this.#seriesOf(flow);
  }

  /** `detail` is the failure of an `error` and the outcome of a `dropped`. */
  finished(flow: string, status: 'success' | 'error' | 'dropped', seconds: number, detail: unknown): void {
    this.#active--;
    const series = this.#seriesOf(flow);
    series[status].value++;
    series.duration.observe(seconds);
    if (status === 'success') {
      series.total += seconds;
      if (seconds < series.fastest) series.fastest = seconds;
      if (seconds > series.slowest) series.slowest = seconds;
      if (this.#log.enabled('info')) this.#log.info('request', { ...this.#lineOf(flow), duration: shown(seconds) });
    } else if (status === 'dropped') this.#dropped(flow, detail as Drop);
    else this.#failed(flow, seconds, detail);
  }

  cache(cache: string, event: 'hit' | 'miss' | 'decode_error' | 'key_error'): void {
    let series = this.#caches.get(cache);
    if (series === undefined) {
      const { cacheHits, cacheMisses, cacheDecodeErrors, cacheKeyErrors } = this.#metrics.families;
      series = {
        hit: cacheHits.of(cache),
        miss: cacheMisses.of(cache),
        decode_error: cacheDecodeErrors.of(cache),
        key_error: cacheKeyErrors.of(cache),
      };
      this.#caches.set(cache, series);
    }
    series[event].value++;
  }

  invalidateFailed(cache: string, attribute: string): void {
    this.#metrics.families.cacheInvalidateErrors.of(cache, attribute).value++;
  }

  unmatched(flow: string, connector: string): void {
    this.#metrics.families.writesUnmatched.of(flow, connector).value++;
  }

  connectorCall(
    connector: string,
    type: string,
    operation: 'read' | 'write' | 'call',
    result: CallEnd,
    seconds: number,
  ): void {
    let operations = this.#calls.get(connector);
    if (operations === undefined) this.#calls.set(connector, (operations = new Map()));
    let series = operations.get(operation);
    if (series === undefined) {
      const { connectorOperations, connectorErrors, connectorLatency } = this.#metrics.families;
      series = {
        success: connectorOperations.of(connector, type, operation, 'success'),
        error: connectorOperations.of(connector, type, operation, 'error'),
        errors: connectorErrors.of(this.#service, connector),
        latency: connectorLatency.of(connector, type, operation),
      };
      operations.set(operation, series);
    }
    series.latency.observe(seconds);
    if (result === 'success') series.success.value++;
    else {
      series.error.value++;
      if (result === 'error') series.errors.value++;
    }
  }

  #dropped(flow: string, drop: Drop): void {
    this.#metrics.families.flowDrops.of(flow, drop.reason).value++;
    if (!this.#log.enabled('debug')) return;
    this.#log.debug('message dropped by policy', {
      flow,
      source: this.#origins.get(flow)?.source,
      ...dropFields(drop),
    });
  }

  #failed(flow: string, seconds: number, error: unknown): void {
    const failure = asFailure(error, { flow });
    const type = failure.code === 'cancelled' ? 'canceled' : errorTypes[failure.kind.type];
    this.#metrics.families.flowErrors.of(flow, type).value++;
    if (!this.#log.enabled('warn')) return;
    const { connector, stage } = failure.at;
    const fields = {
      ...this.#lineOf(flow),
      duration: shown(seconds),
      code: failure.code,
      connector,
      stage,
      error: failure,
    };
    this.#log.warn('request', failure.code === 'internal' ? { ...fields, stack: failure.stack } : fields);
  }

  #lineOf(flow: string) {
    return { flow, ...this.#origins.get(flow) };
  }

  #seriesOf(flow: string): FlowSeries {
    return this.#flows.get(flow) ?? this.#addSeries(flow);
  }

  #addSeries(flow: string): FlowSeries {
    const { flowExecutions, flowDuration } = this.#metrics.families;
    const series: FlowSeries = {
      success: flowExecutions.of(flow, 'success'),
      error: flowExecutions.of(flow, 'error'),
      dropped: flowExecutions.of(flow, 'dropped'),
      duration: flowDuration.of(flow),
      fastest: Number.POSITIVE_INFINITY,
      slowest: 0,
      total: 0,
      history: [],
    };
    this.#flows.set(flow, series);
    return series;
  }

  #collect(): void {
    const { flowFastest, flowSlowest, flowAverage, flowRate } = this.#metrics.families;
    for (const [flow, { success, fastest, slowest, total, history }] of this.#flows) {
      flowRate.of(flow).value = (success.value - (history[0] ?? 0)) / Math.max(1, history.length);
      if (success.value === 0) continue;
      flowFastest.of(flow).value = fastest;
      flowSlowest.of(flow).value = slowest;
      const mean = flowAverage.of(flow);
      mean.sum = total;
      mean.count = success.value;
    }
  }
}

/** `error_type` of a failed execution. */
const errorTypes: Readonly<Record<FailureType, string>> = {
  timeout: 'timeout',
  validation: 'validation',
  connection: 'connection',
  http: 'error',
  flow: 'error',
  not_found: 'error',
  auth: 'error',
  unknown: 'error',
};

function shown(seconds: number): string {
  return `${(seconds * 1000).toFixed(3)}ms`;
}
