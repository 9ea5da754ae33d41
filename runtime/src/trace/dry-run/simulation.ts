import type { Connector } from '../../contracts/connector.ts';
import type { Resource } from '../../contracts/plan.ts';
import type { SyncStore } from '../../sync/store.ts';
import { simulatedStorage } from './storage.ts';
import { isSyncStore, SimulatedSync } from './sync.ts';
import { simulatedTarget } from './target.ts';

/** Something that a dry run did not do. */
export interface Simulated {
  readonly connector: string;
  /** `INSERT`, `POST /orders`, `create`, `transaction`, `cache set`. */
  readonly operation: string;
  /** Flow and title of the block that asked (`step "user"`); absent for caches and locks. */
  readonly place?: { readonly flow: string; readonly label: string };
  /** What would have been sent, and what stands in for the answer. */
  readonly answer: Readonly<Record<string, unknown>>;
}

export type TellSimulated = (simulated: Simulated) => void;

/** A connector through which nothing is changed: what reads passes, everything else is told and answered from here. */
export function simulatedConnector(connector: Connector, getsByDefault: boolean, tell: TellSimulated): Connector {
  const { name, target, storage } = connector;
  return {
    name,
    open: (signal) => connector.open(signal),
    close: () => connector.close(),
    ...(target === undefined ? {} : { target: simulatedTarget(name, target, getsByDefault, tell) }),
    ...(storage === undefined ? {} : { storage: simulatedStorage(name, storage, tell) }),
  };
}

/** The same for what flows share, such as locks. */
export function simulatedResource<T extends Resource>(resource: T, tell: TellSimulated): T {
  return isSyncStore(resource) ? (new SimulatedSync(resource, tell) as SyncStore as unknown as T) : resource;
}
