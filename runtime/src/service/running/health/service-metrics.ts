import type { Metrics } from '../../../foundation/observe/metrics.ts';
import type { Generation } from '../generation/generation.ts';
import { typeOf } from '../generation/open.ts';

/** What the metrics of a whole service are read from at each scrape. */
export interface ServiceState {
  readonly generation: Generation | undefined;
  /** Seconds. */
  readonly uptime: number;
  /** Flow executions and background tasks in progress. */
  readonly tasks: number;
  readonly environment: string;
  readonly productVersion: string;
  /** Whether a connector passed its last check. */
  readonly isUp: (connector: string) => boolean;
}

/** Fills the metrics that describe the service itself at each scrape. */
export function collectService(metrics: Metrics, state: () => ServiceState): () => void {
  const { info, uptime, goroutines, connectorHealth, cacheSize } = metrics.families;
  return metrics.onCollect(() => {
    const { generation, isUp, ...now } = state();
    if (generation === undefined) return;
    const { name, version } = generation.settings;
    for (const family of [info, uptime, goroutines, connectorHealth, cacheSize]) family.clear();
    info.of(name, version, now.productVersion, now.environment).value = 1;
    uptime.of(name, version).value = now.uptime;
    goroutines.of(name, version).value = now.tasks;
    for (const [connector, held] of generation.connectors) {
      if (!generation.isHere(connector)) continue;
      connectorHealth.of(connector, typeOf(held.planned)).value = isUp(connector) ? 1 : 0;
      const size = held.connector.storage?.size?.();
      if (size !== undefined) cacheSize.of(connector).value = size;
    }
  });
}
