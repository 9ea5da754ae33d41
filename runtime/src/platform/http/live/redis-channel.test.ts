import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordingLog } from '../../../../../test/support/connector-services.ts';
import { redis } from '../../../../../test/support/servers/redis.ts';
import type { RunningServer } from '../../../../../test/support/servers/server.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import type { Push } from './push.ts';
import { channelOf } from './redis-channel.ts';

const password = 'kept-secret';
const never = new AbortController().signal;
const said = (text: string): Push => ({ to: { kind: 'all' }, text, value: () => ({}) });

describe.skipIf(!redis.isInstalled())('where what is sent passes', () => {
  let server: RunningServer;
  let outsider: Redis;
  let place: { readonly host: string; readonly port: number };
  beforeAll(async () => {
    server = await redis.start();
    const { hostname, port } = new URL(server.address);
    place = { host: hostname, port: Number(port) };
    outsider = new Redis(place);
    await outsider.config('SET', 'requirepass', password);
    await outsider.auth(password);
  });
  afterAll(async () => {
    outsider?.disconnect();
    await server?.stop();
  });

  const channel = (storage: Record<string, unknown>, connector = 'live', service = 'shop') =>
    channelOf(
      connector,
      { driver: 'redis', host: 'localhost', port: 6379, ...storage } as Parameters<typeof channelOf>[1],
      10,
      {
        log: recordingLog(),
        clock: systemClock,
        service,
        userAgent: 'svc',
      },
    );

  test('is the server at host and port, with its password', async () => {
    const found = channel({ ...place, password });
    await found?.open(never);
    await found?.append(said('{"n":1}'));
    await found?.close();
    expect(await outsider.xlen('svc:live:{shop}:live')).toBe(1);
    const wrong = channel({ ...place, password: 'another' });
    const refused: unknown = await wrong?.open(never).catch((error: unknown) => error);
    expect(String(refused)).toMatch(/WRONGPASS|invalid username-password/);
    await wrong?.close();
    const elsewhere = channel({ ...place, port: 1, password });
    await expect(elsewhere?.open(never)).rejects.toMatchObject({ code: 'store_unavailable' });
    await elsewhere?.close();
  });

  test('is that of its service: another one that calls its connector the same reads nothing of it', async () => {
    const own = channel({ ...place, password }, 'events');
    const other = channel({ ...place, password }, 'events', 'reports');
    await Promise.all([own?.open(never), other?.open(never)]);
    await own?.append(said('{"n":1}'));
    await Promise.all([own?.close(), other?.close()]);
    const [again, foreign] = [
      channel({ ...place, password }, 'events'),
      channel({ ...place, password }, 'events', 'reports'),
    ];
    const kept = await Promise.all([again?.open(never), foreign?.open(never)]);
    await Promise.all([again?.close(), foreign?.close()]);
    expect(kept.map((entries) => entries?.map(({ push }) => push.text))).toEqual([['{"n":1}'], []]);
    await outsider.del('svc:live:{shop}:events');
  });

  test('is the database and the key that are written, and those of no other', async () => {
    const one = channel({ ...place, password, db: 1 });
    const named = channel({ ...place, password, key: 'board.live' });
    for (const each of [one, named]) {
      await each?.open(never);
      await each?.append(said('{"n":2}'));
    }
    const again = channel({ ...place, password, db: 1 }, 'another');
    const same = channel({ ...place, password, key: 'board.live' }, 'another');
    const kept = [await again?.open(never), await same?.open(never)];
    expect(kept.map((posted) => posted?.map(({ push }) => push.text))).toEqual([[], ['{"n":2}']]);
    await outsider.select(1);
    expect(await outsider.keys('*')).toEqual(['svc:live:{shop}:live']);
    await Promise.all([one, named, again, same].map((each) => each?.close()));
  });

  test('is this process alone without a store, and with `memory`', () => {
    expect([channelOf('live', undefined, 10, {} as never), channel({ driver: 'memory' })]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('A-06: what is sent is bounded, and so is what the server keeps', async () => {
    const bounded = channel({ ...place, password, key: 'bounded' });
    await bounded?.open(never);
    await expect(bounded?.append(said('x'.repeat(16_777_217)))).rejects.toMatchObject({ code: 'value_refused' });
    for (let part = 0; part < 20; part++)
      await Promise.all(Array.from({ length: 100 }, () => bounded?.append(said('{}'))));
    await outsider.select(0);
    expect(await outsider.xlen('svc:live:bounded')).toBeLessThan(500);
    await bounded?.close();
  });
});
