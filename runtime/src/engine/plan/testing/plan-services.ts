import type { PlanServices, Resource } from '../../../foundation/contracts/plan.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { Metrics } from '../../../foundation/observe/metrics.ts';

const quiet = () => undefined;
const silent: Log = { enabled: () => false, debug: quiet, info: quiet, warn: quiet, error: quiet, with: () => silent };

/** What a plan needs of a service; what is not given does nothing or is that of the machine. */
export function planServices(given: Partial<PlanServices> = {}): PlanServices {
  const shared = new Map<string, Resource>();
  return {
    log: silent,
    clock: systemClock,
    environment: 'development',
    production: false,
    directory: '/',
    observer: {
      started: quiet,
      finished: quiet,
      cache: quiet,
      invalidateFailed: quiet,
      connectorCall: quiet,
      unmatched: quiet,
    },
    probe: { attached: false, begin: quiet, enter: quiet, leave: quiet, end: quiet },
    families: new Metrics().families,
    degrade: quiet,
    background: (_name, work) => void work(),
    share: <T extends Resource>(key: string, make: () => T): T => {
      let resource = shared.get(key);
      if (resource === undefined) shared.set(key, (resource = make()));
      return resource as T;
    },
    connectorServices: () => {
      throw new Error('no server was expected');
    },
    stopTime: 1000,
    ...given,
  };
}
