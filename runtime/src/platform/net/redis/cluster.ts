import { Cluster, type Redis } from 'ioredis';
import { backoffDelay } from '../backoff.ts';
import { joinWrites } from '../joined-writes.ts';
import { type ClientSettings, reconnect, serverOptions } from './client.ts';
import { storeFailure } from './failure.ts';
import { type Node, textOfNode } from './node.ts';

/** Milliseconds between two looks at which node has which keys; a command that is refused for that looks at once. */
const lookEvery = 5_000;

export interface ClusterPlace {
  /** Nodes that are asked for the others. */
  readonly nodes: readonly Node[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** How often one command is redirected, or repeated because the cluster refused it for now. */
  readonly maxRedirects: number;
  /** Which nodes are asked for what is only read. */
  readonly reads: 'master' | 'slave' | 'all';
}

/**
 * A client of a cluster that is not connected yet. A command goes to the node that has its key. As with one server,
 * nothing is queued and nothing is sent twice: only what a node refused is sent to the one that it named.
 */
export function clusterClient(
  { nodes, maxRedirects, reads, ...place }: ClusterPlace,
  settings: ClientSettings,
): Cluster {
  const { retryStrategy: _, enableOfflineQueue: __, scripts, ...redisOptions } = serverOptions(settings, place);
  const cluster = new Cluster([...nodes], {
    lazyConnect: true,
    enableOfflineQueue: false,
    // A cluster that cannot serve some keys serves the others.
    enableReadyCheck: false,
    scaleReads: reads,
    maxRedirections: maxRedirects,
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: settings.connectTimeout,
    slotsRefreshInterval: lookEvery,
    clusterRetryStrategy: (times) => backoffDelay(reconnect, times),
    // Names of hosts are kept, since certificates are verified by them.
    dnsLookup: (host, callback) => callback(null, host),
    ...(scripts && { scripts: scripts as Record<string, { lua: string; numberOfKeys?: number }> }),
    redisOptions: { ...redisOptions, ...(settings.tls && { tls: { ...settings.tls } }) },
  });
  // A node that is being connected takes no commands: it is connected before one is meant for it.
  cluster.on('+node', (node: Redis) => {
    node.on('connect', () => joinWrites(node.stream, setImmediate));
    node.connect().catch(() => undefined);
  });
  return cluster;
}

/** Connects, and waits for each node until it can be used or is known to be unavailable. */
export async function connectCluster(cluster: Cluster): Promise<void> {
  await cluster.connect();
  await Promise.all(cluster.nodes('all').map(settled));
}

function settled(node: Redis): Promise<void> {
  return new Promise((resolve) => {
    if (node.status === 'ready' || node.status === 'end') resolve();
    for (const event of ['ready', 'end']) node.once(event, () => resolve());
  });
}

/** The masters as the cluster names them now: all of them, those too that are unavailable. */
export async function mastersOf(cluster: Cluster): Promise<readonly Redis[]> {
  await new Promise<void>((resolve, reject) => {
    cluster.refreshSlotsCache((error) => (error ? reject(error) : resolve()));
  }).catch((error: unknown) => {
    throw storeFailure(error);
  });
  const masters = cluster.nodes('master');
  if (masters.length === 0) throw storeFailure(new Error('Connection is closed.'));
  return masters;
}

/** Undefined where every node serves, else which do not. Rejects with `store_unavailable` where the cluster is down. */
export async function clusterHealth(cluster: Cluster): Promise<string | undefined> {
  let last: unknown = new Error('Connection is closed.');
  for (const node of cluster.nodes('all')) {
    try {
      const [info, nodes] = await Promise.all([node.cluster('INFO'), node.cluster('NODES')]);
      if (!/^cluster_state:ok/m.test(String(info))) throw new Error('CLUSTERDOWN The cluster is down');
      return failedNodes(String(nodes));
    } catch (error) {
      last = error;
    }
  }
  throw storeFailure(last);
}

/** Each line is a node: its name, `host:port@bus,hostname`, its flags. */
function failedNodes(lines: string): string | undefined {
  const nodes = lines.split('\n').filter((line) => line !== '');
  const failed = nodes.filter((line) => /\bfail\b/.test(line.split(' ')[2] ?? ''));
  if (failed.length === 0) return undefined;
  const names = failed.map((line) => (line.split(' ')[1] ?? '').split('@')[0]);
  return `${failed.length} of ${nodes.length} nodes of the cluster have failed: ${names.join(', ')}`;
}

export function placeOfCluster({ nodes }: ClusterPlace): string {
  return nodes.map(textOfNode).join(', ');
}
