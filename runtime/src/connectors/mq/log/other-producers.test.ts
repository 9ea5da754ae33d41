import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { compressionNumbers } from './codecs.ts';
import { bodies, consuming, onEveryGround } from './testing/consuming.ts';
import { sendingTo } from './testing/sending.ts';

onEveryGround((start) => {
  test('messages of transactions come when these are committed, in their place; others never, and nothing waits', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    await brokers.send(topic, [{ value: 'one' }]);
    await (await brokers.transaction(topic, [{ value: 'two' }, { value: 'three' }])).commit();
    await (await brokers.transaction(topic, [{ value: 'never' }])).abort();
    await brokers.send(topic, [{ value: 'four' }]);
    const open = await brokers.transaction(topic, [{ value: 'five' }]);
    await brokers.send(topic, [{ value: 'six' }]);
    const opened = await consuming(brokers, topic);
    await until(() => opened.taken.length >= 4);
    // What stands behind an open transaction waits for its end.
    await brokers.send(topic, [{ value: 'seven' }]);
    expect(bodies(opened)).toEqual(['one', 'two', 'three', 'four']);
    await open.commit();
    await until(() => opened.taken.length >= 7);
    expect(bodies(opened)).toEqual(['one', 'two', 'three', 'four', 'five', 'six', 'seven']);
    await until(async () => (await brokers.waiting(topic, `${topic}-group`)) === 0);
  });

  test('a topic that ends with an aborted transaction has nothing that waits', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    await brokers.send(topic, [{ value: 'one' }]);
    const opened = await consuming(brokers, topic);
    await until(() => opened.taken.length === 1);
    await (await brokers.transaction(topic, [{ value: 'never' }])).abort();
    await until(async () => (await brokers.waiting(topic, `${topic}-group`)) === 0);
    expect(bodies(opened)).toEqual(['one']);
  });

  test('batches of every codec are read, side by side in one topic', async () => {
    const brokers = await start();
    const topic = await brokers.topic();
    const opened = await consuming(brokers, topic);
    const names = Object.keys(compressionNumbers);
    for (const [at, name] of names.entries())
      await brokers.sendTogether(topic, [{ value: name }, { value: `${name} again` }], at);
    await until(() => opened.taken.length === 2 * names.length);
    expect(bodies(opened)).toEqual(names.flatMap((name) => [name, `${name} again`]));
  });

  test('a topic that was never made takes what is sent to it, once', async () => {
    const brokers = await start();
    const topic = `${await brokers.topic()}-unmade`;
    const { send } = await sendingTo(brokers.addresses, { topic, timeout: 20_000 });
    await send({ payload: { text: 'first' } });
    expect((await brokers.sent(topic, 1)).map(({ value }) => value)).toEqual(['{"text":"first"}']);
  });
});
