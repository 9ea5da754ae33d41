import type { Options } from 'amqplib';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { brokerUrl } from '../testing/broker.ts';
import { consuming, plainChannel, reply, undeclared } from '../testing/consuming.ts';

const away = () => {
  throw new Failure('connector_refused', 'the database is unavailable');
};

/** A queue whose messages are tried three times, with a wait at the broker, and given up. */
async function failing(options: Options.Publish, dlq: Readonly<Record<string, unknown>> = { retry_delay: 20 }) {
  const queue = await undeclared();
  const consumer = { create_if_missing: true, dlq: { max_retries: 2, ...dlq } };
  const opened = await consuming(queue, away, { consumer });
  await queue.publish(['bad'], options);
  return { queue, opened };
}

describe.skipIf(brokerUrl === undefined)('copies of a message', () => {
  test('R-75: go nowhere but to their queue and its dead letters, whatever CC says', async () => {
    const channel = await plainChannel();
    const { queue: other } = await channel.assertQueue('', { exclusive: true });
    const { queue, opened } = await failing({ CC: [other] });
    const letter = await until(() => queue.deadLetter());
    expect([letter.properties.headers?.['CC'], letter.properties.headers?.['x-svc-original-CC']]).toEqual([
      undefined,
      [other],
    ]);
    expect((await channel.checkQueue(other)).messageCount).toBe(1);
    expect(opened.taken.map(({ headers }) => (headers as Record<string, unknown>)['CC'])).toEqual(
      Array(3).fill([other]),
    );
  });

  test('R-75: do not expire, and say what the message said of that', async () => {
    const { queue, opened } = await failing({ expiration: 60_000, priority: 4 });
    const { properties } = await until(() => queue.deadLetter());
    expect([properties.expiration, properties.priority, properties.headers]).toEqual([
      undefined,
      undefined,
      expect.objectContaining({ 'x-svc-original-expiration': '60000', 'x-svc-original-priority': 4 }),
    ]);
    expect(opened.taken.map(({ properties: said }) => said)).toEqual(
      Array(3).fill(expect.objectContaining({ expiration: '60000', priority: 4 })),
    );
  });

  test('are taken by the broker under who signs in, and no sender can say by a header who it is', async () => {
    const { opened, queue } = await failing({ userId: 'guest' });
    await until(() => queue.deadLetter());
    await queue.publish(['bad'], { headers: { 'x-svc-original-user_id': 'admin' } });
    await until(() => opened.taken.length === 6);
    const users = opened.taken.map(({ properties }) => (properties as Record<string, unknown>)['user_id']);
    expect(users).toEqual(['guest', 'guest', 'guest', null, null, null]);
  });

  test('R-48: come back after their wait, though a queue gave the message up before', async () => {
    const queue = await undeclared();
    const deaths = [{ queue: queue.name, reason: 'expired', count: 1, exchange: '', 'routing-keys': [queue.name] }];
    const consumer = { create_if_missing: true, dlq: { max_retries: 2, retry_delay: 20 } };
    const opened = await consuming(queue, away, { consumer });
    await queue.publish(['bad'], { headers: { 'x-death': deaths } });
    const { properties } = await until(() => queue.deadLetter());
    expect(opened.taken.length).toBe(3);
    const counted = (properties.headers?.['x-death'] ?? []) as { queue: string; reason: string; count: number }[];
    expect(counted.map((death) => [death.queue, death.reason, death.count])).toEqual([
      [queue.name, 'rejected', 1],
      [`${queue.name}.retry.20`, 'expired', 2],
      [queue.name, 'expired', 1],
    ]);
  });

  test('do not repeat the counts that the broker keeps in a header', async () => {
    const { queue } = await failing({ headers: { 'x-delivery-count': 1, 'x-delay': -5 } }, {});
    const { properties } = await until(() => queue.deadLetter());
    expect(properties.headers).toMatchObject({ 'x-svc-original-x-delivery-count': 1, 'x-svc-original-x-delay': -5 });
    expect(properties.headers).not.toHaveProperty('x-delivery-count');
  });

  test('a message that is not kept as a dead letter stays in its queue, with a line that says why, and is kept later', async () => {
    const queue = await undeclared();
    const channel = await plainChannel();
    let isGood = true;
    const opened = await consuming(queue, () => (isGood ? reply : away()), {
      consumer: { create_if_missing: true, retry_count: 0 },
    });
    await channel.deleteQueue(`${queue.name}.dlq`);
    isGood = false;
    await queue.publish(['bad']);
    const line = await until(() => opened.lines.find(({ message }) => message.startsWith('message not kept')));
    expect(line).toMatchObject({
      level: 'error',
      message: 'message not kept as a dead letter: it stays where it is, and is tried again',
    });
    await channel.assertQueue(`${queue.name}.dlq`);
    await channel.bindQueue(`${queue.name}.dlq`, `${queue.name}.dlx`, '');
    const letter = await until(() => queue.deadLetter());
    expect(letter.content.toString()).toBe('bad');
    await until(() => opened.events.unsettled === 0);
    expect([await queue.deadLetter(), (await queue.counts()).ready]).toEqual([undefined, 0]);
  });
});
