import type { Metrics } from '../observe/metrics.ts';
import { ProfileMetrics } from './profile-metrics.ts';

/** What connectors are given to count with. */
export function connectorCounts(metrics: Metrics) {
  const { undispatched } = metrics.families;
  return {
    profiles: new ProfileMetrics(metrics),
    undispatched: (connector: string, driver: string, target: string, key: string): void => {
      undispatched.of(connector, driver, target, key).value++;
    },
  };
}
