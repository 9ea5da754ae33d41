import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { backoffDelay } from '../backoff.ts';
import { joinWrites } from '../joined-writes.ts';
import type { TlsMaterial } from '../tls.ts';
import type { Address } from './address.ts';
import { limitCommands } from './command-limit.ts';

/** A client of one server, of those that a sentinel watches, or of a cluster. */
export type RedisClient = Redis | Cluster;

/** What a client asks of its servers, whatever their arrangement is. Times are milliseconds. */
export interface ClientSettings {
  /** Longest wait for one answer. */
  readonly timeout: number;
  readonly connectTimeout: number;
  /** What the server lists the connection as. */
  readonly name: string;
  readonly scripts?: RedisOptions['scripts'];
  /** What TLS connections are made with; absent where plain TCP is spoken, or the address says it. */
  readonly tls?: TlsMaterial | undefined;
}

/** How long clients wait before they connect again. */
export const reconnect = { kind: 'exponential', delay: 100, maxDelay: 2000, jitter: true } as const;

/**
 * A client that is not connected yet. Commands fail at once while the server is unavailable, and after `timeout` when it does
 * not answer: nothing is queued for a server that may never come back, and nothing is sent twice.
 */
export function redisClient({ address, ...settings }: ClientSettings & { readonly address: Address }): Redis {
  const { host, port, db, tls } = address;
  const secure = settings.tls === undefined ? tls : { ...tls, ...settings.tls };
  const { commandTimeout, ...options } = serverOptions(settings, address);
  const redis = new Redis({
    ...options,
    host,
    port,
    db,
    ...(secure && { tls: { ...secure } }),
  });
  redis.on('connect', () => joinWrites(redis.stream, setImmediate));
  limitCommands(redis, commandTimeout);
  return redis;
}

/**
 * A client for subscriptions to the same servers, not connected, that does not connect again when it is lost. What is
 * published in a cluster comes from each of its nodes. Throws while no node is known.
 */
export function listenerOf(client: RedisClient): Redis {
  const nodes = client instanceof Cluster ? client.nodes('all') : [client];
  const node = nodes[Math.floor(Math.random() * nodes.length)];
  if (node === undefined) throw new Error('Connection is closed.');
  const { socketTimeout: commandTimeout } = node.options;
  return node.duplicate({ lazyConnect: true, retryStrategy: () => null, ...(commandTimeout && { commandTimeout }) });
}

/** Options of every client that sends its commands to one server. */
export function serverOptions(
  { timeout, connectTimeout, name, scripts }: ClientSettings,
  { username, password }: Pick<Address, 'username' | 'password'>,
) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    connectionName: name.replaceAll(/[^!-~]/g, '-'),
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeout,
    socketTimeout: timeout,
    connectTimeout,
    retryStrategy: (times: number) => backoffDelay(reconnect, times),
    ...(scripts && { scripts }),
  };
}
