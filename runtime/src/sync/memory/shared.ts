import type { PlanServices } from '../../plan/plan.ts';
import type { SyncStore } from '../store.ts';
import { MemorySyncStore } from './store.ts';

/** The one store that all flows of this process share, whatever generation they belong to. */
export function processMemory({ share, clock }: Pick<PlanServices, 'share' | 'clock'>): SyncStore {
  return share('sync:memory', () => new MemorySyncStore(clock));
}
