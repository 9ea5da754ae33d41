import type { Channel, ConfirmChannel } from 'amqplib';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { brokerUrl, type TestQueue } from '../testing/broker.ts';
import { bodies, consuming, declared, never, plainChannel, reply, undeclared } from '../testing/consuming.ts';
import { publishing } from '../testing/publishing.ts';

const unavailable = () => {
  throw new Failure('connector_refused', 'the database is unavailable');
};

describe.skipIf(brokerUrl === undefined)('what is declared at RabbitMQ', () => {
  /** Whether the broker has it exactly so: it refuses what differs. */
  const isAccepted = async (work: (channel: Channel) => Promise<unknown>) =>
    plainChannel().then((channel: ConfirmChannel) =>
      work(channel).then(
        () => true,
        () => false,
      ),
    );

  test.each([
    ['type', { type: 'quorum' }, { arguments: { 'x-queue-type': 'quorum' } }],
    ['durable', { durable: false }, { durable: false }],
    ['auto_delete', { auto_delete: true }, { autoDelete: true }],
    ['single_active_consumer', { single_active_consumer: true }, { arguments: { 'x-single-active-consumer': true } }],
    ['args', { args: { 'x-max-length': 7 } }, { arguments: { 'x-max-length': 7 } }],
  ])('is a queue with the %s that is written', async (_, written, options) => {
    const queue = await undeclared();
    await consuming(queue, undefined, {
      queue: { name: queue.name, create_if_missing: true, ...written },
      consumer: { queue: undefined },
    });
    expect(await isAccepted((channel) => channel.assertQueue(queue.name, options))).toBe(true);
    expect(await isAccepted((channel) => channel.assertQueue(queue.name))).toBe(false);
    await queue.publish(['a']);
  });

  test('is a queue of the connection alone where it is exclusive', async () => {
    const queue = await undeclared();
    const opened = await consuming(queue, undefined, { queue: { exclusive: true, create_if_missing: true } });
    expect(await isAccepted((channel) => channel.checkQueue(queue.name))).toBe(false);
    await queue.publish(['a']);
    await until(() => opened.taken.length === 1);
    await opened.connector.close();
    await until(async () => !(await isAccepted((channel) => channel.checkQueue(queue.name))));
  });

  test('R-04: is nothing that was not asked for', async () => {
    const queue = await undeclared();
    await expect(consuming(queue, undefined, { queue: {} })).rejects.toThrow(/write create_if_missing = true/);
    const exchange = { name: `${queue.name}.deadx` };
    await expect(publishing({ exchange })).rejects.toThrow(
      `exchange "${exchange.name}" does not exist in virtual host "/": declare it at the broker first, or write create_if_missing = true in the exchange block`,
    );
    expect(await isAccepted((channel) => channel.checkExchange(exchange.name))).toBe(false);
  });

  test.each([
    ['type', { type: 'topic' }, ['topic', {}]],
    ['durable', { durable: false }, ['direct', { durable: false }]],
    ['auto_delete', { auto_delete: true }, ['direct', { autoDelete: true }]],
    ['internal', { internal: true }, ['direct', { internal: true }]],
  ] as const)('is an exchange with the %s that is written, once', async (_, written, [type, options]) => {
    const queue = await undeclared();
    const exchange = { name: `${queue.name}.deadx`, create_if_missing: true, ...written };
    await publishing({ exchange });
    await publishing({ exchange });
    expect(await isAccepted((channel) => channel.assertExchange(exchange.name, type, options))).toBe(true);
    expect(await isAccepted((channel) => channel.assertExchange(exchange.name, 'direct'))).toBe(false);
  });

  test('R-03: is never over what exists, whatever is written of it', async () => {
    const queue = await declared();
    const channel = await plainChannel();
    await channel.assertExchange(`${queue.name}.deadx`, 'fanout');
    const opened = await consuming(queue, undefined, {
      queue: { args: { 'x-max-length': 1 }, create_if_missing: true },
      exchange: { name: `${queue.name}.deadx`, type: 'topic', create_if_missing: true },
    });
    await queue.publish(['a', 'b', 'c']);
    await until(() => opened.taken.length === 3);
    expect(await isAccepted((plain) => plain.assertExchange(`${queue.name}.deadx`, 'fanout'))).toBe(true);
  });

  test('is what a queue is bound with: a pattern, or headers; messages that nothing takes go to the alternate exchange', async () => {
    const queue = await undeclared();
    const name = `${queue.name}.deadx`;
    const opened = await consuming(queue, undefined, {
      queue: { name: queue.name, create_if_missing: true },
      consumer: { queue: undefined },
      exchange: {
        name,
        type: 'topic',
        routing_key: 'order.#',
        create_if_missing: true,
        args: { 'alternate-exchange': `${queue.name}.dlx` },
      },
    });
    const channel = await plainChannel();
    await channel.assertExchange(`${queue.name}.dlx`, 'fanout');
    await channel.assertQueue(`${queue.name}.dead`);
    await channel.bindQueue(`${queue.name}.dead`, `${queue.name}.dlx`, '');
    channel.publish(name, 'order.new', Buffer.from('bound'));
    channel.publish(name, 'invoice', Buffer.from('other'));
    await until(() => opened.taken.length === 1);
    expect(bodies(opened)).toEqual(['bound']);
    const other = await until(() => queue.deadLetter('.dead'));
    expect(other.content.toString()).toBe('other');
  });

  test('is what a queue is bound to an exchange of headers with', async () => {
    const queue = await undeclared();
    const name = `${queue.name}.deadx`;
    const opened = await consuming(queue, undefined, {
      queue: { create_if_missing: true },
      exchange: { name, type: 'headers', bind_args: { kind: 'order', 'x-match': 'all' }, create_if_missing: true },
    });
    const channel = await plainChannel();
    channel.publish(name, '', Buffer.from('other'), { headers: { kind: 'invoice' } });
    channel.publish(name, '', Buffer.from('bound'), { headers: { kind: 'order' } });
    await until(() => opened.taken.length === 1);
    expect(bodies(opened)).toEqual(['bound']);
  });
});

