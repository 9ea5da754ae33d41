import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';
import { makeFolder } from './program.ts';
import { type RedisNode, startRedisNode } from './redis-node.ts';

/** A master named `main`, its replica, and the sentinel that watches them. */
export interface WatchedRedis {
  readonly master: RedisNode;
  readonly replica: RedisNode;
  readonly sentinel: RedisNode;
  /** `host:port` of the sentinel. */
  readonly node: string;
  /** The same where it speaks TLS. */
  readonly secured: string;
  stop(): Promise<void>;
}

export interface Passwords {
  /** Of the master and its replica. */
  readonly servers?: string;
  readonly sentinel?: string;
}

/** Resolves when the sentinel knows the replica. A master that is silent for a second is replaced. */
export async function startWatchedRedis(
  { servers, sentinel: own }: Passwords = {},
  tls?: readonly string[],
): Promise<WatchedRedis> {
  const secret = servers === undefined ? [] : ['--requirepass', servers, '--masterauth', servers];
  const speaksTls = tls === undefined ? [] : ['--tls-replication', 'yes'];
  const words = [...secret, '--repl-diskless-sync-delay', '0', ...speaksTls];
  const options = { tls, ...(servers !== undefined && { password: servers }) };
  const master = await startRedisNode({ ...options, words });
  const port = tls === undefined ? master.port : master.securePort;
  const replica = await startRedisNode({ ...options, words: [...words, '--replicaof', `127.0.0.1 ${port}`] });
  await until(async () => /master_link_status:up/.test(await replica.client.info('replication')));
  const folder = makeFolder('sentinel');
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `sentinel monitor main 127.0.0.1 ${port} 1`,
    'sentinel down-after-milliseconds main 1000',
    'sentinel failover-timeout main 2000',
    ...(servers === undefined ? [] : [`sentinel auth-pass main ${servers}`]),
    ...(own === undefined ? [] : [`requirepass ${own}`]),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const sentinel = await startRedisNode({
    sentinel: file,
    words: speaksTls,
    tls,
    ...(own !== undefined && { password: own }),
  });
  await until(async () => {
    const replicas = (await sentinel.client.call('SENTINEL', 'REPLICAS', 'main')) as readonly (readonly string[])[];
    return replicas.length === 1 && replicas.flat().includes('ok');
  });
  return {
    master,
    replica,
    sentinel,
    node: `127.0.0.1:${sentinel.port}`,
    secured: `127.0.0.1:${sentinel.securePort}`,
    stop: async () => {
      await Promise.all([master, replica, sentinel].map((node) => node.stop()));
      rmSync(folder, { recursive: true });
    },
  };
}
