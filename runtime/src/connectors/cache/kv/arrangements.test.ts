import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { findProgram } from '../../../../../test/support/servers/program.ts';
import { type RedisCluster, startRedisCluster } from '../../../../../test/support/servers/redis-cluster.ts';
import type { RedisNode } from '../../../../../test/support/servers/redis-node.ts';
import { startWatchedRedis, type WatchedRedis } from '../../../../../test/support/servers/redis-sentinel.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { inspectionConformance } from '../testing/inspection-conformance.ts';
import { type StorageBed, type StorageConnector, storageConformance } from '../testing/storage-conformance.ts';
import { arrangedBed } from '../testing/target-beds.ts';
import { create } from './connector.ts';
import { kvCache } from './spec.ts';

const never = new AbortController().signal;
const opened: StorageConnector[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((connector) => connector.close(AbortSignal.abort())));
});

const keys = Array.from({ length: 60 }, (_, at) => `k${at}`);

function make(written: Record<string, unknown>, log = connectorServices().log): StorageConnector {
  return create('c', configured(kvCache.config, written), connectorServices({ log })) as StorageConnector;
}

async function open(written: Record<string, unknown>, lines: LogLine[] = []): Promise<StorageConnector> {
  const connector = make({ prefix: randomUUID(), timeout: 1000, ...written }, recordingLog(lines));
  opened.push(connector);
  await connector.open(never);
  return connector;
}

