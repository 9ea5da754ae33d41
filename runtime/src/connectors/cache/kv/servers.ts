import type { Values } from '@svc/protocol/schema';
import type { Redis } from 'ioredis';
import { addressOf } from '../../../net/redis/address.ts';
import { type ClientSettings, type RedisClient, redisClient } from '../../../net/redis/client.ts';
import { clusterClient, clusterHealth, placeOfCluster } from '../../../net/redis/cluster.ts';
import { type Place, placeOf } from '../../../net/redis/connection.ts';
import { nodeOf } from '../../../net/redis/node.ts';
import { placeOfSentinels, sentinelClient, sentinelHealth } from '../../../net/redis/sentinel.ts';
import type { kvCache } from './spec.ts';

type Config = Values<typeof kvCache.config>;

/** The servers of a connector, however they are arranged. */
export interface Servers {
  readonly place: Place;
  /** A client of them that is not connected yet. */
  client(settings: ClientSettings): Connectable;
}

/** A client, and what it knows about the health of its servers beyond an answer: undefined where nothing is missing. */
export interface Connectable {
  readonly redis: RedisClient;
  readonly missing: () => Promise<string | undefined>;
}

/** Reads where the servers are: those of the block that `mode` asks for, which validation requires. */
export function serversOf(config: Config): Servers {
  const { cluster, sentinel } = config;
  if (cluster !== undefined) return clusterOf(config, cluster);
  if (sentinel !== undefined) return sentinelsOf(config, sentinel);
  const address = addressOf(config);
  const client = (settings: ClientSettings) => alone(redisClient({ address, ...settings }));
  return { place: placeOf(address), client };
}

function alone(redis: Redis): Connectable {
  return { redis, missing: async () => void (await redis.ping()) };
}

function clusterOf({ username }: Config, cluster: NonNullable<Config['cluster']>): Servers {
  const { nodes, password, max_redirects: maxRedirects, read_only: readOnly, route_randomly: isRandom } = cluster;
  const place = {
    nodes: nodes.map((node) => nodeOf(node, 6379)),
    username,
    password,
    maxRedirects,
    reads: isRandom ? 'all' : readOnly ? 'slave' : 'master',
  } as const;
  return {
    place: { label: placeOfCluster(place), db: 0 },
    client: (settings) => {
      const redis = clusterClient(place, settings);
      return { redis, missing: () => clusterHealth(redis) };
    },
  };
}

function sentinelsOf({ username }: Config, sentinel: NonNullable<Config['sentinel']>): Servers {
  const { nodes, master_name: master, password, master_password: masterPassword, db } = sentinel;
  const place = {
    nodes: nodes.map((node) => nodeOf(node, 26_379)),
    master,
    password,
    username,
    masterPassword,
    db,
    replicaOnly: sentinel.replica_only,
  };
  return {
    place: { label: placeOfSentinels(place), db },
    client: (settings) => {
      const redis = sentinelClient(place, settings);
      return {
        redis,
        missing: async () => {
          await redis.ping();
          return sentinelHealth(place, settings);
        },
      };
    },
  };
}
