import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { type StorageConnector, storageConformance } from '../testing/storage-conformance.ts';
import { create } from './connector.ts';
import { kvCache } from './spec.ts';

const server = process.env['TEST_REDIS_URL'];
const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function make(url: string, prefix: string, memory: Record<string, unknown> | undefined, log = connectorServices().log) {
  const config = configured(kvCache.config, { url, prefix, timeout: 5000, memory });
  return create('c', config, connectorServices({ log })) as StorageConnector;
}

describe.skipIf(server === undefined)('memory before Redis', () => {
  storageConformance('cache/redis with memory', async () => {
    const { hostname, port } = new URL(server as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
    const prefix = randomUUID();
    return {
      client: (log) => make(`redis://127.0.0.1:${proxy.port}`, prefix, { ttl: 60_000 }, log),
      proxy,
      close: () => proxy.close(),
    };
  });

  /** A connector behind a proxy. */
  async function open(prefix: string, memory: Record<string, unknown> | undefined) {
    const { hostname, port } = new URL(server as string);
    const proxy: FaultProxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
    const cache = make(`redis://127.0.0.1:${proxy.port}`, prefix, memory);
    cleanups.push(async () => {
      await cache.close(AbortSignal.abort());
      await proxy.close();
    });
    await cache.open(never);
    return { storage: cache.storage, proxy };
  }

  test('X-12: what one process changes, another serves within a second', async () => {
    const prefix = randomUUID();
    const [a, b] = [await open(prefix, { ttl: 60_000 }), await open(prefix, { ttl: 60_000 })];
    const changes: readonly [() => unknown, string | undefined][] = [
      [() => a.storage.set('k', '1', undefined), '1'],
      [() => a.storage.replace('k', '1', '2', undefined), '2'],
      [() => a.storage.add('k', 1n, undefined), '3'],
      [() => a.storage.deleteIf('k', '3'), undefined],
      [() => a.storage.setIfAbsent('k', '4', undefined), '4'],
      [() => a.storage.delete(['k']), undefined],
      [() => a.storage.set('k', '5', undefined), '5'],
      [() => a.storage.deleteMatching('*'), undefined],
      [() => a.storage.set('k', '6', undefined), '6'],
      [() => a.storage.inspection?.sweep({ pattern: '*', isMeant: () => true }, undefined, never), undefined],
    ];
    for (const [change, value] of changes) {
      await change();
      const started = performance.now();
      expect(await a.storage.get('k')).toBe(value);
      await until(async () => (await b.storage.get('k')) === value);
      expect(performance.now() - started).toBeLessThan(1000);
    }
  });

  test('X-12: 500 simultaneous reads are one read of the server, and later ones none', async () => {
    const { storage, proxy } = await open(randomUUID(), { ttl: 60_000 });
    await storage.set('k', '1', undefined);
    proxy.sends = 0;
    proxy.latency = 20;
    const found = await Promise.all(Array.from({ length: 500 }, () => storage.get('k')));
    expect([new Set(found), proxy.sends]).toEqual([new Set(['1']), 1]);
    expect([storage.get('k'), proxy.sends]).toEqual(['1', 1]);
  });

  test('an entry is answered from memory no longer than ttl, and than the entry lives', async () => {
    const prefix = randomUUID();
    const [kept, other] = [await open(prefix, { ttl: 30 }), await open(prefix, undefined)];
    const long = await open(prefix, { ttl: 60_000 });
    await other.storage.set('k', '1', undefined);
    await other.storage.set('brief', '1', 100);
    expect([await kept.storage.get('k'), await long.storage.get('brief')]).toEqual(['1', '1']);
    await other.storage.set('k', '2', undefined);
    await until(async () => (await kept.storage.get('k')) === '2');
    await until(async () => (await long.storage.get('brief')) === undefined);
    await other.storage.delete(['k']);
  });

  test('max_items is how many entries are kept in memory', async () => {
    const { storage, proxy } = await open(randomUUID(), { ttl: 60_000, max_items: 2 });
    for (const key of ['a', 'b', 'c']) await storage.set(key, key, 60_000);
    for (const key of ['a', 'b', 'c']) await storage.get(key);
    proxy.sends = 0;
    expect([storage.get('b'), storage.get('c'), proxy.sends]).toEqual(['b', 'c', 0]);
    expect([await storage.get('a'), proxy.sends]).toEqual(['a', 1]);
  });

  test('X-12: a lost channel empties the memory, and a new one fills it again', async () => {
    const { storage, proxy } = await open(randomUUID(), { ttl: 60_000 });
    await storage.set('k', '1', 60_000);
    await storage.get('k');
    expect(storage.get('k')).toBe('1');
    proxy.fault = 'refuse';
    proxy.reset();
    await until(() =>
      Promise.resolve(storage.get('k')).then(
        () => false,
        ({ code }) => code === 'store_unavailable',
      ),
    );
    proxy.fault = 'pass';
    await until(async () => {
      const found = storage.get('k');
      await Promise.resolve(found).catch(() => undefined);
      return found === '1';
    });
  });
});