function failure(work: unknown): Promise<Failure> {
  return Promise.resolve(work).then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

describe.skipIf(findProgram('redis-server') === undefined)('Redis servers that are several', () => {
  describe('a cluster', () => {
    let servers: RedisCluster;
    const at = (words: Record<string, unknown> = {}) => ({
      mode: 'cluster',
      cluster: { nodes: servers.nodes, ...words },
    });
    beforeAll(async () => {
      servers = await startRedisCluster(1);
    });
    afterAll(() => servers.stop());

    const bed = async (): Promise<StorageBed> => {
      const prefix = `svc-test:*[${randomUUID()}]`;
      return {
        client: (log) => make({ ...at(), prefix, timeout: 5000 }, log),
        close: async () => undefined,
      };
    };
    storageConformance('cache/redis cluster', bed);
    inspectionConformance('cache/redis cluster', bed);

    targetConformance('cache/redis cluster', () => arrangedBed({ ...at(), prefix: randomUUID() }, []));

    test('entries are spread over all nodes, counted and deleted together', async () => {
      const { storage } = await open(at());
      await Promise.all(keys.map((key) => storage.set(key, key, undefined)));
      const sizes = await Promise.all(servers.masters.map(({ client }) => client.dbsize()));
      expect(sizes.filter((size) => size === 0)).toEqual([]);
      expect(await Promise.all(keys.map((key) => storage.get(key)))).toEqual(keys);
      expect(await storage.delete(keys.slice(0, 20))).toBe(20);
      expect(await storage.deleteMatching('k*')).toBe(40);
      expect(await Promise.all(keys.map((key) => storage.has(key)))).toEqual(keys.map(() => false));
    });

    test('one node leads to the others', async () => {
      const { storage } = await open(at({ nodes: ['127.0.0.1:1', servers.nodes[1]] }));
      await Promise.all(keys.map((key) => storage.set(key, key, undefined)));
      expect(await Promise.all(keys.map((key) => storage.get(key)))).toEqual(keys);
    });

    test.each([
      ['read_only', { read_only: true }],
      ['route_randomly', { route_randomly: true }],
    ])('%s asks replicas for what is only read', async (_, words) => {
      const { storage } = await open(at(words));
      const replica = servers.replicas[0]!;
      await Promise.all(keys.map((key) => storage.set(key, key, undefined)));
      await replica.client.config('RESETSTAT');
      await until(async () => {
        expect(await Promise.all(keys.map((key) => storage.get(key)))).toContain('k1');
        return /cmdstat_get:calls=/.test(await replica.client.info('commandstats'));
      });
    });

    test('a moved slot is followed max_redirects times', async () => {
      const prefix = '{moved}';
      const following = await open({ ...at(), prefix });
      const stopping = await open({ ...at({ max_redirects: 0 }), prefix });
      const [first] = servers.masters as [RedisNode];
      const slot = Number(await first.client.call('CLUSTER', 'KEYSLOT', prefix));
      const answers = await Promise.allSettled(servers.masters.map(({ client }) => client.get(prefix)));
      const holder = servers.masters[answers.findIndex(({ status }) => status === 'fulfilled')] as RedisNode;
      const next = servers.masters.find((node) => node !== holder && node !== first) as RedisNode;
      const [id, former] = await Promise.all([next, holder].map(({ client }) => client.call('CLUSTER', 'MYID')));
      // A node does not give up a slot whose keys it has.
      await holder.client.flushall();
      // A node that imports a slot takes a new epoch with it, so that the others do not give the slot back to the former.
      await next.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(former));
      for (const { client } of [next, holder]) await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(id));
      const refused = await failure(stopping.storage.get('k'));
      expect([refused.code, refused.message]).toEqual(['store_unavailable', expect.stringContaining('redirections')]);
      await following.storage.set('k', 'kept', undefined);
      expect(await following.storage.get('k')).toBe('kept');
    });

    test('passwords are needed and not shown', async () => {
      const nodes = [...servers.masters, ...servers.replicas];
      const setPassword = (password: string) =>
        Promise.all(nodes.map(({ client }) => client.config('SET', 'requirepass', password)));
      await Promise.all(nodes.map(({ client }) => client.config('SET', 'masterauth', 'geheim')));
      await setPassword('geheim');
      try {
        const lines: LogLine[] = [];
        for (const words of [{ password: 'falsch' }, {}]) {
          const refused = await failure(open(at(words), lines));
          expect(refused.code).toBe('store_unavailable');
          expect(JSON.stringify([refused.message, lines])).not.toMatch(/falsch|geheim/);
        }
        const { storage } = await open(at({ password: 'geheim' }));
        await storage.set('a', '1', undefined);
        expect(await storage.get('a')).toBe('1');
      } finally {
        await setPassword('');
      }
    });

    test('a killed master is replaced by its replica: entries are kept, requests recover, health tells it', async () => {
      const cache = await open(at());
      const { storage } = cache;
      await Promise.all(keys.map((key) => storage.set(key, key, undefined)));
      await Promise.all(servers.masters.map(({ client }, index) => client.wait(index === 0 ? 1 : 0, 1000)));
      expect(await cache.check?.(never)).toBe(undefined);
      await servers.masters[0]!.stop();
      await expect.poll(() => readAll(storage)).toEqual(keys);
      await until(async () => (await Promise.resolve(cache.check?.(never)).catch(() => '')) !== '');
      expect(await cache.check?.(never)).toBe(`1 of 4 nodes of the cluster have failed: ${servers.nodes[0]}`);
      expect(await storage.deleteMatching('k*')).toBe(keys.length);
      await servers.masters[1]!.stop();
      const outcomes = await Promise.allSettled(keys.map(async (key) => storage.get(key)));
      const codes = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [(outcome.reason as Failure).code] : [],
      );
      expect(new Set(codes)).toEqual(new Set(['store_unavailable']));
      expect((await failure(storage.deleteMatching('*'))).code).toBe('store_unavailable');
      await until(() =>
        failure(cache.check?.(never)).then(
          ({ code }) => code === 'store_unavailable',
          () => false,
        ),
      );
    });
  });

  describe('servers that a sentinel watches', () => {
    let servers: WatchedRedis;
    const at = (words: Record<string, unknown> = {}) => ({
      mode: 'sentinel',
      sentinel: {
        master_name: 'main',
        nodes: [servers.node],
        password: 'wacht',
        master_password: 'geheim',
        ...words,
      },
    });
    beforeAll(async () => {
      servers = await startWatchedRedis({ servers: 'geheim', sentinel: 'wacht' });
    });
    afterAll(() => servers.stop());

    storageConformance('cache/redis sentinel', async () => {
      const prefix = `svc-test:*[${randomUUID()}]`;
      return {
        client: (log) => make({ ...at(), prefix, timeout: 5000 }, log),
        close: async () => undefined,
      };
    });

    targetConformance('cache/redis sentinel', () =>
      arrangedBed({ ...at(), prefix: randomUUID() }, ['wacht', 'geheim']),
    );

    test.each([
      ['password', { password: 'falsch' }],
      ['master_password', { master_password: 'falsch' }],
      ['master_name', { master_name: 'falsch' }],
      ['node', { nodes: ['127.0.0.1:1'] }],
      ['db', { db: 9999 }],
    ])('a wrong %s fails at start', async (_, words) => {
      const lines: LogLine[] = [];
      const refused = await failure(open(at(words), lines));
      expect(refused.code).toBe('store_unavailable');
      expect(JSON.stringify([refused.message.replace('master "falsch"', ''), lines])).not.toMatch(
        /falsch|geheim|wacht/,
      );
    });

    test('databases keep their entries apart', async () => {
      const prefix = randomUUID();
      const [one, other] = [await open({ ...at(), prefix }), await open({ ...at({ db: 1 }), prefix })];
      await one.storage.set('k', 'kept', undefined);
      expect([await one.storage.get('k'), await other.storage.get('k')]).toEqual(['kept', undefined]);
    });

    test('with replica_only a replica answers, and refuses what writes', async () => {
      const prefix = randomUUID();
      const [writer, reader] = [await open({ ...at(), prefix }), await open({ ...at({ replica_only: true }), prefix })];
      await writer.storage.set('k', 'kept', undefined);
      await until(async () => (await reader.storage.get('k')) === 'kept');
      const refused = await failure(reader.storage.set('k', 'other', undefined));
      expect([refused.code, refused.message]).toEqual(['store_unavailable', expect.stringContaining('READONLY')]);
    });

    test('a killed master is replaced by its replica: entries are kept, requests recover, health tells it', async () => {
      const lines: LogLine[] = [];
      const cache = await open(at({ nodes: ['127.0.0.1:1', servers.node] }), lines);
      const { storage } = cache;
      await Promise.all(keys.map((key) => storage.set(key, key, undefined)));
      await servers.master.client.wait(1, 1000);
      expect(await cache.check?.(never)).toBe('1 of 2 sentinels do not answer: 127.0.0.1:1');
      await servers.master.stop();
      expect((await failure(storage.get('k1'))).code).toBe('store_unavailable');
      await expect.poll(() => readAll(storage)).toEqual(keys);
      await until(() =>
        Promise.resolve(storage.set('new', '1', undefined)).then(
          () => true,
          () => false,
        ),
      );
      await until(async () => /replicas are down/.test(String(await cache.check?.(never))));
      expect(lines.map(({ level, message }) => [level, message])).toEqual([
        ['warn', 'the cache is unavailable; reconnecting'],
        ['info', 'the cache is back'],
      ]);
    });
  });
});

async function readAll(storage: StorageConnector['storage']) {
  return Promise.all(keys.map((key) => storage.get(key))).catch((error: Failure) => error.code);
}

test('a port that is not given is the usual one', async () => {
  const looked = async (written: Record<string, unknown>) => (await failure(open(written))).message.split(': ')[0];
  const nodes = ['localhost.invalid', '[::1]:1'];
  expect([
    await looked({ mode: 'cluster', cluster: { nodes } }),
    await looked({ mode: 'sentinel', sentinel: { master_name: 'm', nodes } }),
  ]).toEqual(['localhost.invalid:6379, [::1]:1', 'localhost.invalid:26379, [::1]:1 (master "m")']);
});
