import type { MetricsEntry } from '@svc/protocol/wire';
import type { Metrics } from '../../foundation/observe/metrics.ts';
import { buckets } from '../../foundation/observe/registry.ts';
import { type DebuggedService, flowsFrom } from './inspect.ts';

/** What flows have done, and how the process is. Without metrics nothing is counted. */
export function metricsEntry(
  service: DebuggedService,
  metrics: Metrics | undefined,
  threads: Iterable<{ readonly flow: string }>,
): MetricsEntry {
  const { stages, events } = service;
  metrics?.collect();
  const families = metrics?.families;
  const inFlight = Map.groupBy(threads, ({ flow }) => flow);
  const flows = [...stages.keys()].map((flow) => {
    const count = (status: string) => families?.flowExecutions.known(flow, status)?.value ?? 0;
    const durations = families?.flowDuration.known(flow)?.numbers() ?? [];
    return {
      flow,
      succeeded: count('success'),
      failed: count('error'),
      dropped: count('dropped'),
      inFlight: inFlight.get(flow)?.length ?? 0,
      seconds: durations.at(-1) ?? 0,
      durations: durations.slice(0, -1),
    };
  });
  const sources = [...(events?.keys() ?? [])].map((connector) => ({
    connector,
    flows: flowsFrom(service, connector),
    retried: families?.messagesRetried.total({ connector }) ?? 0,
    rejected: families?.messagesRejected.total({ connector }) ?? 0,
    dropped: families?.messagesDropped.total({ connector }) ?? 0,
  }));
  return {
    bounds: buckets,
    flows,
    sources,
    process: {
      processes: 1,
      uptimeSeconds: families?.uptime.total() ?? 0,
      memoryBytes: families?.residentMemory.total() ?? 0,
      heapBytes: families?.heapUsed.total() ?? 0,
      cpuSeconds: (families?.cpuUser.total() ?? 0) + (families?.cpuSystem.total() ?? 0),
      lagSeconds: families?.eventLoopLag.total() ?? 0,
      requestsInFlight: families?.requestsInFlight.total() ?? 0,
      tasks: families?.goroutines.total() ?? 0,
    },
  };
}
