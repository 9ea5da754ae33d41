import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from '../../../../test/support/proxy.ts';
import { until } from '../../../../test/support/until.ts';
import { SseBed, type TestStream } from './testing/bed.ts';

const server = process.env['TEST_REDIS_URL'];
const numbers = (stream: TestStream) =>
  stream.events.map(({ type, data }) => (type === 'message' ? (data as { n: number }).n : type));

describe.skipIf(server === undefined)('streams of several processes that share what is sent', () => {
  let beds: SseBed[];
  let key: string;
  let proxy: FaultProxy;
  let redis: Redis;
  beforeEach(async () => {
    beds = [];
    key = randomUUID();
    const { hostname: host, port } = new URL(server as string);
    proxy = await faultProxy({ host, port: Number(port) });
    redis = new Redis(server as string);
  });
  afterEach(async () => {
    await Promise.all(beds.map((bed) => bed.close()));
    await proxy.close();
    await redis.del(`svc:live:${key}`);
    redis.disconnect();
  });

  async function opened(url = `redis://127.0.0.1:${proxy.port}`, more: Record<string, unknown> = {}) {
    const bed = new SseBed();
    beds.push(bed);
    const connector = await bed.open({}, { storage: { driver: 'redis', url, key }, ...more });
    return { bed, connector };
  }

  test('R-84: a client that comes again at another process, or at one that was started since, misses nothing', async () => {
    const [first, second] = [await opened(), await opened()];
    const stream = await first.bed.connect();
    for (let n = 1; n <= 3; n++) await first.bed.push(first.connector, {}, { payload: { n } });
    await until(() => stream.events.length === 3);
    await first.bed.close();
    for (let n = 4; n <= 6; n++) await second.bed.push(second.connector, {}, { payload: { n } });
    const third = await opened();
    const last = { 'last-event-id': String(stream.events[1]?.id) };
    const again = [await second.bed.connect('', last), await third.bed.connect('', last)];
    await third.bed.push(third.connector, {}, { payload: { n: 7 } });
    await until(() => again.every(({ events }) => events.length === 5));
    expect(again.map(numbers)).toEqual([
      [3, 4, 5, 6, 7],
      [3, 4, 5, 6, 7],
    ]);
  });

  test('A-04: nothing is lost while the server is unavailable, and what could not be sent is said to have failed', async () => {
    const [near, far] = [await opened(server), await opened()];
    const stream = await far.bed.connect();
    await near.bed.push(near.connector, {}, { payload: { n: 1 } });
    await until(() => stream.events.length === 1);
    proxy.fault = 'refuse';
    proxy.reset();
    await until(async () => (await far.connector.check()) !== undefined);
    await expect(far.bed.push(far.connector, {}, { payload: { n: 0 } })).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    for (let n = 2; n <= 200; n++) await near.bed.push(near.connector, {}, { payload: { n } });
    proxy.fault = 'pass';
    await until(() => stream.events.length === 200);
    expect(numbers(stream)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    await until(async () => (await far.connector.check()) === undefined);
  });

  test('A-10: what was sent to the server and not answered is said to be unknown, for it may reach clients', async () => {
    const [near, far] = [await opened(server), await opened()];
    const stream = await near.bed.connect();
    proxy.fault = 'hold';
    const sending = far.bed.push(far.connector, {}, { payload: { n: 1 } });
    const ended = sending.then(
      () => 'sent',
      ({ code, message }: { code: string; message: string }) => [code, message],
    );
    await until(() => stream.events.length === 1);
    proxy.reset();
    expect(await ended).toEqual(['outcome_unknown', expect.stringMatching(/^it may have been sent: /)]);
    proxy.fault = 'pass';
    await until(async () => (await far.connector.check()) === undefined);
    await far.bed.push(far.connector, {}, { payload: { n: 2 } });
    await until(() => stream.events.length === 2);
    expect(numbers(stream)).toEqual([1, 2]);
  });

  test('what is no longer kept when the server is back is said to be missing', async () => {
    const replay = { events: 100 };
    const [near, far] = [await opened(server, { replay }), await opened(undefined, { replay })];
    const stream = await far.bed.connect();
    await near.bed.push(near.connector, {}, { payload: { n: 0 } });
    await until(() => stream.events.length === 1);
    proxy.fault = 'refuse';
    proxy.reset();
    for (let n = 1; n <= 1000; n++) await near.bed.push(near.connector, {}, { payload: { n } });
    proxy.fault = 'pass';
    await until(() => numbers(stream).includes(1000));
    const [zero, gap, ...rest] = numbers(stream);
    expect([zero, gap, rest.length >= 100 && rest.length < 1000]).toEqual([0, 'gap', true]);
    expect(rest).toEqual(Array.from({ length: rest.length }, (_, at) => 1001 - rest.length + at));
  });

  test('A-09: a stream that is lost at a server whose clock is behind is continued where it was', async () => {
    await redis.xadd(`svc:live:${key}`, '9000000000000-0', 'another', 'form');
    const [near, far] = [await opened(server), await opened()];
    const streams = [await near.bed.connect(), await far.bed.connect()];
    await redis.del(`svc:live:${key}`);
    for (const n of [1, 2]) await near.bed.push(near.connector, {}, { payload: { n } });
    await far.bed.push(far.connector, {}, { payload: { n: 3 } });
    await until(() => streams.every(({ events }) => events.length === 3));
    expect(streams.map(numbers)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(streams[0]?.events.map(({ id }) => id)).toEqual([1, 2, 3].map((n) => `9000000000000-${n}`));
  });

  test('A-04: entries of another form are left out, and what follows them comes', async () => {
    const { bed, connector } = await opened();
    const stream = await bed.connect();
    for (const words of [
      ['x', 'y'],
      ['to', 'all', 'data', '{"n":1}\nevent: x'],
      ['to', 'world', 'data', '{}'],
    ])
      await redis.xadd(`svc:live:${key}`, '*', ...words);
    await bed.push(connector, {}, { payload: { n: 2 } });
    await until(() => stream.events.length === 1);
    expect(numbers(stream)).toEqual([2]);
    expect(bed.lines.filter(({ message }) => message === 'an entry of another form was left out')).toHaveLength(3);
  });

  test('a filter that this process does not know passes no client', async () => {
    const [first, second] = [await opened(), await opened()];
    const streams = [await first.bed.connect(), await second.bed.connect()];
    const filter = { source: 'input.n == 1', evaluate: () => true };
    await first.bed.push(first.connector, { deferred: { filter } }, { payload: { n: 1 } });
    await first.bed.push(first.connector, {}, { payload: { n: 2 } });
    await until(() => streams.every((stream) => numbers(stream).includes(2)));
    expect(streams.map(numbers)).toEqual([[1, 2], [2]]);
  });

  test('a server that is not there is the reason why nothing is opened, and its password is nowhere', async () => {
    const bed = new SseBed();
    beds.push(bed);
    const url = 'redis://:kept-secret@127.0.0.1:1';
    const opening = bed.open({}, { storage: { driver: 'redis', url } });
    await expect(opening).rejects.toMatchObject({ code: 'store_unavailable' });
    const error: unknown = await opening.catch((reason: unknown) => reason);
    expect(JSON.stringify([String(error), bed.lines])).not.toContain('kept-secret');
  });
});
