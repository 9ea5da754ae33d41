import { Redis } from 'ioredis';
import { backoffDelay } from '../backoff.ts';
import { joinWrites } from '../joined-writes.ts';
import { type ClientSettings, reconnect, serverOptions } from './client.ts';
import { type Node, textOfNode } from './node.ts';

export interface SentinelPlace {
  /** What the sentinels call the master. */
  readonly master: string;
  readonly nodes: readonly Node[];
  /** Password of the sentinels. */
  readonly password: string | undefined;
  readonly username: string | undefined;
  /** Password of the master and its replicas. */
  readonly masterPassword: string | undefined;
  readonly db: number;
  /** Commands are sent to a replica. */
  readonly replicaOnly: boolean;
}

/**
 * A client, not connected yet, of the server that sentinels name as master. When its connection is lost, or sentinels
 * name another one, it asks them again.
 */
export function sentinelClient(place: SentinelPlace, settings: ClientSettings): Redis {
  const { nodes, master, password, username, masterPassword, db, replicaOnly } = place;
  const { tls } = settings;
  let wasReady = false;
  const redis = new Redis({
    ...serverOptions(settings, { username, password: masterPassword }),
    sentinels: [...nodes],
    name: master,
    role: replicaOnly ? 'slave' : 'master',
    db,
    ...(password !== undefined && { sentinelPassword: password }),
    sentinelCommandTimeout: settings.timeout,
    // Without an answer of any sentinel the first connection fails, and a later one is tried again.
    sentinelRetryStrategy: (times) => (wasReady ? backoffDelay(reconnect, times) : null),
    // A master that became a replica refuses what writes; the next one is asked for, and the command is not repeated.
    reconnectOnError: ({ message }) => !replicaOnly && message.startsWith('READONLY'),
    ...(tls && { tls: { ...tls }, sentinelTLS: { ...tls }, enableTLSForSentinelMode: true }),
  });
  redis.on('connect', () => joinWrites(redis.stream, setImmediate));
  redis.once('ready', () => {
    wasReady = true;
  });
  return redis;
}

/** Undefined where all sentinels answer and no replica is down, else what is missing. */
export async function sentinelHealth(place: SentinelPlace, settings: ClientSettings): Promise<string | undefined> {
  const answers = await Promise.all(place.nodes.map((node) => replicasDown(node, place, settings)));
  const silent = place.nodes.filter((_, at) => answers[at] === undefined);
  const down = new Set(answers.flatMap((answer) => answer ?? []));
  const said = [
    silent.length > 0 && `${silent.length} of ${place.nodes.length} sentinels do not answer: ${named(silent)}`,
    down.size > 0 && `replicas are down: ${[...down].join(', ')}`,
  ].filter((text) => text !== false);
  return said.length === 0 ? undefined : said.join('; ');
}

export function placeOfSentinels({ nodes, master }: SentinelPlace): string {
  return `${named(nodes)} (master "${master}")`;
}

const named = (nodes: readonly Node[]) => nodes.map(textOfNode).join(', ');

/** The replicas that a sentinel takes for down; undefined where it does not answer. */
async function replicasDown(
  { host, port }: Node,
  { master, password }: SentinelPlace,
  settings: ClientSettings,
): Promise<readonly string[] | undefined> {
  const { retryStrategy: _, ...options } = serverOptions(
    { ...settings, scripts: {} },
    { username: undefined, password },
  );
  const sentinel = new Redis({
    ...options,
    host,
    port,
    enableReadyCheck: false,
    retryStrategy: () => null,
    ...(settings.tls && { tls: { ...settings.tls } }),
  });
  sentinel.on('error', () => undefined);
  try {
    await sentinel.connect();
    const replicas = (await sentinel.call('SENTINEL', 'REPLICAS', master)) as readonly (readonly string[])[];
    return replicas.map(fieldsOf).flatMap(({ flags = '', name = '' }) => (/[so]_down/.test(flags) ? [name] : []));
  } catch {
    return undefined;
  } finally {
    sentinel.disconnect();
  }
}

/** Names and values one after another. */
function fieldsOf(list: readonly string[]): Partial<Record<string, string>> {
  return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : [])));
}
