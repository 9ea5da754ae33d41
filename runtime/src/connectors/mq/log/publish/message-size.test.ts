import { expect, test } from 'vitest';
import { onEveryGround } from '../testing/consuming.ts';
import { sendingTo } from '../testing/sending.ts';

onEveryGround((start) => {
  test('a message that is larger than `max_message_size` is refused with its size, the limit and both settings; others are sent', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    const { send } = await sendingTo(brokers.addresses, { topic, max_message_size: 2_000 });
    const [small, large] = await Promise.allSettled([
      send({ payload: { n: 'x'.repeat(1_500) } }),
      send({ payload: { n: 'ü'.repeat(1_500) } }),
    ]);
    expect([small?.status, large]).toEqual([
      'fulfilled',
      {
        status: 'rejected',
        reason: expect.objectContaining({
          code: 'body_too_large',
          retriable: false,
          message: expect.stringMatching(
            /^the message has 3\d{3} bytes, more than 2000: raise max_message_size of the producer block, and where topic ".+" takes fewer its max\.message\.bytes, or message\.max\.bytes of its brokers$/,
          ),
        }),
      },
    ]);
    expect(await brokers.waiting(topic)).toBe(1);
  });

  test('messages that go together fit what brokers take, and one that is as large as the limit does', async () => {
    const brokers = await start();
    const topic = await brokers.topic(1);
    const { send } = await sendingTo(brokers.addresses, { topic, retries: 0 });
    const letters = ['ü'.repeat(50_000), 'x'.repeat(100_000)];
    await Promise.all([
      ...Array.from({ length: 60 }, (_, n) => send({ payload: { n, text: letters[n % 2] } })),
      ...Array.from({ length: 3_000 }, (_, n) => send({ payload: { n }, params: { headers: { a: 'b', c: 'd' } } })),
      send({ payload: { text: 'x'.repeat(1_048_576 - 300) } }),
    ]);
    expect(await brokers.waiting(topic)).toBe(3_061);
  });

  test('a topic that takes fewer bytes is named, with its setting', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    await brokers.take(topic, false);
    const { send } = await sendingTo(brokers.addresses, { topic });
    await expect(send({ payload: { n: 1 } })).rejects.toMatchObject({
      code: 'body_too_large',
      retriable: false,
      message: expect.stringMatching(
        /^the message of \d+ bytes is too large for topic ".+": raise max\.message\.bytes of the topic, or message\.max\.bytes of its brokers$/,
      ),
    });
  });
});
