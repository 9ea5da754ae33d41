import { expect, test } from 'vitest';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { addressOf } from './address.ts';
import { redisClient } from './client.ts';
import { limitCommands } from './command-limit.ts';

const server = process.env['TEST_REDIS_URL'];

/** Commands that are answered when a test says so. */
function silent(limit: number) {
  const redis = { sendCommand: (command: { promise: Promise<unknown> }) => command.promise };
  limitCommands(redis as never, limit);
  return () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const command = {
      isSettled: false,
      promise,
      answer: () => {
        command.isSettled = true;
        resolve('answer');
      },
      reject: (error: Error) => {
        command.isSettled = true;
        reject(error);
      },
    };
    redis.sendCommand(command);
    promise.catch(() => undefined);
    return command;
  };
}

test('each command that is not answered in time is rejected, and no other', async () => {
  const send = silent(40);
  const began = performance.now();
  const first = Array.from({ length: 5 }, send);
  first[0]?.answer();
  first[3]?.answer();
  await expect(first[1]?.promise).rejects.toThrow('Command timed out');
  expect(performance.now() - began).toBeGreaterThanOrEqual(39);
  const later = send();
  expect(later.isSettled).toBe(false);
  const ends = await Promise.allSettled([...first, later].map(({ promise }) => promise));
  expect(ends.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
    'rejected',
    'rejected',
  ]);
});

test('commands that were sent together are late together, before their connection is ended', async () => {
  const send = silent(500);
  const first = send();
  for (const began = performance.now(); performance.now() < began + 4; );
  const second = send();
  await expect(first.promise).rejects.toThrow('Command timed out');
  expect(second.isSettled).toBe(true);
});

test('commands that are answered are not kept', async () => {
  const send = silent(60_000);
  const kept = new WeakRef(send());
  kept.deref()?.answer();
  for (let index = 0; index < 3000; index++) send().answer();
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--expose-gc');
  const collect = (await import('node:vm')).runInNewContext('gc') as () => void;
  await new Promise(setImmediate);
  collect();
  expect(kept.deref()).toBeUndefined();
});

test.skipIf(server === undefined)('a server that says nothing fails a command within its time', async () => {
  const { hostname, port } = new URL(server as string);
  const proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
  const address = addressOf({ url: `redis://127.0.0.1:${proxy.port}`, host: '', port: 0 });
  const redis = redisClient({ address, timeout: 200, connectTimeout: 20_000, name: 'test' });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    expect(await redis.ping()).toBe('PONG');
    await expect(redis.blpop(`never-${process.pid}`, 5)).rejects.toThrow('timed out');
  } finally {
    redis.disconnect();
    await proxy.close();
  }
});
