import { type FaultProxy, faultProxy } from '../proxy.ts';
import { until } from '../until.ts';
import type { RedisCluster } from './redis-cluster.ts';
import type { WatchedRedis } from './redis-sentinel.ts';

/** A proxy in front of each master of a cluster; the nodes name the proxies as their addresses. */
export interface ProxiedCluster {
  /** `host:port` of the proxies. */
  readonly nodes: readonly string[];
  /** In the order of the masters. */
  readonly proxies: readonly FaultProxy[];
  close(): Promise<void>;
}

/** Resolves when every node names the proxies. What nodes say to each other does not pass them. */
export async function behindProxies({ masters, replicas }: RedisCluster): Promise<ProxiedCluster> {
  const proxies = await Promise.all(masters.map(({ port }) => faultProxy({ port })));
  await Promise.all(
    masters.map(({ client }, at) => client.config('SET', 'cluster-announce-port', String(proxies[at]?.port))),
  );
  await until(async () => {
    const lines = await Promise.all([...masters, ...replicas].map(({ client }) => client.cluster('NODES')));
    return lines.every((text) => proxies.every(({ port }) => String(text).includes(`127.0.0.1:${port}@`)));
  });
  return {
    nodes: proxies.map(({ port }) => `127.0.0.1:${port}`),
    proxies,
    close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
  };
}

/** Proxies in front of the master and of the sentinel, which knows the master by its proxy. */
export interface ProxiedSentinel {
  /** `host:port` of the proxy of the sentinel. */
  readonly node: string;
  readonly master: FaultProxy;
  readonly sentinel: FaultProxy;
  close(): Promise<void>;
}

/** Resolves when the sentinel knows the replica too. It replaces a master that is silent for `silence` milliseconds. */
export async function behindSentinelProxies(
  watched: WatchedRedis,
  { password, silence }: { readonly password: string; readonly silence: number },
): Promise<ProxiedSentinel> {
  const master = await faultProxy({ port: watched.master.port });
  const sentinel = await faultProxy({ port: watched.sentinel.port });
  const ask = (...words: (string | number)[]) => watched.sentinel.client.call('SENTINEL', ...words);
  await ask('REMOVE', 'main');
  await ask('MONITOR', 'main', '127.0.0.1', master.port, 1);
  await ask('SET', 'main', 'auth-pass', password);
  await ask('SET', 'main', 'down-after-milliseconds', silence);
  await ask('SET', 'main', 'failover-timeout', 2_000);
  await until(async () => {
    const replicas = (await ask('REPLICAS', 'main')) as readonly (readonly string[])[];
    return replicas.length === 1 && replicas.flat().includes('ok');
  });
  return {
    node: `127.0.0.1:${sentinel.port}`,
    master,
    sentinel,
    close: async () => {
      await master.close();
      await sentinel.close();
    },
  };
}
