import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import type { FaultProxy } from '../../../../../test/support/proxy.ts';
import { findProgram } from '../../../../../test/support/servers/program.ts';
import { type RedisCluster, startRedisCluster } from '../../../../../test/support/servers/redis-cluster.ts';
import type { RedisNode } from '../../../../../test/support/servers/redis-node.ts';
import {
  behindProxies,
  behindSentinelProxies,
  type ProxiedCluster,
  type ProxiedSentinel,
} from '../../../../../test/support/servers/redis-proxies.ts';
import { startWatchedRedis, type WatchedRedis } from '../../../../../test/support/servers/redis-sentinel.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { describeCall } from '../../database/testing/parts.ts';
import type { StorageConnector } from '../testing/storage-conformance.ts';
import { create } from './connector.ts';
import { kvCache } from './spec.ts';

const never = new AbortController().signal;
/** Milliseconds that an answer is waited for. */
const answerTime = 1_000;
const opened: StorageConnector[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((connector) => connector.close(AbortSignal.abort())));
});

async function open(written: Record<string, unknown>): Promise<StorageConnector> {
  const config = configured(kvCache.config, { prefix: randomUUID(), timeout: answerTime, ...written });
  const connector = create('c', config, connectorServices()) as StorageConnector;
  opened.push(connector);
  await connector.open(never);
  return connector;
}

const keys = Array.from({ length: 30 }, (_, at) => `k${at}`);
const codeOf = (work: unknown) =>
  Promise.resolve(work).then(
    () => 'answered',
    ({ code }: Failure) => code,
  );
const readAll = ({ storage }: StorageConnector) => Promise.all(keys.map((key) => codeOf(storage.get(key))));
const isServed = async (cache: StorageConnector) =>
  (await readAll(cache)).every((code) => code === 'answered') && codeOf(cache.storage.set('k0', 'k0', undefined));

/** What a connector that counts says of a command. */
const counted = (cache: StorageConnector, key: string) =>
  codeOf(cache.target?.prepare(describeCall('call', { operation: 'increment' }))({ params: { key } }));

