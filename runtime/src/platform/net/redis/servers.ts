import type { Redis } from 'ioredis';
import { addressOf, type WrittenAddress } from './address.ts';
import { type ClientSettings, type RedisClient, redisClient } from './client.ts';
import { clusterClient, clusterHealth, placeOfCluster } from './cluster.ts';
import { type Place, placeOf } from './connection.ts';
import { nodeOf } from './node.ts';
import { placeOfSentinels, sentinelClient, sentinelHealth } from './sentinel.ts';

/** What a connector says of its servers (`server-spec.ts`). */
export interface WrittenServers extends WrittenAddress {
  readonly mode: 'standalone' | 'cluster' | 'sentinel';
  readonly cluster?: WrittenCluster | undefined;
  readonly sentinel?: WrittenSentinel | undefined;
}

interface WrittenCluster {
  readonly nodes: readonly string[];
  readonly password?: string | undefined;
  readonly max_redirects?: number;
  readonly read_only?: boolean;
  readonly route_randomly?: boolean;
}

interface WrittenSentinel {
  readonly nodes: readonly string[];
  readonly master_name: string;
  readonly password?: string | undefined;
  readonly master_password?: string | undefined;
  readonly db: number;
  readonly replica_only?: boolean;
}

/** How often a command follows to another node where the connector does not say it. */
const standardRedirects = 16;

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
export function serversOf(config: WrittenServers): Servers {
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

function clusterOf({ username }: WrittenServers, cluster: WrittenCluster): Servers {
  const {
    nodes,
    password,
    max_redirects: maxRedirects = standardRedirects,
    read_only: readOnly,
    route_randomly: isRandom,
  } = cluster;
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

function sentinelsOf({ username }: WrittenServers, sentinel: WrittenSentinel): Servers {
  const { nodes, master_name: master, password, master_password: masterPassword, db } = sentinel;
  const place = {
    nodes: nodes.map((node) => nodeOf(node, 26_379)),
    master,
    password,
    username,
    masterPassword,
    db,
    replicaOnly: sentinel.replica_only === true,
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
