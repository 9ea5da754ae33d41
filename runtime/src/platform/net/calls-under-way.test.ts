import { expect, test } from 'vitest';
import { CallsUnderWay } from './calls-under-way.ts';

test('calls are counted until they are over, and waited for whatever becomes of them', async () => {
  const calls = new CallsUnderWay();
  const [one, other] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const tracked = [calls.track(one.promise), calls.track(other.promise)];
  expect(tracked).toEqual([one.promise, other.promise]);
  expect(calls.size).toBe(2);
  const events: string[] = [];
  const settled = Promise.all([calls.settled(), calls.settled()]).then(() => events.push('settled'));
  one.resolve(1);
  await one.promise;
  events.push('one is over');
  other.reject(new Error('it failed'));
  await expect(tracked[1]).rejects.toThrow('it failed');
  await settled;
  expect([events, calls.size]).toEqual([['one is over', 'settled'], 0]);
});

test('without calls there is nothing to wait for', async () => {
  const calls = new CallsUnderWay();
  await calls.settled();
  await calls.track(Promise.resolve());
  await calls.settled();
  expect(calls.size).toBe(0);
});
