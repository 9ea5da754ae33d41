import { Redis } from 'ioredis';
import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, startProgram } from './program.ts';
import type { RunningServer } from './server.ts';

/** One process of Redis: a server, a node of a cluster, or a sentinel. */
export interface RedisNode extends RunningServer {
  readonly port: number;
  /** Where it speaks TLS, when it does. */
  readonly securePort: number;
  /** Connected to it. */
  readonly client: Redis;
}

export interface NodeOptions {
  /** Words of its configuration after the usual ones. */
  readonly words?: readonly string[];
  /** The file of a sentinel; without one the process is a server. */
  readonly sentinel?: string;
  readonly password?: string;
  /** Words about certificates: it speaks TLS too, on a port of its own. */
  readonly tls?: readonly string[] | undefined;
}

/** Starts a process. It ends by being killed, as one that crashes. */
export async function startRedisNode({ words = [], sentinel, password, tls }: NodeOptions = {}): Promise<RedisNode> {
  const folder = makeFolder('redis');
  const [at, securePort] = [await freePort(), await freePort()];
  const place = ['--port', String(at), '--bind', '127.0.0.1', '--dir', folder];
  const secure = tls === undefined ? [] : ['--tls-port', String(securePort), ...tls];
  const kind = sentinel === undefined ? ['--save', '', '--appendonly', 'no'] : ['--sentinel'];
  const args = [...(sentinel === undefined ? [] : [sentinel]), ...kind, ...place, ...secure, ...words];
  const server = await startProgram({
    program: findProgram('redis-server') as string,
    args,
    folder,
    address: `redis://127.0.0.1:${at}`,
    signal: 'SIGKILL',
    answers: (address) => probe(address, 'PING\r\n', /^(\+PONG|-NOAUTH)/),
  });
  const client = new Redis(at, '127.0.0.1', {
    retryStrategy: () => null,
    enableReadyCheck: false,
    ...(password && { password }),
  });
  client.on('error', () => undefined);
  return {
    ...server,
    port: at,
    securePort,
    client,
    stop: async () => {
      client.disconnect();
      await server.stop();
    },
  };
}
