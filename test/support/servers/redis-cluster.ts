import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { type RedisNode, startRedisNode } from './redis-node.ts';

const slots = 16_384;

/** A cluster of three masters with equal shares of the keys, and replicas of the first of them. */
export interface RedisCluster {
  readonly masters: readonly RedisNode[];
  readonly replicas: readonly RedisNode[];
  /** `host:port` of the masters. */
  readonly nodes: readonly string[];
  /** The same where they speak TLS. */
  readonly secured: readonly string[];
  stop(): Promise<void>;
}

/** Resolves when every node knows that the cluster serves all keys. `tls` are words about certificates. */
export async function startRedisCluster(replicas = 0, tls?: readonly string[]): Promise<RedisCluster> {
  const all = await Promise.all(Array.from({ length: 3 + replicas }, () => startNode(tls)));
  const masters = all.slice(0, 3);
  const [first, ...others] = all.map(({ node }) => node) as [RedisNode, ...RedisNode[]];
  await Promise.all(
    masters.map(({ node }, at) => {
      const [from, to] = [at, at + 1].map((part) => Math.floor((part * slots) / 3)) as [number, number];
      return node.client.call('CLUSTER', 'ADDSLOTSRANGE', from, to - 1);
    }),
  );
  await Promise.all(all.map(({ node }, at) => node.client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1)));
  for (const { node, bus } of all.slice(1)) {
    await first.client.call('CLUSTER', 'MEET', '127.0.0.1', node.port, bus);
  }
  const nodes = [first, ...others];
  await until(async () => {
    const infos = await Promise.all(nodes.map(({ client }) => client.cluster('INFO')));
    return infos.every((info) => String(info).includes(`cluster_known_nodes:${nodes.length}`));
  });
  const id = String(await first.client.call('CLUSTER', 'MYID'));
  for (const { node } of all.slice(3)) {
    await until(() =>
      node.client.call('CLUSTER', 'REPLICATE', id).then(
        () => true,
        () => false,
      ),
    );
    await until(async () => /master_link_status:up/.test(await node.client.info('replication')));
  }
  await until(async () => {
    const infos = await Promise.all(nodes.map(({ client }) => client.cluster('INFO')));
    return infos.every((info) => String(info).includes('cluster_state:ok'));
  });
  return {
    masters: masters.map(({ node }) => node),
    replicas: all.slice(3).map(({ node }) => node),
    nodes: masters.map(({ node }) => `127.0.0.1:${node.port}`),
    secured: masters.map(({ node }) => `127.0.0.1:${node.securePort}`),
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

async function startNode(tls: readonly string[] | undefined) {
  const bus = await freePort();
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-node-timeout', '1000'];
  const words = [...cluster, '--repl-diskless-sync-delay', '0', ...(tls ? ['--tls-cluster', 'yes'] : [])];
  return { node: await startRedisNode({ words, tls }), bus };
}
