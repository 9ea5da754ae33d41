import { describe, expect, test } from 'vitest';
import { FlowMetrics } from '../../platform/telemetry/flow-observer.ts';
import { ProfileMetrics } from '../../platform/telemetry/profile-metrics.ts';
import { RequestMetrics } from '../../platform/telemetry/request-metrics.ts';
import { Failure } from '../errors/failure.ts';
import type { Log } from './log.ts';
import { metricSpecs } from './metric-table.ts';
import { Metrics } from './metrics.ts';
import { exposition, mergeSnapshots } from './registry.ts';

const silent: Log = {
  enabled: () => false,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silent,
};

/** The lines of one metric without its comments. */
function linesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

describe('R-34', () => {
  test('profiles move every one of their metrics', () => {
    const metrics = new Metrics();
    const profiles = new ProfileMetrics(metrics);
    profiles.selected('rates', 'primary');
    profiles.requested('rates', 'primary', 'connector_refused', 0.2);
    profiles.fellBack('rates', 'primary', 'secondary');
    profiles.selected('rates', 'secondary');
    profiles.requested('rates', 'secondary', undefined, 0.1);
    const text = metrics.text();
    const moved = text
      .split('\n')
      .filter((line) => line.startsWith('svc_connector_profile') && !/_bucket|_sum/.test(line));
    expect(moved).toEqual([
      'svc_connector_profile_active{connector="rates",profile="primary"} 0',
      'svc_connector_profile_active{connector="rates",profile="secondary"} 1',
      'svc_connector_profile_requests_total{connector="rates",profile="primary"} 1',
      'svc_connector_profile_requests_total{connector="rates",profile="secondary"} 1',
      'svc_connector_profile_errors_total{connector="rates",profile="primary",error="connector_refused"} 1',
      'svc_connector_profile_fallback_total{connector="rates",from="primary",to="secondary"} 1',
      'svc_connector_profile_latency_seconds_count{connector="rates",profile="primary"} 1',
      'svc_connector_profile_latency_seconds_count{connector="rates",profile="secondary"} 1',
    ]);
  });

  test('requests move their metrics by route pattern, unknown methods are one', () => {
    const metrics = new Metrics();
    const requests = new RequestMetrics(metrics, 'orders');
    for (const [method, route, status] of [
      ['GET', '/loans/:id', 200],
      ['GET', '/loans/:id', 200],
      ['GET', '/loans/:id', 404],
      ['BREW', 'unmatched', 404],
      ['MAKE', 'unmatched', 404],
    ] as const) {
      const counts = requests.of(method, route);
      counts.started();
      counts.finished(status, 0.02);
    }
    requests.of('GET', '/loans/:id').started();
    const text = metrics.text();
    expect(linesOf(text, 'svc_requests_total')).toEqual([
      'svc_requests_total{service="orders",method="GET",path="/loans/:id",status="200"} 2',
      'svc_requests_total{service="orders",method="GET",path="/loans/:id",status="404"} 1',
      'svc_requests_total{service="orders",method="other",path="unmatched",status="404"} 2',
    ]);
    expect(linesOf(text, 'svc_requests_in_flight')).toEqual([
      'svc_requests_in_flight{method="GET",path="/loans/:id"} 1',
      'svc_requests_in_flight{method="other",path="unmatched"} 0',
    ]);
    expect(text).toContain(
      'svc_request_duration_seconds_bucket{method="GET",path="/loans/:id",le="0.01"} 0\n' +
        'svc_request_duration_seconds_bucket{method="GET",path="/loans/:id",le="0.025"} 3\n',
    );
    expect(text).toContain('svc_request_duration_seconds_count{method="GET",path="/loans/:id"} 3\n');
    expect(requests.inFlight).toBe(1);
  });

  test('flows move every one of their metrics', () => {
    const metrics = new Metrics();
    const flows = new FlowMetrics(metrics, silent, 'orders');
    const run = (status: 'success' | 'error' | 'dropped', seconds: number, detail?: unknown) => {
      flows.started('list');
      flows.finished('list', status, seconds, detail);
    };
    run('success', 0.5);
    run('success', 1.5);
    run('error', 1, new Failure('connector_timeout', 'late'));
    run('error', 1, new Failure('cancelled', 'gone'));
    run('dropped', 1, { kind: 'drop', reason: 'filter', policy: 'ack', expression: 'false', messageId: '' });
    flows.cache('c', 'hit');
    flows.cache('c', 'miss');
    flows.cache('c', 'decode_error');
    flows.cache('c', 'key_error');
    flows.invalidateFailed('c', 'keys');
    flows.connectorCall('db', 'database', 'read', 'success', 0.1);
    flows.connectorCall('db', 'database', 'read', 'error', 0.1);
    flows.connectorCall('db', 'database', 'read', 'refused', 0.1);
    const text = metrics.text();
    const moved = text
      .split('\n')
      .filter((line) => /^svc_(flow|cache|connector)_/.test(line) && !/_bucket|_sum/.test(line));
    expect(moved).toEqual([
      'svc_connector_operations_total{connector="db",type="database",operation="read",status="success"} 1',
      'svc_connector_operations_total{connector="db",type="database",operation="read",status="error"} 2',
      'svc_connector_latency_seconds_count{connector="db",type="database",operation="read"} 3',
      'svc_connector_errors_total{service="orders",connector="db"} 1',
      'svc_flow_executions_total{flow="list",status="success"} 2',
      'svc_flow_executions_total{flow="list",status="error"} 2',
      'svc_flow_executions_total{flow="list",status="dropped"} 1',
      'svc_flow_duration_seconds_count{flow="list"} 5',
      'svc_flow_errors_total{flow="list",error_type="timeout"} 1',
      'svc_flow_errors_total{flow="list",error_type="canceled"} 1',
      'svc_flow_drops_total{flow="list",reason="filter"} 1',
      'svc_flow_duration_fastest_seconds{flow="list"} 0.5',
      'svc_flow_duration_slowest_seconds{flow="list"} 1.5',
      'svc_flow_duration_average_seconds{flow="list"} 1',
      'svc_flow_messages_per_second{flow="list"} 2',
      'svc_cache_hits_total{cache="c"} 1',
      'svc_cache_misses_total{cache="c"} 1',
      'svc_cache_decode_errors_total{cache="c"} 1',
      'svc_cache_key_errors_total{cache="c"} 1',
      'svc_cache_invalidate_errors_total{cache="c",attr="keys"} 1',
    ]);
    expect(flows.active).toBe(0);
  });
});