describe.skipIf(brokerUrl === undefined)('a consumer of RabbitMQ', () => {
  test('has the tag that is written, or alone takes from its queue', async () => {
    const queue = await declared();
    await consuming(queue, undefined, { consumer: { tag: 'billing', exclusive: true } });
    const channel = await plainChannel();
    await expect(channel.consume(queue.name, () => undefined)).rejects.toThrow(/ACCESS.REFUSED/);
  });

  test('has the tag and the arguments that are written', async () => {
    const queue = await declared();
    const late = await consuming(queue, undefined, { consumer: { args: { 'x-priority': -5 }, tag: 'late' } });
    const first = await consuming(queue, undefined, { consumer: { args: { 'x-priority': 5 }, tag: 'first' } });
    await queue.publish(['a', 'b', 'c', 'd']);
    await until(() => first.taken.length + late.taken.length === 4);
    expect([bodies(first), bodies(late)]).toEqual([['a', 'b', 'c', 'd'], []]);
  });

  test('with auto_ack acknowledges a message when its flow begins, and says at the start what that means', async () => {
    const queue = await declared();
    let proceed: (() => void) | undefined;
    const hold = () => new Promise<typeof reply>((resolve) => (proceed = () => resolve(reply)));
    const opened = await consuming(queue, hold, { consumer: { auto_ack: true, prefetch: 1 } });
    await queue.publish(['a', 'b']);
    await until(() => opened.taken.length === 1);
    await until(async () => (await queue.counts()).ready === 0);
    const warned = opened.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warned).toEqual([expect.stringMatching(/^auto_ack: a message is acknowledged when its flow begins/)]);
    const cut = new AbortController();
    const closing = opened.connector.close(cut.signal);
    cut.abort();
    proceed?.();
    await closing;
    // Only what had begun is gone.
    await until(async () => (await queue.counts()).ready === 1);
  });

  test('with auto_ack tries a failed message again by itself', async () => {
    const queue = await declared();
    let failures = 0;
    const opened = await consuming(queue, () => (failures++ < 2 ? unavailable() : reply), {
      consumer: { auto_ack: true },
    });
    await queue.publish(['a']);
    await until(() => opened.taken.length === 3 && opened.events.unsettled === 0);
    expect(await queue.counts()).toMatchObject({ ready: 0 });
  });

  test('X-16: of a queue with a single active consumer one takes in order, and the other when it ends', async () => {
    const queue = await undeclared();
    const written = { queue: { create_if_missing: true, single_active_consumer: true, type: 'quorum' } };
    const active = await consuming(queue, undefined, written);
    const standby = await consuming(queue, undefined, written);
    const first = Array.from({ length: 20 }, (_, at) => at);
    await queue.publish(first);
    await until(() => active.taken.length === 20 && active.events.unsettled === 0);
    expect([bodies(active), standby.taken, await standby.connector.check?.(never)]).toEqual([first, [], undefined]);
    await active.connector.close();
    const second = first.map((at) => at + 20);
    await queue.publish(second);
    await until(() => standby.taken.length === 20);
    expect(bodies(standby)).toEqual(second);
  });

  test('X-16: of three with a single active consumer the order holds when the active one is killed in the middle', async () => {
    const queue = await undeclared();
    const written = { queue: { create_if_missing: true, single_active_consumer: true, type: 'quorum' } };
    const begun: unknown[] = [];
    const done: unknown[] = [];
    const open = async () => {
      let isKilled = false;
      const opened = await consuming(
        queue,
        async ({ input }) => {
          begun.push(input['body']);
          await new Promise((resolve) => setImmediate(resolve));
          if (isKilled) throw new Failure('cancelled', 'the process is gone');
          done.push(input['body']);
          return reply;
        },
        written,
      );
      const kill = () => {
        isKilled = true;
        return opened.connector.close(AbortSignal.abort());
      };
      return { opened, kill };
    };
    const members = [await open(), await open(), await open()];
    const sent = Array.from({ length: 120 }, (_, at) => at);
    const publishing = queue.publish(sent);
    for (const [at, { opened, kill }] of members.slice(0, 2).entries()) {
      await until(() => opened.taken.length > 10);
      expect(members.slice(at + 1).map((other) => other.opened.taken.length)).toEqual(Array(2 - at).fill(0));
      await kill();
    }
    await publishing;
    await until(() => new Set(done).size === sent.length);
    // What was under way at a kill may have been handled; the rest comes once, and all of it in order.
    const first = [...new Set(begun)];
    expect(first).toEqual(sent);
    expect(begun.length).toBeLessThanOrEqual(sent.length + 2 * 10);
    expect((await queue.counts()).ready).toBe(0);
  });
});

