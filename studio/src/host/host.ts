import type { HostEventName, HostEvents, ServiceName, ServiceParams, ServiceResult } from '../shared/services.ts';

/** Handlers of every service; one that is missing does not compile. */
export type HostServices = {
  readonly [S in ServiceName]: (params: ServiceParams<S>) => Promise<ServiceResult<S>>;
};

/** Tells the window something. */
export type Emit = <E extends HostEventName>(event: E, params: HostEvents[E]) => void;
