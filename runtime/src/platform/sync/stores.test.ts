import { expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { planServices } from '../../engine/plan/testing/plan-services.ts';
import { SharedResources } from '../../service/running/generation/resources.ts';
import { memoryLog } from '../../service/running/testing/fakes.ts';
import { storage } from './storage-spec.ts';
import { syncStoreOf } from './stores.ts';

test('health names a store by the blocks that use it', async () => {
  const resources = new SharedResources(memoryLog().log);
  const lease = resources.lease();
  const services = { ...planServices(), share: lease.share.bind(lease) };
  const redis = configured(storage, { driver: 'redis', url: 'redis://locks:6379' });
  const names = () => lease.watched.map(({ name }) => name);
  syncStoreOf(redis, services, 'lock of flow "transfer"');
  syncStoreOf(redis, services, 'lock of flow "transfer"');
  syncStoreOf(undefined, services, 'semaphore of flow "export"');
  expect(names()).toEqual(['lock of flow "transfer"']);
  for (const flow of ['a', 'b', 'c', 'd']) syncStoreOf(redis, services, `lock of flow "${flow}"`);
  expect(names()).toEqual(['lock of flow "transfer", lock of flow "a", lock of flow "b" and 2 more']);
  await lease.release(1_000);
});

test('equal settings are one store, and others another', () => {
  const services = planServices();
  const store = (written: Record<string, unknown> | undefined) =>
    syncStoreOf(written && configured(storage, written), services, 'lock of flow "a"');
  const redis = store({ driver: 'redis', url: 'redis://:secret@locks:6379/1' });
  expect(store({ driver: 'kv_store', host: 'locks', password: 'secret', db: 1 })).toBe(redis);
  expect(store({ driver: 'redis', host: 'locks', db: 1 })).not.toBe(redis);
  expect(store({ driver: 'redis', url: 'redis://:secret@locks:6379/2' })).not.toBe(redis);
  expect(store(undefined)).toBe(store({ driver: 'memory' }));
  expect([store(undefined).processLocal, redis.processLocal]).toEqual([true, false]);
  expect(redis.name).toBe('the store of lock of flow "a"');
});