describe.skipIf(findProgram('redis-server') === undefined)('A-04: faults between a cache and its servers', () => {
  describe('a cluster', () => {
    let servers: RedisCluster;
    let proxied: ProxiedCluster;
    const first = () => proxied.proxies[0] as FaultProxy;
    const cluster = (words: Record<string, unknown> = {}) =>
      open({ mode: 'cluster', cluster: { nodes: proxied.nodes, ...words } });

    beforeAll(async () => {
      servers = await startRedisCluster();
      proxied = await behindProxies(servers);
    });
    afterEach(() => {
      for (const proxy of proxied.proxies) {
        proxy.fault = 'pass';
        proxy.latency = 0;
      }
    });
    afterAll(async () => {
      await proxied?.close();
      await servers?.stop();
    });

    /** Keys by whether the first master has them. */
    async function shares(cache: StorageConnector) {
      await Promise.all(servers.masters.map(({ client }) => client.flushall()));
      await Promise.all(keys.map((key) => cache.storage.set(key, key, undefined)));
      const [master] = servers.masters as [RedisNode];
      const names = (await master.client.keys('*')).map((name) => name.split(':').at(-1));
      return { own: keys.filter((key) => names.includes(key)), others: keys.filter((key) => !names.includes(key)) };
    }

    test.each(['cut', 'blackhole', 'refuse'] as const)(
      'of which one node is a %s: its keys fail in time, the others are served, and it is taken back',
      async (fault) => {
        const cache = await cluster();
        const { own, others } = await shares(cache);
        first().fault = fault;
        if (fault === 'refuse') first().reset();
        const began = performance.now();
        const found = await Promise.all([
          Promise.all(own.map((key) => codeOf(cache.storage.get(key)))),
          Promise.all(others.map((key) => cache.storage.get(key))),
        ]);
        expect(found).toEqual([own.map(() => 'store_unavailable'), others]);
        expect(performance.now() - began).toBeLessThan(answerTime * 10);
        first().fault = 'pass';
        await until(() => isServed(cache));
      },
    );

    test('of which one node is slow: the others answer before it does', async () => {
      const cache = await cluster();
      const { own, others } = await shares(cache);
      first().latency = answerTime / 4;
      const ended: string[] = [];
      const ask = (key: string) => Promise.resolve(cache.storage.get(key)).then(() => ended.push(key));
      await Promise.all([...own, ...others].map(ask));
      expect(new Set(ended.slice(0, others.length))).toEqual(new Set(others));
    });

    test('whose open connections go silent: new ones are made', async () => {
      const cache = await cluster();
      await shares(cache);
      for (const proxy of proxied.proxies) proxy.silence();
      expect(new Set(await readAll(cache))).toEqual(new Set(['store_unavailable']));
      await until(() => isServed(cache));
    });

    test('A-10: a count that one node did not answer may have happened, the others are known', async () => {
      const cache = await cluster();
      const { own, others } = await shares(cache);
      // A counter is an entry of its own name; these names are of the same node as the entries.
      await Promise.all(keys.map((key) => cache.storage.delete([key])));
      first().fault = 'blackhole';
      expect([await counted(cache, own[0] as string), await counted(cache, others[0] as string)]).toEqual([
        'outcome_unknown',
        'answered',
      ]);
    });

    test('whose nodes name each other: a command is sent max_redirects times, and is known not to have happened', async () => {
      const cache = await cluster({ max_redirects: 5 });
      const names = servers.masters as readonly [RedisNode, RedisNode, RedisNode];
      const [one, other] = names;
      const { own } = await shares(cache);
      const [key] = own as [string];
      const [name] = (await one.client.keys(`*:${key}`)) as [string];
      const slot = Number(await one.client.call('CLUSTER', 'KEYSLOT', name));
      const [oneId, otherId] = await Promise.all([one, other].map(({ client }) => client.call('CLUSTER', 'MYID')));
      await one.client.del(name);
      // Each says that the other one has the slot, and neither claims it.
      await one.client.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(otherId));
      await other.client.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(oneId));
      const calls = async () => {
        const texts = await Promise.all(names.map(({ client }) => client.info('commandstats')));
        const sum = (command: string) =>
          texts.flatMap((text) => [...text.matchAll(new RegExp(`${command}:.*rejected_calls=(\\d+)`, 'g'))]);
        return sum('cmdstat_get').reduce((total, [, refused]) => total + Number(refused), 0);
      };
      for (const { client } of names) await client.config('RESETSTAT');
      const asked = 40;
      const codes = await Promise.all(Array.from({ length: asked }, () => codeOf(cache.storage.get(key))));
      expect(new Set(codes)).toEqual(new Set(['store_unavailable']));
      const refused = await calls();
      expect(refused).toBeGreaterThanOrEqual(asked);
      expect(refused).toBeLessThanOrEqual(asked * 6);
      expect(await counted(cache, key)).toBe('connector_refused');
      for (const { client } of names) await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(oneId));
      await until(() => isServed(cache));
    });

    test('whose slot is on its way: what has not arrived is asked for there, and a node that does not take it is not asked without end', async () => {
      const cache = await cluster({ max_redirects: 5 });
      const [one, other] = servers.masters as readonly [RedisNode, RedisNode, RedisNode];
      const { own } = await shares(cache);
      const [key] = own as [string];
      const [name] = (await one.client.keys(`*:${key}`)) as [string];
      const slot = Number(await one.client.call('CLUSTER', 'KEYSLOT', name));
      const [oneId, otherId] = await Promise.all([one, other].map(({ client }) => client.call('CLUSTER', 'MYID')));
      await one.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(otherId));
      await one.client.del(name);
      // The other node does not know of it: it sends back, and the first one sends there again.
      expect(await codeOf(cache.storage.get(key))).toBe('store_unavailable');
      await other.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(oneId));
      await cache.storage.set(key, 'there', undefined);
      expect([await cache.storage.get(key), await counted(cache, 'free')]).toEqual(['there', 'answered']);
      for (const { client } of [one, other]) await client.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
      await other.client.call('DEL', name).catch(() => undefined);
    });
  });

  describe('a master that a sentinel watches', () => {
    let servers: WatchedRedis;
    let proxied: ProxiedSentinel;
    const cache = () =>
      open({ mode: 'sentinel', sentinel: { master_name: 'main', nodes: [proxied.node], master_password: 'geheim' } });

    beforeAll(async () => {
      servers = await startWatchedRedis({ servers: 'geheim' });
      proxied = await behindSentinelProxies(servers, { password: 'geheim', silence: 60_000 });
    });
    afterEach(() => {
      for (const proxy of [proxied.master, proxied.sentinel]) {
        proxy.fault = 'pass';
        proxy.latency = 0;
      }
    });
    afterAll(async () => {
      await proxied?.close();
      await servers?.stop();
    });

    test.each(['cut', 'blackhole', 'refuse', 'drip'] as const)(
      'that is a %s: commands fail in time, and work again',
      async (fault) => {
        const made = await cache();
        await Promise.all(keys.map((key) => made.storage.set(key, key, undefined)));
        proxied.master.fault = fault;
        if (fault === 'refuse') proxied.master.reset();
        const began = performance.now();
        const codes = new Set(await readAll(made));
        expect(performance.now() - began).toBeLessThan(answerTime * 10);
        for (const code of codes)
          expect(['store_unavailable', ...(fault === 'drip' ? ['answered'] : [])]).toContain(code);
        proxied.master.fault = 'pass';
        await until(() => isServed(made));
        expect(await Promise.all(keys.map((key) => made.storage.get(key)))).toEqual(keys);
      },
    );

    test('whose open connections go silent: new ones are made, and a count says that it may have happened', async () => {
      const made = await cache();
      proxied.master.silence();
      expect(await counted(made, 'n')).toBe('outcome_unknown');
      await until(() => isServed(made));
    });

    test('while the sentinel is silent is still asked, and the check names the sentinel', async () => {
      const made = await cache();
      proxied.sentinel.fault = 'blackhole';
      expect(await readAll(made)).toEqual(keys.map(() => 'answered'));
      expect(await made.check?.(never)).toBe(`1 of 1 sentinels do not answer: ${proxied.node}`);
      proxied.sentinel.reset();
      proxied.sentinel.fault = 'pass';
      await until(async () => (await made.check?.(never)) === undefined);
    });

    test('that goes silent is replaced by its replica, and no other command is needed', async () => {
      const made = await cache();
      await Promise.all(keys.map((key) => made.storage.set(key, key, undefined)));
      await servers.master.client.wait(1, 10_000);
      await servers.sentinel.client.call('SENTINEL', 'SET', 'main', 'down-after-milliseconds', 1_000);
      proxied.master.fault = 'blackhole';
      await until(() => isServed(made));
      expect(await Promise.all(keys.map((key) => made.storage.get(key)))).toEqual(keys);
      const [, port] = (await servers.sentinel.client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as string[];
      expect(port).toBe(String(servers.replica.port));
    });
  });
});
