import type { BuiltinAnswer, BuiltinRoute } from '../../../foundation/contracts/http.ts';
import { metricsContentType } from '../../../foundation/observe/metrics.ts';
import { type HealthIdentity, type HealthReport, healthAnswer, livenessAnswer, readinessAnswer } from './health.ts';

/** Where health and metrics come from: this process, or all of them. */
export interface BuiltinSources {
  readonly report: () => HealthReport | Promise<HealthReport>;
  readonly identity: () => HealthIdentity;
  readonly metrics: () => string | Promise<string>;
}

/**
 * Health and metrics on every port. Liveness and readiness are open where the connector asks for credentials
 * (docs/specification/observability.md#health).
 */
export function builtinRoutes({ report, identity, metrics }: BuiltinSources): readonly BuiltinRoute[] {
  const answered = (render: (report: HealthReport) => BuiltinAnswer) => () => {
    const found = report();
    return found instanceof Promise ? found.then(render) : render(found);
  };
  const exposed = (body: string): BuiltinAnswer => ({ status: 200, contentType: metricsContentType, body });
  return [
    { path: '/health', open: false, handle: answered((found) => healthAnswer(found, identity())) },
    { path: '/health/live', open: true, handle: livenessAnswer },
    { path: '/health/ready', open: true, handle: answered(readinessAnswer) },
    {
      path: '/metrics',
      open: false,
      handle: () => {
        const text = metrics();
        return typeof text === 'string' ? exposed(text) : text.then(exposed);
      },
    },
  ];
}
