import { redisUrl } from '../../../runtime/src/connectors/mq/pubsub/testing/bed.ts';
import { startRedisCluster } from '../../support/servers/redis-cluster.ts';
import { startWatchedRedis } from '../../support/servers/redis-sentinel.ts';
import type { Written } from './row.ts';

/** A way in which servers of Redis are put together, started when it is first asked for and shared by all rows. */
interface RedisServers {
  readonly mode: 'standalone' | 'cluster' | 'sentinel';
  /** What a block says to reach them. */
  start(): Promise<Written>;
  stop(): Promise<void>;
}

function shared<S extends { stop(): Promise<void> }>(
  mode: RedisServers['mode'],
  begin: () => Promise<S>,
  written: (servers: S) => Written,
): RedisServers {
  let started: Promise<S> | undefined;
  return {
    mode,
    start: async () => {
      started ??= begin();
      return written(await started);
    },
    stop: async () => {
      const servers = started;
      started = undefined;
      await (await servers)?.stop();
    },
  };
}

export const redisServers: readonly RedisServers[] = [
  { mode: 'standalone', start: async () => ({ url: redisUrl }), stop: async () => undefined },
  shared(
    'cluster',
    () => startRedisCluster(),
    ({ nodes }) => ({ cluster: { nodes } }),
  ),
  shared(
    'sentinel',
    () => startWatchedRedis(),
    ({ node }) => ({ sentinel: { master_name: 'main', nodes: [node] } }),
  ),
];
