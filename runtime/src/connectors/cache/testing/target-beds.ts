import { Redis } from 'ioredis';
import { configured } from '../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { redis } from '../../../../../test/support/servers/redis.ts';
import type { Execute } from '../../../foundation/contracts/target.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create as createKv } from '../kv/connector.ts';
import { kvCache } from '../kv/spec.ts';
import { create as createMemory } from '../memory/connector.ts';
import { memoryCache } from '../memory/spec.ts';

const malformed = ['FLUSHALL', 'GET /users', 'incr'];
const password = 'pass:word';

/** Every call counts by a number of its own, so that no answer can be taken for that of another call. */
const call = { verb: 'call', operation: 'increment' } as const;
let calls = 0;

async function echo(execute: Execute, text: string): Promise<unknown> {
  const by = ++calls;
  const { value } = await execute({ params: { key: `${by} ${text}`, by } });
  return value === by ? text : value;
}

/** Entries in the process. */
export async function memoryBed(): Promise<TargetBed> {
  return {
    spec: memoryCache,
    connector: (services) => createMemory('cache', configured(memoryCache.config, {}), services) as TargetConnector,
    call,
    echo,
    malformed,
    secrets: [],
    close: async () => undefined,
  };
}

/** A server of its own behind a proxy, which a client of its own can stop from answering. */
export async function kvBed(): Promise<TargetBed> {
  const server = await redis.start();
  const { hostname, port } = new URL(server.address);
  const holder = new Redis(server.address);
  holder.on('error', () => undefined);
  await holder.config('SET', 'requirepass', password);
  await holder.auth(password);
  const proxy = await faultProxy({ host: hostname, port: Number(port) });
  const url = `redis://:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`;
  return {
    spec: kvCache,
    connector: (services) =>
      createKv('cache', configured(kvCache.config, { url, timeout: 10_000 }), services) as TargetConnector,
    call,
    echo,
    stuck: {
      call: { verb: 'call', operation: 'set' },
      request: { params: { key: 'k', value: 1 } },
      hold: async () => {
        // Reads pass, or the client could not end it.
        await holder.client('PAUSE', 60_000, 'WRITE');
        proxy.sends = 0;
      },
      begun: () => proxy.sends > 0,
      release: async () => void (await holder.client('UNPAUSE')),
      isLeft: () => false,
    },
    proxy,
    malformed,
    secrets: [password, encodeURIComponent(password)],
    close: async () => {
      holder.disconnect();
      await proxy.close();
      await server.stop();
    },
  };
}

/** Servers that are already there, as a configuration names them. */
export async function arrangedBed(written: Record<string, unknown>, secrets: readonly string[]): Promise<TargetBed> {
  return {
    spec: kvCache,
    connector: (services) => createKv('cache', configured(kvCache.config, written), services) as TargetConnector,
    call,
    echo,
    malformed,
    secrets,
    close: async () => undefined,
  };
}
