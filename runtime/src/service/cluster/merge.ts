import type { ComponentHealth, HealthReport, HealthStatus } from '../running/health/health.ts';

const gravity: Readonly<Record<HealthStatus, number>> = { healthy: 0, degraded: 1, unhealthy: 2 };

/**
 * The health of several processes as one: each component is as bad as in the worst process, and the service is ready as
 * soon as one process is.
 */
export function mergeHealth(reports: readonly HealthReport[]): HealthReport {
  const components: Record<string, ComponentHealth> = {};
  for (const report of reports)
    for (const [name, health] of Object.entries(report.components)) {
      const known = components[name];
      components[name] = known === undefined ? health : worse(known, health);
    }
  const ready = reports.some(({ notReady }) => notReady === undefined);
  return { notReady: ready ? undefined : (reports[0]?.notReady ?? 'no worker is running'), components };
}

function worse(a: ComponentHealth, b: ComponentHealth): ComponentHealth {
  const worse = gravity[b.status] > gravity[a.status] ? b : a;
  return { ...worse, latency_ms: Math.max(a.latency_ms, b.latency_ms) };
}
