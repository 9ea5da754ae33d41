import { metricSpecs, metricTable } from './metric-table.ts';
import { exposition, Family, type MetricsSnapshot } from './registry.ts';

type Families = { readonly [K in keyof typeof metricTable]: Family<(typeof metricTable)[K]['kind']> };

/** The metrics of one process. Owners change the samples; what is cheap to compute is computed at each scrape. */
export class Metrics {
  readonly families: Families;
  readonly #collectors = new Set<() => void>();

  constructor() {
    const entries = Object.entries(metricTable).map(([key, spec]) => [key, new Family(spec)]);
    this.families = Object.fromEntries(entries) as Families;
  }

  /** Calls `collect` before every scrape, until the returned function is called. */
  onCollect(collect: () => void): () => void {
    this.#collectors.add(collect);
    return () => void this.#collectors.delete(collect);
  }

  /** Computes what is computed at each scrape. */
  collect(): void {
    for (const collect of this.#collectors) collect();
  }

  snapshot(): MetricsSnapshot {
    this.collect();
    return Object.values(this.families).map((family) => [family.spec.name, family.series()]);
  }

  /** What GET /metrics answers with. */
  text(): string {
    return exposition(metricSpecs, this.snapshot());
  }
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Fills the metrics of the process and its runtime at each scrape. */
export function collectProcess(metrics: Metrics, lag: () => number): () => void {
  const { cpuUser, cpuSystem, residentMemory, heapUsed, heapTotal, externalMemory, eventLoopLag } = metrics.families;
  return metrics.onCollect(() => {
    const cpu = process.cpuUsage();
    const memory = process.memoryUsage();
    cpuUser.of().value = cpu.user / 1e6;
    cpuSystem.of().value = cpu.system / 1e6;
    residentMemory.of().value = memory.rss;
    heapUsed.of().value = memory.heapUsed;
    heapTotal.of().value = memory.heapTotal;
    externalMemory.of().value = memory.external;
    eventLoopLag.of().value = lag() / 1000;
  });
}
