import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { Resource } from '../../../foundation/contracts/plan.ts';
import type { SyncStore } from '../../../platform/sync/store.ts';
import type { KnownCalls } from './reading.ts';
import type { ReportSimulated } from './simulated-call.ts';
import { simulatedStorage } from './storage.ts';
import { isSyncStore, SimulatedSync } from './sync.ts';
import { simulatedTarget } from './target.ts';

/** A connector through which nothing is changed: reads pass, everything else is reported and answered here. */
export function simulatedConnector(connector: Connector, known: KnownCalls, report: ReportSimulated): Connector {
  const { name, target, storage } = connector;
  return {
    name,
    open: (signal) => connector.open(signal),
    close: (cut) => connector.close(cut),
    ...(target === undefined ? {} : { target: simulatedTarget(name, target, known, report) }),
    ...(storage === undefined ? {} : { storage: simulatedStorage(name, storage, report) }),
  };
}

/** The same for what flows share, such as locks. */
export function simulatedResource<T extends Resource>(resource: T, report: ReportSimulated): T {
  return isSyncStore(resource) ? (new SimulatedSync(resource, report) as SyncStore as unknown as T) : resource;
}