test('label values cannot break out of their quotes', () => {
  const metrics = new Metrics();
  metrics.families.cacheHits.of('a"b\\c\nd').value = 1;
  expect(linesOf(metrics.text(), 'svc_cache_hits_total')).toEqual(['svc_cache_hits_total{cache="a\\"b\\\\c\\nd"} 1']);
});

test('the metrics of several processes become one: sums, extremes, a true mean', () => {
  const [one, two] = [new Metrics(), new Metrics()];
  for (const [metrics, seconds] of [
    [one, [1]],
    [two, [4, 4]],
  ] as const) {
    const flows = new FlowMetrics(metrics, silent, 's');
    for (const value of seconds) {
      flows.started('f');
      flows.finished('f', 'success', value, undefined);
    }
  }
  const text = exposition(metricSpecs, mergeSnapshots(metricSpecs, [one.snapshot(), two.snapshot()]));
  expect([
    ...linesOf(text, 'svc_flow_executions_total'),
    ...linesOf(text, 'svc_flow_duration_fastest_seconds'),
    ...linesOf(text, 'svc_flow_duration_slowest_seconds'),
    ...linesOf(text, 'svc_flow_duration_average_seconds'),
  ]).toEqual([
    'svc_flow_executions_total{flow="f",status="success"} 3',
    'svc_flow_executions_total{flow="f",status="error"} 0',
    'svc_flow_executions_total{flow="f",status="dropped"} 0',
    'svc_flow_duration_fastest_seconds{flow="f"} 1',
    'svc_flow_duration_slowest_seconds{flow="f"} 4',
    'svc_flow_duration_average_seconds{flow="f"} 3',
  ]);
});
