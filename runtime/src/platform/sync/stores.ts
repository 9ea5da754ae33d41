import { createHash } from 'node:crypto';
import type { Values } from '@svc/protocol/schema';
import type { PlanServices } from '../../foundation/contracts/plan.ts';
import { addressOf } from '../net/redis/address.ts';
import { MemorySyncStore } from './memory/store.ts';
import { RedisSyncStore } from './redis/store.ts';
import { isProcessLocal, type storage as spec } from './storage-spec.ts';
import type { SyncStore } from './store.ts';

type Storage = Values<typeof spec> | undefined;

/**
 * The store that a `storage` block names. Equal settings mean the same store, whichever flow or generation writes them,
 * so that a reload keeps what is held. `user` is the block, as health and the log name the store by it. It is open before the first message comes.
 */
export function syncStoreOf(
  storage: Storage,
  services: Pick<PlanServices, 'share' | 'clock' | 'log' | 'isolated'>,
  user: string,
): SyncStore {
  const { share, clock, log, isolated = false } = services;
  if (isolated || storage === undefined || isProcessLocal(storage))
    return share('sync:memory', () => new MemorySyncStore(clock), user);
  const address = addressOf(storage);
  const settings = createHash('sha256').update(JSON.stringify(address)).digest('hex');
  return share(`sync:redis:${settings}`, () => new RedisSyncStore(`the store of ${user}`, address, log), user);
}