describe.skipIf(brokerUrl === undefined)('a stream of RabbitMQ', () => {
  const stream = (args = {}) => ({ queue: { type: 'stream', create_if_missing: true }, consumer: { args } });
  const kept = async (queue: TestQueue) => {
    const opened = await consuming(queue, undefined, stream());
    await queue.publish(['a', 'b', 'c']);
    await until(() => opened.taken.length === 3);
    await opened.connector.close();
  };

  test('is taken from where its arguments say, by every consumer for itself', async () => {
    const queue = await undeclared();
    await kept(queue);
    const again = await consuming(queue, undefined, stream({ 'x-stream-offset': 'first' }));
    await until(() => again.taken.length === 3);
    const later = await consuming(queue, undefined, stream({ 'x-stream-offset': 2 }));
    await until(() => later.taken.length === 1);
    expect([bodies(again), bodies(later)]).toEqual([['a', 'b', 'c'], ['c']]);
  });

  test('R-05: continues before the first message that was not settled when its connection is made again', async () => {
    const queue = await undeclared();
    await kept(queue);
    let proceed: (() => void) | undefined;
    let holds = true;
    const hold = ({ input }: { readonly input: Record<string, unknown> }) =>
      holds && input['body'] === 'b' ? new Promise<typeof reply>((resolve) => (proceed = () => resolve(reply))) : reply;
    const opened = await consuming(queue, hold, stream({ 'x-stream-offset': 'first' }));
    await until(() => proceed !== undefined);
    // A check whose time is over gives the connection up.
    await opened.connector.check?.(AbortSignal.abort()).catch(() => undefined);
    holds = false;
    proceed?.();
    await until(() => opened.taken.length === 4 && opened.events.unsettled === 0);
    expect(bodies(opened)).toEqual(['a', 'b', 'b', 'c']);
  });

  test('a failed message of it is tried again here, while others pass', async () => {
    const queue = await undeclared();
    await kept(queue);
    let failures = 0;
    const opened = await consuming(
      queue,
      ({ input }) => (input['body'] === 'a' && failures++ < 2 ? unavailable() : reply),
      stream({ 'x-stream-offset': 'first' }),
    );
    await until(() => opened.taken.length === 5 && opened.events.unsettled === 0);
    expect(bodies(opened).toSorted()).toEqual(['a', 'a', 'a', 'b', 'c']);
  });

  test('is pulled from one by one', async () => {
    const queue = await undeclared();
    await kept(queue);
    const opened = await consuming(queue, undefined, stream({ 'x-stream-offset': 'first' }));
    await until(() => opened.taken.length === 3 && opened.events.unsettled === 0);
    opened.events.admit('demand');
    await queue.publish(['d', 'e']);
    const pulled = await opened.events.pull?.(never);
    await pulled?.settled;
    expect(bodies(opened)).toEqual(['a', 'b', 'c', 'd']);
    await (await opened.events.pull?.(never))?.settled;
    expect(bodies(opened)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe.skipIf(brokerUrl === undefined)('a dead letter', () => {
  test('R-75: has its bytes and headers, why it was given up, and where it was taken from', async () => {
    const queue = await undeclared();
    const invalid = () => {
      throw new Failure('input_invalid', 'no\norder');
    };
    await consuming(queue, invalid, { consumer: { create_if_missing: true, dlq: {} } });
    const sent = Buffer.from([0, 255, 10]);
    await queue.publish([sent], { headers: { tenant: 'north' }, messageId: 'm-1', priority: 3, persistent: true });
    const { content, properties, fields } = await until(() => queue.deadLetter());
    expect([new Uint8Array(content), fields.exchange, properties.messageId, properties.priority]).toEqual([
      new Uint8Array(sent),
      `${queue.name}.dlx`,
      'm-1',
      undefined,
    ]);
    expect([properties.deliveryMode, properties.headers]).toEqual([
      2,
      {
        tenant: 'north',
        'x-svc-original-priority': 3,
        'x-last-error': 'no order',
        'x-death': [
          {
            queue: queue.name,
            reason: 'rejected',
            count: 1,
            exchange: '',
            'routing-keys': [queue.name],
            time: { '!': 'timestamp', value: expect.any(Number) },
          },
        ],
      },
    ]);
  });

  test('R-48: comes after its tries, each of which waits at the broker and holds nothing up', async () => {
    const queue = await undeclared();
    const dlq = { max_retries: 3, retry_delay: 20 };
    const opened = await consuming(queue, ({ input }) => (input['body'] === 'bad' ? unavailable() : reply), {
      consumer: { create_if_missing: true, prefetch: 1, dlq },
    });
    await queue.publish(['bad', 'good']);
    const { properties } = await until(() => queue.deadLetter());
    expect(bodies(opened).slice(0, 2)).toEqual(['bad', 'good']);
    expect(bodies(opened).filter((body) => body === 'bad').length).toBe(4);
    await until(() => opened.events.unsettled === 0);
    expect(properties.headers).toMatchObject({ 'x-retry-count': 3, 'x-last-error': 'the database is unavailable' });
    const [last, ...before] = (properties.headers?.['x-death'] ?? []) as { queue: string; reason: string }[];
    expect([last, before.length]).toEqual([expect.objectContaining({ queue: queue.name, reason: 'rejected' }), 1]);
    expect(before).toEqual([expect.objectContaining({ queue: `${queue.name}.retry.20`, reason: 'expired', count: 3 })]);
  });

  test('R-49: a further try reaches the failing queue alone, whatever the exchange forwards to', async () => {
    const queue = await declared();
    const channel = await plainChannel();
    const { queue: other } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(other, queue.exchange, '#');
    let failures = 0;
    const opened = await consuming(queue, () => (failures++ < 3 ? unavailable() : reply), {
      consumer: { retry_count: 5 },
    });
    await queue.publish(['a'], { key: 'order.new' });
    await until(() => opened.taken.length === 4 && opened.events.unsettled === 0);
    expect(opened.taken.map(({ routing_key }) => routing_key)).toEqual(Array(4).fill('order.new'));
    expect((await channel.checkQueue(other)).messageCount).toBe(1);
  });
});
