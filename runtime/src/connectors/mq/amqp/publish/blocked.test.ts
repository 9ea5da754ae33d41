import { describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import { blockingBroker } from '../../testing/blocking-broker.ts';
import { brokerUrl } from '../../testing/broker.ts';
import { cleanups, declared, never } from '../../testing/consuming.ts';
import { publishing } from '../../testing/publishing.ts';
import { Room } from './room.ts';

describe.skipIf(brokerUrl === undefined)('R-73: a broker that takes no messages', () => {
  async function blocked() {
    const queue = await declared();
    const broker = await blockingBroker(brokerUrl as string);
    cleanups.push(() => broker.close());
    const opened = await publishing({ url: broker.url });
    const send = (n: number, timeout?: number) =>
      opened.send({ payload: { n } }, { target: queue.name, ...(timeout !== undefined && { timeout }) });
    await send(0);
    broker.block('low on memory');
    const degraded = 'the broker takes no messages now: low on memory';
    await until(async () => (await opened.connector.check?.(never)) === degraded);
    return { ...opened, broker, queue, send };
  }

  test('degrades the service; what is sent waits, and goes when the broker takes it', async () => {
    const { broker, queue, send, connector } = await blocked();
    let settled = 0;
    const sent = Array.from({ length: 20 }, (_, at) => send(at + 1).then(() => settled++));
    expect([settled, (await queue.counts()).ready]).toEqual([0, 1]);
    broker.block();
    await Promise.all(sent);
    expect(await queue.counts()).toMatchObject({ ready: 21 });
    expect(await connector.check?.(never)).toBeUndefined();
  });

  test('lets what is sent wait no longer than it may, and nothing of it is sent later', async () => {
    const { broker, queue, send } = await blocked();
    await expect(send(1, 50)).rejects.toMatchObject({
      code: 'connector_busy',
      retriable: true,
      message: 'the message was not sent in time: the broker takes none (low on memory)',
    });
    broker.block();
    await send(2);
    expect(await queue.counts()).toMatchObject({ ready: 2 });
  });

  test('does not keep the connector from closing', async () => {
    const { send, connector } = await blocked();
    const sent = send(1).catch(({ code }: { code: string }) => code);
    const cut = new AbortController();
    const closing = connector.close(cut.signal);
    cut.abort();
    await closing;
    expect(await sent).toBe('connector_refused');
  });
});

describe('room for messages', () => {
  const size = { messages: 2, bytes: 100, waiting: 2 };

  test('is for so many, and those that wait come in turn', async () => {
    const room = new Room(size);
    expect([room.enter(1, () => never), room.enter(1, () => never)]).toEqual([undefined, undefined]);
    const order: string[] = [];
    const enter = (name: string) => room.enter(1, () => never)?.then(() => order.push(name));
    const both = [enter('a'), enter('b')];
    await expect(room.enter(1, () => never)).rejects.toMatchObject({
      code: 'connector_busy',
      message: 'too many messages wait to be sent: too many are not confirmed',
    });
    room.leave(1);
    await both[0];
    expect(order).toEqual(['a']);
    room.leave(1);
    await both[1];
    expect(order).toEqual(['a', 'b']);
  });

  test('is for so many bytes, whatever their number; one that is larger still goes alone', async () => {
    const room = new Room(size);
    expect(room.enter(500, () => never)).toBeUndefined();
    const second = room.enter(1, () => never);
    room.leave(500);
    await second;
  });

  test('that is given up is not taken', async () => {
    const room = new Room(size);
    void room.enter(1, () => never);
    void room.enter(1, () => never);
    const given = new AbortController();
    const entering = room.enter(1, () => given.signal);
    given.abort();
    await expect(entering).rejects.toMatchObject({ code: 'connector_busy' });
    room.leave(1);
    expect(room.enter(1, () => never)).toBeUndefined();
  });
});
