import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { bodies, consuming, onEveryGround, reply } from './testing/consuming.ts';
import { deskOf } from './testing/desk.ts';

const large = 'x'.repeat(5_000);
const problem = (offset: number, most: number) =>
  expect.stringMatching(
    new RegExp(
      `^a batch of 1 messages from offset ${offset} on has 5\\d\\d\\d bytes, more than ${most} \\(max_response\\)$`,
    ),
  );

onEveryGround((start) => {
  test.each([1, 3])(
    'of %i partitions: a message that is larger than `max_response` is a dead letter, and later ones are handled',
    async (count) => {
      const brokers = await start();
      const topic = await brokers.topic(count);
      await brokers.create(`${topic}.dlq`);
      await brokers.send(topic, [
        { partition: 0, value: 'before' },
        { partition: 0, value: large },
        { partition: 0, value: 'after' },
        { partition: count - 1, value: large },
        { partition: count - 1, value: 'last' },
      ]);
      const opened = await consuming(brokers, topic, () => reply, { max_response: 2_048 });
      await until(async () => {
        const numbers = [...new Set([0, count - 1])];
        const all = await Promise.all(numbers.map((number) => brokers.committed(`${topic}-group`, topic, number)));
        return all.reduce((sum, each) => sum + each, 0) === 5;
      });
      expect(bodies(opened).toSorted()).toEqual(['after', 'before', 'last']);
      const letters = await brokers.sent(`${topic}.dlq`, 2);
      expect(letters.map(({ value, headers }) => [value, headers['x-last-error']]).toSorted()).toEqual(
        [
          ['', problem(count === 1 ? 1 : 0, 2_048)],
          ['', problem(count === 1 ? 3 : 1, 2_048)],
        ].toSorted(),
      );
      expect(opened.lines.filter(({ message }) => message.includes('reconnecting'))).toEqual([]);
    },
  );

  test('a letter of it is shown with what is wrong, and not sent back; others are', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    await brokers.create(`${topic}.dlq`);
    let isWell = false;
    await brokers.send(topic, [{ value: large }, { value: 'fails', headers: { 'x-svc-batch': 'unread' } }]);
    const failing = () => {
      if (isWell) return reply;
      throw new Error('not yet');
    };
    const opened = await consuming(brokers, topic, failing, { max_response: 2_048, consumer: { retry_count: 0 } });
    await until(async () => (await brokers.committed(`${topic}-group`, topic)) === 2);
    const desk = await deskOf(brokers, topic);
    const [batch, other] = await desk.peek('dead', 10, () => true);
    expect([batch?.headers['x-svc-batch'], other?.headers['x-svc-batch']]).toEqual(['unread', undefined]);
    await expect(batch?.again().input(undefined)).rejects.toThrow(/more than 2048 \(max_response\)/);
    isWell = true;
    const sent: string[] = [];
    await expect(
      desk.replay(
        10,
        () => true,
        ({ position }) => sent.push(position),
      ),
    ).rejects.toMatchObject({
      code: 'connector_failed',
      message: `0/0 of "${topic}.dlq" cannot be sent back: it is not a message, but a batch that could not be read; what was written is where its headers x-svc-topic, x-svc-partition, x-svc-offset say, as long as the topic keeps it`,
    });
    expect(sent).toEqual(['0/1']);
    await until(() => bodies(opened).length === 2);
    expect(bodies(opened)).toEqual(['fails', 'fails']);
    expect((await desk.peek('dead', 10, () => true)).map(({ position }) => position)).toEqual(['0/0']);
    // Without a limit that is in the way it is a message like another one.
    const wide = await consuming(brokers, topic, () => reply, { consumer: { group_id: `${topic}-wide` } });
    await until(() => wide.taken.length === 3);
    expect(bodies(wide)[0]).toBe(large);
  });

  test('more than one header of a packed body is named, and the message alone is a dead letter', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    await brokers.create(`${topic}.dlq`);
    await brokers.send(topic, [
      { value: 'packed', headers: { 'content-encoding': ['gzip', 'gzip'] } },
      { value: 'after' },
    ]);
    const opened = await consuming(brokers, topic);
    await until(() => bodies(opened).includes('after'));
    const [letter] = await brokers.sent(`${topic}.dlq`, 1);
    expect(letter?.headers['x-last-error']).toBe(
      'the header "content-encoding" is there 2 times, so that the body of the message is not unpacked',
    );
  });
});
