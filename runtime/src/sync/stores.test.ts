import { expect, test } from 'vitest';
import { configured } from '../../../test/support/configured.ts';
import { planServices } from '../plan/testing/plan-services.ts';
import { storage } from './storage-spec.ts';
import { syncStoreOf } from './stores.ts';

test('equal settings are one store, and others another', () => {
  const services = planServices();
  const store = (written: Record<string, unknown> | undefined) =>
    syncStoreOf(written && configured(storage, written), services);
  const redis = store({ driver: 'redis', url: 'redis://:secret@locks:6379/1' });
  expect(store({ driver: 'kv_store', host: 'locks', password: 'secret', db: 1 })).toBe(redis);
  expect(store({ driver: 'redis', host: 'locks', db: 1 })).not.toBe(redis);
  expect(store({ driver: 'redis', url: 'redis://:secret@locks:6379/2' })).not.toBe(redis);
  expect(store(undefined)).toBe(store({ driver: 'memory' }));
  expect([store(undefined).processLocal, redis.processLocal]).toEqual([true, false]);
  expect(redis.name).toMatch(/^sync:redis:[0-9a-f]{6}$/);
});
