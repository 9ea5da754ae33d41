import type { Merge, MetricSpec } from './registry.ts';

function metric<const K extends MetricSpec['kind']>(
  name: string,
  kind: K,
  labels: readonly string[],
  help: string,
  merge: Merge = 'sum',
): MetricSpec & { readonly kind: K } {
  return { name, kind, labels, help, merge };
}

/** Every metric of the service (document 1, Metrics; supplement-flows 7.2). The reference pages list this table. */
export const metricTable = {
  requests: metric(
    'svc_requests_total',
    'counter',
    ['service', 'method', 'path', 'status'],
    'Requests answered, by route pattern.',
  ),
  requestDuration: metric(
    'svc_request_duration_seconds',
    'histogram',
    ['method', 'path'],
    'Time from the first header of a request to the last byte of its answer.',
  ),
  requestsInFlight: metric('svc_requests_in_flight', 'gauge', ['method', 'path'], 'Requests being answered.'),
  connectorHealth: metric(
    'svc_connector_health',
    'gauge',
    ['connector', 'type'],
    '1 while the connector works.',
    'min',
  ),
  connectorOperations: metric(
    'svc_connector_operations_total',
    'counter',
    ['connector', 'type', 'operation', 'status'],
    'Operations of connectors.',
  ),
  connectorLatency: metric(
    'svc_connector_latency_seconds',
    'histogram',
    ['connector', 'type', 'operation'],
    'Time of operations of connectors.',
  ),
  connectorErrors: metric(
    'svc_connector_errors_total',
    'counter',
    ['service', 'connector'],
    'Operations of connectors that failed.',
  ),
  flowExecutions: metric('svc_flow_executions_total', 'counter', ['flow', 'status'], 'Messages that a flow handled.'),
  flowDuration: metric('svc_flow_duration_seconds', 'histogram', ['flow'], 'Time of a flow for one message.'),
  flowErrors: metric('svc_flow_errors_total', 'counter', ['flow', 'error_type'], 'Messages for which a flow failed.'),
  flowDrops: metric('svc_flow_drops_total', 'counter', ['flow', 'reason'], 'Messages that a gate turned away.'),
  flowFastest: metric(
    'svc_flow_duration_fastest_seconds',
    'gauge',
    ['flow'],
    'Shortest time of a successful execution since start.',
    'min',
  ),
  flowSlowest: metric(
    'svc_flow_duration_slowest_seconds',
    'gauge',
    ['flow'],
    'Longest time of a successful execution since start.',
    'max',
  ),
  flowAverage: metric(
    'svc_flow_duration_average_seconds',
    'mean',
    ['flow'],
    'Mean time of successful executions since start.',
  ),
  flowRate: metric(
    'svc_flow_messages_per_second',
    'gauge',
    ['flow'],
    'Successful executions per second over the last minute.',
  ),
  undispatched: metric(
    'svc_messages_undispatched_total',
    'counter',
    ['connector', 'driver', 'target', 'key'],
    'Messages that no flow takes, by routing key; after a thousand keys the others are counted as `other`.',
  ),
  cacheHits: metric('svc_cache_hits_total', 'counter', ['cache'], 'Answers taken from a cache.'),
  cacheMisses: metric('svc_cache_misses_total', 'counter', ['cache'], 'Answers that a cache did not hold.'),
  cacheSize: metric('svc_cache_size', 'gauge', ['cache'], 'Entries held by a cache of this process.'),
  cacheDecodeErrors: metric(
    'svc_cache_decode_errors_total',
    'counter',
    ['cache'],
    'Cached values that were unreadable.',
  ),
  cacheInvalidateErrors: metric(
    'svc_cache_invalidate_errors_total',
    'counter',
    ['cache', 'attr'],
    'Invalidations that failed.',
  ),
  profileActive: metric(
    'svc_connector_profile_active',
    'gauge',
    ['connector', 'profile'],
    '1 for the profile that served last.',
    'max',
  ),
  profileRequests: metric(
    'svc_connector_profile_requests_total',
    'counter',
    ['connector', 'profile'],
    'Operations sent to a profile.',
  ),
  profileErrors: metric(
    'svc_connector_profile_errors_total',
    'counter',
    ['connector', 'profile', 'error'],
    'Operations of a profile that failed.',
  ),
  profileFallbacks: metric(
    'svc_connector_profile_fallback_total',
    'counter',
    ['connector', 'from', 'to'],
    'Operations that went on to the next profile.',
  ),
  profileLatency: metric(
    'svc_connector_profile_latency_seconds',
    'histogram',
    ['connector', 'profile'],
    'Time of operations of a profile.',
  ),
  rateLimitStoreErrors: metric(
    'svc_rate_limit_store_errors_total',
    'counter',
    [],
    'Requests limited by this process alone because the shared store was away.',
  ),
  circuitBreakerState: metric(
    'svc_circuit_breaker_state',
    'gauge',
    ['breaker'],
    '0 while a circuit breaker is closed, 1 while it tries again, 2 while it is open.',
    'max',
  ),
  aspectErrors: metric(
    'svc_aspect_errors_total',
    'counter',
    ['aspect', 'flow'],
    'Conditions and actions of aspects that failed.',
  ),
  reloads: metric('svc_reloads_total', 'counter', [], 'Configurations put into use after start.'),
  reloadFailures: metric(
    'svc_reload_failures_total',
    'counter',
    [],
    'Configurations refused while an earlier one kept serving.',
  ),
  goroutines: metric('svc_goroutines', 'gauge', ['service', 'version'], 'Flow executions and background tasks alive.'),
  uptime: metric('svc_uptime_seconds', 'gauge', ['service', 'version'], 'Time since the service was started.', 'max'),
  info: metric('svc_service_info', 'gauge', ['service', 'version', 'svc_version', 'environment'], 'Always 1.', 'max'),
  cpuUser: metric('process_cpu_user_seconds_total', 'counter', [], 'Processor time of the program itself.'),
  cpuSystem: metric('process_cpu_system_seconds_total', 'counter', [], 'Processor time of the system for the program.'),
  residentMemory: metric('process_resident_memory_bytes', 'gauge', [], 'Memory of the process.'),
  heapUsed: metric('nodejs_heap_size_used_bytes', 'gauge', [], 'Memory of objects.'),
  heapTotal: metric('nodejs_heap_size_total_bytes', 'gauge', [], 'Memory reserved for objects.'),
  externalMemory: metric('nodejs_external_memory_bytes', 'gauge', [], 'Memory of buffers and bindings.'),
  eventLoopLag: metric(
    'nodejs_eventloop_lag_seconds',
    'gauge',
    [],
    'How late the event loop was when it was measured last.',
    'max',
  ),
} as const;

export const metricSpecs: readonly MetricSpec[] = Object.values(metricTable);
