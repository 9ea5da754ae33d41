import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

const server = process.env['TEST_REDIS_URL'];

describe.skipIf(server === undefined)('round trips to the store that one message makes', () => {
  const prefix = `trips-${randomBytes(6).toString('hex')}`;
  const redis = new Redis(server as string, { lazyConnect: true });
  let proxy: FaultProxy;
  let service: Scenario;

  beforeAll(async () => {
    await redis.connect();
    const url = new URL(server as string);
    proxy = await faultProxy({ host: url.hostname, port: Number(url.port || 6379) });
    url.host = `127.0.0.1:${proxy.port}`;
    service = await startScenario(import.meta.dirname, {
      env: { REDIS_URL: url.href, PREFIX: prefix },
      prepare: (directory) => migrate(directory, ['db']),
    });
  });

  afterAll(async () => {
    await service?.end();
    const keys = await redis.keys(`*${prefix}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
    await proxy?.close();
  });

  let revision = 0;

  async function send(path: string, own: object): Promise<unknown> {
    return (await service.ask('PUT', path, { quantity: revision, revision, ...own })).body;
  }

  /** Of several messages, one after another, the one in the middle: health asks the store too, now and then. */
  async function turns(path: string, next: () => object, expected: unknown): Promise<number | undefined> {
    // The server may have to be sent a script first.
    await send(path, next());
    proxy.latency = 10;
    const counted: number[] = [];
    for (let times = 0; times < 9; times++) {
      proxy.turns = 0;
      expect(await send(path, next())).toMatchObject(expected as object);
      counted.push(proxy.turns);
    }
    proxy.latency = 0;
    return counted.toSorted((a, b) => a - b)[4];
  }

  const newer = () => ({ revision: ++revision, quantity: revision });
  const written = { affected: 1 };

  test('a lock and a sequence guard together: two', async () => {
    expect(await turns('/guarded/pen', newer, written)).toBe(2);
  });

  test('with dedupe: four', async () => {
    expect(await turns('/deduplicated/pen', newer, written)).toBe(4);
  });

  test('a message that the guard turns away: two', async () => {
    expect(await turns('/guarded/pen', () => ({ revision: 0 }), { reason: 'sequence_older' })).toBe(2);
  });

  test('a message that dedupe drops: four at most', async () => {
    const same = () => ({ revision: ++revision, quantity: -1 });
    expect(await turns('/deduplicated/pen', same, { reason: 'dedupe_match' })).toBeLessThanOrEqual(4);
  });
});
