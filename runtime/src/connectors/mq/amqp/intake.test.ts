import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { brokerUrl } from '../testing/broker.ts';
import { bodies, consuming, declared, left, never, reply } from '../testing/consuming.ts';

describe.skipIf(brokerUrl === undefined)('a queue behind a gate', () => {
  test('one at a time: the next is not even held before the one is settled', async () => {
    const queue = await declared();
    const waiting: (() => void)[] = [];
    const hold = () => new Promise<Outcome>((resolve) => waiting.push(() => resolve(reply)));
    const opened = await consuming(queue, hold, { consumer: { workers: 4 } });
    opened.events.admit('single');
    await queue.publish(['a', 'b', 'c']);
    for (const count of [1, 2, 3]) {
      await until(() => waiting.length === count);
      expect([opened.events.unsettled, await opened.events.waiting?.()]).toEqual([1, 3 - count]);
      waiting[count - 1]?.();
    }
    await until(() => opened.events.unsettled === 0);
  });

  test('on demand: nothing is taken unless pulled, and then exactly one', async () => {
    const queue = await declared();
    const opened = await consuming(queue);
    opened.events.admit('demand');
    await until(async () => (await queue.counts()).consumers === 0);
    await queue.publish(['a', 'b', 'c']);
    expect(await opened.events.waiting?.()).toBe(3);
    const pulled = await opened.events.pull?.(never);
    await pulled?.settled;
    expect([bodies(opened), await opened.events.waiting?.()]).toEqual([['a'], 2]);
    opened.events.admit('open');
    await until(() => opened.taken.length === 3);
    await expect(opened.events.pull?.(never)).rejects.toMatchObject({ code: 'cancelled' });
    expect(await left(queue, opened)).toBe(0);
  });

  test('a pull waits for a message to come; given up, it takes none', async () => {
    const queue = await declared();
    const opened = await consuming(queue);
    opened.events.admit('demand');
    const given = new AbortController();
    const cancelled = opened.events.pull?.(given.signal);
    given.abort(new Error('given up'));
    await expect(cancelled).rejects.toThrow('given up');
    const waiting = opened.events.pull?.(never);
    await queue.publish(['a', 'b']);
    await (await waiting)?.settled;
    expect([bodies(opened), await opened.events.waiting?.()]).toEqual([['a'], 1]);
  });

  test('what was taken and not begun goes back when the gate closes', async () => {
    const queue = await declared();
    const waiting: (() => void)[] = [];
    const opened = await consuming(queue, () => new Promise((resolve) => waiting.push(() => resolve(reply))));
    await queue.publish(['a', 'b', 'c']);
    await until(() => opened.events.unsettled === 3);
    opened.events.admit('demand');
    await until(async () => (await queue.counts()).ready === 2);
    expect(opened.events.unsettled).toBe(1);
    waiting[0]?.();
    await until(() => opened.events.unsettled === 0);
    expect(await left(queue, opened)).toBe(2);
  });

  test('a failed message that was pulled is settled for its puller at once, and returns after its pause', async () => {
    const queue = await declared();
    const opened = await consuming(queue, () => {
      throw new Failure('connector_refused', 'away');
    });
    opened.events.admit('demand');
    await queue.publish(['a']);
    await (await opened.events.pull?.(never))?.settled;
    expect(opened.events.unsettled).toBe(1);
    await until(async () => (await queue.counts()).ready === 1);
    expect(opened.pauses.length).toBe(1);
  });
});
