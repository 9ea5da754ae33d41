import type { PlanServices, Resource } from '../../foundation/contracts/plan.ts';
import type { FlowProbe } from '../../foundation/contracts/probe.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { Metrics } from '../../foundation/observe/metrics.ts';

export interface TestServicesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: string;
  readonly probe: FlowProbe;
  /** Whether what flows share is kept in this process. */
  readonly isolated: boolean;
  /** Called with every flow that failed, also with one that answered nevertheless. */
  readonly failed: (flow: string, failure: unknown) => void;
  /** Takes the work that no caller waits for, until it is done. */
  readonly background: Set<Promise<unknown>>;
  /** Takes what flows share. */
  readonly shared: Map<string, Resource>;
}

const families = new Metrics().families;
const quiet = () => undefined;

/** What the flows of a test use of a service: nothing is counted, and nothing outlives the test. */
export function servicesOf(options: TestServicesOptions): PlanServices {
  const { clock, log, directory, probe, isolated, failed, background, shared } = options;
  return {
    log,
    clock,
    environment: 'test',
    production: false,
    directory,
    observer: {
      started: quiet,
      finished: (flow, status, _seconds, detail) => {
        if (status === 'error') failed(flow, detail);
      },
      cache: quiet,
      invalidateFailed: quiet,
      connectorCall: quiet,
      unmatched: quiet,
    },
    probe,
    isolated,
    families,
    degrade: quiet,
    stopTime: 0,
    background: (name, work) => {
      const done = work().catch((error: unknown) => log.error('background work failed', { work: name, error }));
      background.add(done);
      void done.finally(() => background.delete(done));
    },
    share: <T extends Resource>(key: string, make: () => T): T => {
      let resource = shared.get(key);
      if (resource === undefined) shared.set(key, (resource = make()));
      return resource as T;
    },
  };
}
